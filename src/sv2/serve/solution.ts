// A SubmitSolution made into a block and written down before anything else is done with it. Only proof of work is
// looked at: without it the bytes cannot be a block, and a stranger could fill the disk.
//
// The folder holds HASH.blk until the block is judged and the chain has it on disk; then it is removed, or kept as
// HASH.lost or HASH.invalid (provide/solutions.ts). A file needs no mark of its end: the name is its block's hash, and
// that commits to all transactions.
import fs from 'node:fs';
import path from 'node:path';
import { buildHeader } from '../../consensus/block/build-block.js';
import { rootOverBranch } from '../../consensus/block/merkle.js';
import { hashToHex } from '../../consensus/bytes/hex.js';
import { DecodeError } from '../../consensus/bytes/reader.js';
import { proofOfWork } from '../../consensus/rules/bits.js';
import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import { replaceFileSync } from '../../lib/durable-file.js';
import type { SubmitSolution } from '../codec/template-messages.js';
import { type BoardTemplate, joinBlock } from './board.js';

/**
 * What a solution is, or why it is none. Copies of a block that differ in the coinbase's witness have one hash, and
 * keys of their own.
 */
export type ReadSolution =
  | { readonly kind: 'block'; readonly hashHex: string; readonly key: string; readonly block: Uint8Array }
  | { readonly kind: 'bad'; readonly why: string };

/** @param template whose tip is known */
export function readSolution(solution: SubmitSolution, template: BoardTemplate, powLimit: bigint, hashes: Hashes): ReadSolution {
  const { tip, served } = template;
  if (tip === null) return { kind: 'bad', why: 'its template was never activated' };
  // The bytes of a message may be overwritten by the next one.
  const bytes = solution.coinbase.slice();
  let coinbase: TxView;
  try {
    coinbase = parseTx(bytes, hashes, { exact: true });
  } catch (error) {
    if (error instanceof DecodeError) return { kind: 'bad', why: `its coinbase does not decode (${error.message})` };
    throw error;
  }
  if (!coinbase.isCoinbase) return { kind: 'bad', why: 'its transaction is no coinbase' };
  const header = buildHeader({
    version: solution.version | 0,
    prevHash: tip.prevHash,
    merkleRoot: rootOverBranch(coinbase.txid, served.branch, hashes),
    time: solution.headerTimestamp,
    bits: tip.bits,
    nonce: solution.headerNonce,
  });
  const hash = hashes.sha256d(header);
  const hashHex = hashToHex(hash);
  if (!proofOfWork(hash, tip.bits, powLimit)) return { kind: 'bad', why: `${hashHex} has not the proof of work` };
  return { kind: 'block', hashHex, key: `${hashHex} ${hashToHex(coinbase.wtxid)}`, block: joinBlock(header, bytes, served) };
}

/**
 * Writes the block; when this returns the kernel has it, so that it outlasts the process. @returns the file @throws the
 * system's error
 */
export function writeSolution(dir: string, hashHex: string, block: Uint8Array): string {
  const file = path.join(dir, `${hashHex}.blk`);
  try {
    fs.writeFileSync(file, block, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // Of an earlier run, and perhaps not whole.
    replaceFileSync(file, block);
  }
  return file;
}

/**
 * Has the disk keep a file and its name, so that they outlast the machine's power. Beside other work: it takes
 * milliseconds, or many.
 */
export async function syncSolution(file: string): Promise<void> {
  for (const name of [file, path.dirname(file)]) {
    const handle = await fs.promises.open(name, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
