// Rules of a block in its chain: finality, height in the coinbase, witness commitment, weight. Checked before a block
// is stored, and for proposals. BIP-0034, BIP-0054, BIP-0113, BIP-0141.

import type { Hashes } from '../../crypto/crypto.js';
import type { BlockView } from '../block/block-view.js';
import { witnessCommitmentIndex, witnessMerkleRoot } from '../block/merkle.js';
import { equalBytes } from '../bytes/hex.js';
import type { HeaderContext } from '../header-context.js';
import { MAX_BLOCK_WEIGHT } from '../limits.js';
import type { ChainParams } from '../params/chain-params.js';
import { pushNumber } from '../script/build-script.js';
import type { Verdict } from '../state.js';
import type { TxView } from '../tx/tx-view.js';
import { checkCoinbaseLock } from './cleanup/coinbase-lock.js';
import { cleanupEnforced } from './cleanup/enforced.js';
import { checkTransactionSize } from './cleanup/transaction-size.js';
import { isFinalTx } from './locks.js';
import { reject } from './reject.js';
import { VersionBitsCache } from './versionbits.js';

const COMMITMENT_OFFSET = 6;
// Core's messages begin with the name of this Core function.
const WHERE = 'ContextualCheckBlock : ';

/**
 * Checks a block as the child of `prev` (null for genesis), in Core's order.
 * @param cache states of deployments already known in the tree of `prev`
 */
export function contextualCheckBlock(
  block: BlockView,
  prev: HeaderContext | null,
  params: ChainParams,
  cache = new VersionBitsCache(),
): Verdict {
  const height = prev === null ? 0 : prev.height + 1;
  const cutoff = height >= params.csvHeight && prev !== null ? prev.medianTimePast() : block.header.time;
  for (const tx of block.txs) {
    if (!isFinalTx(tx, height, cutoff)) return reject('consensus', 'bad-txns-nonfinal', 'non-final transaction');
  }
  const named = checkCoinbaseHeight(block.txs[0], height, params);
  if (named !== null) return named;
  const cleanup = cleanupEnforced(prev, params, cache) ? checkCleanup(block, height) : null;
  if (cleanup !== null) return cleanup;
  const witness = checkWitnessCommitment(block, height >= params.segwitHeight);
  if (witness !== null) return witness;
  // Check the weight after the commitment. Otherwise a peer could pad a witness and have a valid block marked as too
  // heavy.
  if (block.weight > MAX_BLOCK_WEIGHT) return reject('consensus', 'bad-blk-weight', `${WHERE}weight limit failed`);
  return null;
}

/** Checks that the coinbase begins with its height (BIP-0034). */
export function checkCoinbaseHeight(coinbase: TxView, height: number, params: ChainParams): Verdict {
  if (height < params.bip34Height || beginsWith(coinbase.scriptSig(0), pushNumber(height))) return null;
  return reject('consensus', 'bad-cb-height', 'block height mismatch in coinbase');
}

/** Checks those rules of BIP-0054 that only need the block's transactions. */
function checkCleanup(block: BlockView, height: number): Verdict {
  let verdict = checkCoinbaseLock(block.txs[0], height);
  for (let i = 0; verdict === null && i < block.txs.length; i++) verdict = checkTransactionSize(block.txs[i]);
  return verdict;
}

function beginsWith(script: Uint8Array, start: Uint8Array): boolean {
  return script.length >= start.length && equalBytes(script.subarray(0, start.length), start);
}

/**
 * Checks the witness commitment. If the block has a commitment, it must match; otherwise no transaction may have a
 * witness. The block view remembers a match.
 * @param segwit whether BIP-0141 applies at the block's height
 */
export function checkWitnessCommitment(block: BlockView, segwit: boolean): Verdict {
  if (segwit && block.witnessChecked) return null;
  const coinbase = block.txs[0];
  const index = segwit && coinbase !== undefined ? witnessCommitmentIndex(coinbase) : -1;
  if (index >= 0) {
    const verdict = checkCommitment(coinbase, index, () => witnessMerkleRoot(block).root, block.hashes);
    if (verdict === null) block.witnessChecked = true;
    return verdict;
  }
  for (const tx of block.txs) {
    if (tx.hasWitness) return reject('mutated', 'unexpected-witness', `${WHERE}unexpected witness data found`);
  }
  return null;
}

/**
 * Checks the commitment in a coinbase output against a witness root.
 * @param root computes the witness root; called only if everything else is valid
 */
export function checkCommitment(coinbase: TxView, index: number, root: () => Uint8Array, hashes: Hashes): Verdict {
  const stack = coinbase.witnessStack(0);
  const nonce = stack.at(0);
  if (stack.length !== 1 || nonce?.length !== 32) {
    return reject('mutated', 'bad-witness-nonce-size', `${WHERE}invalid witness reserved value size`);
  }
  const script = coinbase.outputScript(index);
  const expected = script.subarray(COMMITMENT_OFFSET, COMMITMENT_OFFSET + 32);
  if (equalBytes(commitmentTo(root(), nonce, hashes), expected)) return null;
  return reject('mutated', 'bad-witness-merkle-match', `${WHERE}witness merkle commitment mismatch`);
}

/** Returns the commitment that an output must have: SHA-256d of the witness root and the coinbase's reserved value. */
export function witnessCommitment(block: BlockView, reserved: Uint8Array): Uint8Array {
  return commitmentTo(witnessMerkleRoot(block).root, reserved, block.hashes);
}

function commitmentTo(root: Uint8Array, reserved: Uint8Array, hashes: Hashes): Uint8Array {
  const pair = new Uint8Array(64);
  pair.set(root);
  pair.set(reserved, 32);
  return hashes.sha256d(pair);
}
