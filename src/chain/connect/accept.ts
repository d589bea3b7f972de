// Accepts headers and blocks: Core's AcceptBlockHeader and AcceptBlock. Accepted headers are in the tree and accepted
// bytes are in the files. The caller must write the changed rows, which are in index.dirty.

import type { BlockView } from '../../consensus/block/block-view.js';
import type { HeaderView } from '../../consensus/block/header-view.js';
import { blockProof } from '../../consensus/rules/bits.js';
import { checkBlock, checkProofOfWork } from '../../consensus/rules/check-block.js';
import { checkHeaderContext } from '../../consensus/rules/check-header-context.js';
import { contextualCheckBlock } from '../../consensus/rules/contextual-check-block.js';
import { reject } from '../../consensus/rules/reject.js';
import type { Reject, Verdict } from '../../consensus/state.js';
import { yieldToLoop } from '../../lib/time-slice.js';
import { MIN_BLOCKS_TO_KEEP } from '../files/pruning.js';
import { type HeaderNode, NodeStatus } from '../tree/header-node.js';
import { isLarge } from './large-block.js';
import { type ChainWorkspace, minimumChainWork } from './workspace.js';

/** Verdict, and the header's node if the header was accepted (even if the block then failed). */
export interface Accepted {
  readonly verdict: Verdict;
  readonly node: HeaderNode | null;
  /** True if this call stored the block's bytes. */
  readonly isNew: boolean;
}

/**
 * Checks a header and adds it to the tree. The verdict is null if the header was accepted, or was known as valid
 * before.
 */
export function acceptHeader(ws: ChainWorkspace, header: HeaderView): { verdict: Verdict; node: HeaderNode | null } {
  const { index, params } = ws;
  const known = index.get(header.hash);
  if (known !== undefined) return { verdict: known.failed ? reject('cached', 'duplicate') : null, node: known };
  // Genesis is never checked here, because the start has added it to the tree.
  const pow = checkProofOfWork(header, params);
  if (pow !== null) return { verdict: pow, node: null };
  const prev = index.get(header.prevHash);
  if (prev === undefined) return { verdict: reject('missing-prev', 'prev-blk-not-found'), node: null };
  if (prev.failed) return { verdict: reject('invalid-prev', 'bad-prevblk'), node: null };
  const context = checkHeaderContext(header, prev, params, ws.clock.nowSeconds(), lastCheckpointHeight(ws), ws.versionBits);
  if (context !== null) return { verdict: context, node: null };
  if (index.buildsOnFailed(prev)) return { verdict: reject('invalid-prev', 'bad-prevblk'), node: null };
  return { verdict: null, node: index.addHeader(header.bytes, header.hash, prev, blockProof(header.bits)) };
}

/** Returns the height of the highest checkpoint whose block is in the tree; -1 for none. */
export function lastCheckpointHeight(ws: ChainWorkspace): number {
  if (!ws.options.checkpoints) return -1;
  const { checkpoints } = ws.params;
  for (let i = checkpoints.length - 1; i >= 0; i--) {
    const [height, hash] = checkpoints[i] as readonly [number, Uint8Array];
    if (ws.index.get(hash) !== undefined) return height;
  }
  return -1;
}

/**
 * Checks a block that passed checkBlock, and stores it.
 * @param requested store the block even if it has less work than the tip or is far ahead of the tip
 */
export async function acceptBlock(ws: ChainWorkspace, block: BlockView, requested: boolean): Promise<Accepted> {
  const { index, params } = ws;
  const { verdict, node } = acceptHeader(ws, block.header);
  if (verdict !== null || node === null) return { verdict, node, isNew: false };
  if (node.has(NodeStatus.HAVE_DATA)) return { verdict: null, node, isNew: false };
  if (!requested && !worthStoring(ws, node)) return { verdict: null, node, isNew: false };
  let failed: Reject | null = checkBlock(block, params, ws.crypto);
  if (failed === null && isLarge(block)) await yieldToLoop();
  failed ??= contextualCheckBlock(block, node.prev, params, ws.versionBits);
  if (failed !== null) {
    if (failed.category !== 'mutated') {
      index.markFailedEarly(node);
      if (ws.options.failedBranches) index.noteInvalidChain(node, true);
    }
    return { verdict: failed, node, isNew: false };
  }
  const at = await ws.blocks.append(block);
  index.receivedTransactions(node, block.txs.length, at.file, at.pos);
  return { verdict: null, node, isNew: true };
}

/** Returns whether an unrequested block should be stored (Core's AcceptBlock). */
export function worthStoring(ws: ChainWorkspace, node: HeaderNode): boolean {
  const tip = ws.active.tip;
  // A pruned block is not stored again unless requested.
  if (node.txCount !== 0) return false;
  if (tip !== undefined && node.chainWork < tip.chainWork) return false;
  // Files with blocks far out of order could not be pruned for a long time.
  if (node.height > ws.active.height + MIN_BLOCKS_TO_KEEP) return false;
  return node.chainWork >= minimumChainWork(ws);
}
