// Makes a block from a SubmitSolution. Checks only the proof of work: without it the bytes cannot be a block, and
// anyone could fill the disk with them.
import { buildHeader } from '../../consensus/block/build-block.js';
import { rootOverBranch } from '../../consensus/block/merkle.js';
import { hashToHex } from '../../consensus/bytes/hex.js';
import { DecodeError } from '../../consensus/bytes/reader.js';
import { proofOfWork } from '../../consensus/rules/bits.js';
import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import { joinBlock } from '../../mining/serve/index.js';
import type { SubmitSolution } from '../codec/template-messages.js';
import type { NumberedTemplate } from './template-table.js';

/**
 * A block with proof of work, or the reason why the solution is not a block. Copies of a block that differ in the coinbase's
 * witness have the same hash but different keys.
 */
export type ReadSolution =
  | { readonly kind: 'block'; readonly hashHex: string; readonly key: string; readonly block: Uint8Array }
  | { readonly kind: 'bad'; readonly why: string };

/** @param template a template whose tip is known */
export function readSolution(solution: SubmitSolution, template: NumberedTemplate, powLimit: bigint, hashes: Hashes): ReadSolution {
  const { tip, served } = template;
  if (tip === null) return { kind: 'bad', why: 'its template was never activated' };
  // The buffer of a message may be reused for the next one.
  const bytes = solution.coinbase.slice();
  let coinbase: TxView;
  try {
    coinbase = parseTx(bytes, hashes, { exact: true });
  } catch (error) {
    if (error instanceof DecodeError) return { kind: 'bad', why: `its coinbase does not decode (${error.message})` };
    throw error;
  }
  if (!coinbase.isCoinbase) return { kind: 'bad', why: 'its transaction is not a coinbase' };
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
  if (!proofOfWork(hash, tip.bits, powLimit)) return { kind: 'bad', why: `${hashHex} lacks the proof of work` };
  return { kind: 'block', hashHex, key: `${hashHex} ${hashToHex(coinbase.wtxid)}`, block: joinBlock(header, bytes, served) };
}
