// Signed blocks (BIP-0325): a block must satisfy the network's challenge script. The solution is a push in the script
// of the witness commitment output. The signature covers the block with this push reduced to its 4-byte header. Two
// virtual transactions connect the signature with the script rules.

import type { Crypto } from '../../crypto/crypto.js';
import type { BlockView } from '../block/block-view.js';
import { merkleRoot, witnessCommitmentIndex } from '../block/merkle.js';
import { equalBytes } from '../bytes/hex.js';
import { ByteReader, DecodeError } from '../bytes/reader.js';
import { ByteWriter } from '../bytes/writer.js';
import type { ChainParams } from '../params/chain-params.js';
import { plainPush } from '../script/build-script.js';
import { SCRIPT_VERIFY_DERSIG, SCRIPT_VERIFY_NULLDUMMY, SCRIPT_VERIFY_P2SH, SCRIPT_VERIFY_WITNESS } from '../script/flags.js';
import { SighashCache } from '../script/sighash.js';
import { verifyTxInput } from '../script/verify-input.js';
import type { Verdict } from '../state.js';
import { buildTx } from '../tx/build-tx.js';
import { parseTx, type TxView } from '../tx/tx-view.js';
import { reject } from './reject.js';

const SOLUTION_HEADER = Uint8Array.of(0xec, 0xc7, 0xda, 0xa2);
const SOLUTION_FLAGS = SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_DERSIG | SCRIPT_VERIFY_NULLDUMMY;
const OP_0 = 0x00;
const OP_RETURN = 0x6a;
const OP_PUSHDATA1 = 0x4c;
const OP_PUSHDATA4 = 0x4e;
const NULL_INDEX = 0xffffffff;

/**
 * The virtual transaction that pays to the challenge, and the virtual transaction that spends it with the block's
 * solution.
 */
export interface SignetTxs {
  toSpend: TxView;
  toSign: TxView;
}

/** Checks that the block satisfies the challenge. Returns null for genesis, and on networks without a challenge. */
export function checkSignetSolution(block: BlockView, params: ChainParams, crypto: Crypto): Verdict {
  const challenge = params.signetChallenge;
  if (challenge === null || equalBytes(block.hash, params.genesisHash)) return null;
  const txs = signetTxs(block, challenge);
  if (txs !== null) {
    const spent = [{ value: 0, script: challenge }];
    const cache = new SighashCache(txs.toSign, crypto, spent);
    if (verifyTxInput(txs.toSign, 0, spent, SOLUTION_FLAGS, crypto, cache) === 0) return null;
  }
  return reject('consensus', 'bad-signet-blksig', 'signet block signature validation failure');
}

/** Returns the two virtual transactions of a block; null if it has no commitment output or a malformed solution. */
export function signetTxs(block: BlockView, challenge: Uint8Array): SignetTxs | null {
  const coinbase = block.txs[0];
  const index = coinbase === undefined ? -1 : witnessCommitmentIndex(coinbase);
  if (index < 0) return null;
  const cut = cutSolution(coinbase.outputScript(index));
  const solution = parseSolution(cut.solution);
  if (solution === null) return null;
  const { header, hashes } = block;
  const leaves = block.txs.map((tx, i) => (i === 0 ? txidWithScript(tx, index, cut.script, block) : tx.txid));
  const signed = new ByteWriter(72)
    .i32(header.version)
    .bytes(header.prevHash)
    .bytes(merkleRoot(leaves, hashes).root)
    .u32(header.time)
    .finish();
  const toSpend = parseTx(
    buildTx({
      version: 0,
      inputs: [
        {
          prevHash: new Uint8Array(32),
          prevIndex: NULL_INDEX,
          scriptSig: new ByteWriter(80).u8(OP_0).bytes(plainPush(signed)).finish(),
          sequence: 0,
        },
      ],
      outputs: [{ value: 0, script: challenge }],
      locktime: 0,
    }),
    hashes,
  );
  const toSign = parseTx(
    buildTx({
      version: 0,
      inputs: [{ prevHash: toSpend.txid, prevIndex: 0, ...solution, sequence: 0 }],
      outputs: [{ value: 0, script: Uint8Array.of(OP_RETURN) }],
      locktime: 0,
    }),
    hashes,
  );
  return { toSpend, toSign };
}

/**
 * Returns the commitment script with its solution push reduced to the 4-byte header, and the solution. If there is no
 * solution, returns null and the unchanged script.
 */
function cutSolution(script: Uint8Array): { script: Uint8Array; solution: Uint8Array | null } {
  const out = new ByteWriter(script.length);
  let solution: Uint8Array | null = null;
  for (let at = 0; at < script.length; ) {
    const op = script[at++];
    if (op > OP_PUSHDATA4) {
      out.u8(op);
      continue;
    }
    let size = op;
    if (op >= OP_PUSHDATA1) {
      const lengthBytes = 1 << (op - OP_PUSHDATA1);
      if (lengthBytes > script.length - at) break;
      size = 0;
      for (let k = lengthBytes - 1; k >= 0; k--) size = size * 256 + script[at + k];
      at += lengthBytes;
    }
    if (size > script.length - at) break;
    const data = script.subarray(at, at + size);
    at += size;
    // Only a push with bytes after the header is a solution. An empty push is written as its opcode.
    if (solution === null && data.length > SOLUTION_HEADER.length && equalBytes(data.subarray(0, 4), SOLUTION_HEADER)) {
      solution = data.subarray(4);
      out.bytes(plainPush(SOLUTION_HEADER));
    } else if (data.length > 0) out.bytes(plainPush(data));
    else out.u8(op);
  }
  return { script: solution === null ? script : out.finish(), solution };
}

/**
 * Parses scriptSig and witness of a solution. Returns null if the solution is malformed. Without a solution both are
 * empty, which satisfies trivial challenges.
 */
function parseSolution(solution: Uint8Array | null): { scriptSig: Uint8Array; witness: Uint8Array[] } | null {
  if (solution === null) return { scriptSig: new Uint8Array(0), witness: [] };
  try {
    const reader = new ByteReader(solution);
    const scriptSig = reader.varBytes();
    const witness: Uint8Array[] = [];
    for (let left = reader.compactSize(reader.remaining); left > 0; left--) witness.push(reader.varBytes());
    return reader.remaining === 0 ? { scriptSig, witness } : null;
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}

/** Returns the txid that the coinbase would have with another script in one output. */
function txidWithScript(coinbase: TxView, index: number, script: Uint8Array, block: BlockView): Uint8Array {
  const inputs = [];
  for (let i = 0; i < coinbase.inputCount; i++) {
    inputs.push({
      prevHash: coinbase.prevHash(i),
      prevIndex: coinbase.prevIndex(i),
      scriptSig: coinbase.scriptSig(i),
      sequence: coinbase.sequence(i),
    });
  }
  const outputs = [];
  for (let i = 0; i < coinbase.outputCount; i++) {
    outputs.push({ value: coinbase.outputValueBig(i), script: i === index ? script : coinbase.outputScript(i) });
  }
  return block.hashes.sha256d(buildTx({ version: coinbase.version, inputs, outputs, locktime: coinbase.locktime }));
}
