// Detects mutated blocks: copies of a header with transactions that its merkle root or witness commitment does not
// cover. A mutated copy says nothing about the block, so it must be recognised before anything is concluded (Core's
// IsBlockMutated).

import type { BlockView } from '../block/block-view.js';
import type { ChainParams } from '../params/chain-params.js';
import type { Verdict } from '../state.js';
import { checkMerkleRoot } from './check-block.js';
import { checkWitnessCommitment } from './contextual-check-block.js';
import { reject } from './reject.js';

/** Size of two hashes: an inner node of the merkle tree could be presented as such a transaction. */
const INNER_NODE_BYTES = 64;

/**
 * Checks that transactions and witnesses are those of the header.
 * @param height the block's height, by its parent's
 * @returns null for the block itself; else a reject of category 'mutated'
 */
export function checkMutation(block: BlockView, height: number, params: ChainParams): Verdict {
  const verdict = checkMerkleRoot(block);
  if (verdict !== null) return verdict;
  // Blocks without a coinbase are invalid anyway. With one, 224 bits of work would be needed to present it as another
  // block.
  if (block.txs[0]?.isCoinbase !== true) {
    return block.txs.some(({ strippedSize }) => strippedSize === INNER_NODE_BYTES)
      ? reject('mutated', 'bad-cb-missing', 'first tx is not coinbase, and one has 64 bytes')
      : null;
  }
  return checkWitnessCommitment(block, height >= params.segwitHeight);
}
