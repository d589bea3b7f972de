// Detects mutated blocks: a valid header with transactions or witnesses that its merkle root or witness commitment does
// not cover. A mutated copy says nothing about the real block, so it must be recognised before the block is marked as
// invalid (Core's IsBlockMutated).

import type { BlockView } from '../block/block-view.js';
import type { ChainParams } from '../params/chain-params.js';
import type { Verdict } from '../state.js';
import { checkMerkleRoot } from './check-block.js';
import { checkWitnessCommitment } from './contextual-check-block.js';
import { reject } from './reject.js';

/** Size of two hashes. An inner node of the merkle tree could be presented as a transaction of this size. */
const INNER_NODE_BYTES = 64;

/**
 * Checks that transactions and witnesses are those that the header commits to.
 * @param height the block's height: one more than its parent's
 * @returns null if they are; otherwise a reject of category 'mutated'
 */
export function checkMutation(block: BlockView, height: number, params: ChainParams): Verdict {
  const verdict = checkMerkleRoot(block);
  if (verdict !== null) return verdict;
  // Check for transactions of 64 bytes only if the block lacks a coinbase, and is invalid anyway. Mutating a block with
  // a coinbase would take an attacker at least 224 bits of work.
  if (block.txs[0]?.isCoinbase !== true) {
    return block.txs.some(({ strippedSize }) => strippedSize === INNER_NODE_BYTES)
      ? reject('mutated', 'bad-cb-missing', 'first tx is not coinbase, and one has 64 bytes')
      : null;
  }
  return checkWitnessCommitment(block, height >= params.segwitHeight);
}
