// Whether bytes are a block at all, or a spoilt copy with its header: transactions that its merkle root or its witness
// commitment does not name. A copy says nothing about the block, so it must be told apart before anything is concluded
// from it (Core's IsBlockMutated).

import type { BlockView } from '../block/block-view.js';
import type { ChainParams } from '../params/chain-params.js';
import type { Verdict } from '../state.js';
import { checkMerkleRoot } from './check-block.js';
import { checkWitnessCommitment } from './contextual-check-block.js';
import { reject } from './reject.js';

/** As long as two hashes: an inner node of the merkle tree can be passed off as such a transaction. */
const INNER_NODE_BYTES = 64;

/**
 * Checks that the transactions and witnesses are those that the header stands for.
 * @param height the block's height, by its parent's
 * @returns null for the block itself; else a reject of category 'mutated'
 */
export function checkMutation(block: BlockView, height: number, params: ChainParams): Verdict {
  const verdict = checkMerkleRoot(block);
  if (verdict !== null) return verdict;
  // Blocks without a coinbase are invalid anyway; those with one would need 224 bits of work to be passed off as
  // another.
  if (block.txs[0]?.isCoinbase !== true) {
    return block.txs.some(({ strippedSize }) => strippedSize === INNER_NODE_BYTES)
      ? reject('mutated', 'bad-cb-missing', 'first tx is not coinbase, and one has 64 bytes')
      : null;
  }
  return checkWitnessCommitment(block, height >= params.segwitHeight);
}
