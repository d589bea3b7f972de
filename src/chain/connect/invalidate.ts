// invalidateblock, reconsiderblock and preciousblock: marks set by an operator, with the same effects as verdicts
// (Core's InvalidateBlock, ResetBlockFailureFlags, PreciousBlock). The caller activates the best branch afterwards.

import { compareCandidates } from '../tree/candidates.js';
import { type HeaderNode, NodeStatus } from '../tree/header-node.js';
import type { Activator } from './activator.js';
import type { ChainWorkspace } from './workspace.js';

/** Marks a block and its descendants as invalid. If the block is in the active chain, its parent becomes the tip. */
export async function invalidate(ws: ChainWorkspace, activator: Activator, node: HeaderNode): Promise<void> {
  const { index, active } = ws;
  const parent = node.prev;
  // Genesis cannot be replaced.
  if (parent === null) return;
  // Candidates on other branches that may become the best block while blocks are disconnected. The callback adds blocks
  // of the active chain as they are disconnected.
  const rivals = [...index.offChain()].filter((other) => other.isConnectable && compareCandidates(other, parent) >= 0);
  let lastLeft: HeaderNode | null = null;
  let reached = true;
  if (active.contains(node)) {
    reached = await activator.disconnectTo(parent, (left) => {
      left.status |= NodeStatus.FAILED;
      // Only the lowest block keeps the mark FAILED. Its descendants are marked as having a failed ancestor.
      if (lastLeft !== null) lastLeft.status = (lastLeft.status & ~NodeStatus.FAILED) | NodeStatus.FAILED_CHILD;
      if (lastLeft !== null) index.dirty.add(lastLeft);
      index.dirty.add(left);
      index.candidates.delete(left);
      const below = left.prev as HeaderNode;
      index.candidates.add(below);
      for (const rival of rivals) if (compareCandidates(rival, below) >= 0 && !rival.failed) index.candidates.add(rival);
      lastLeft = left;
    });
  }
  // As in Core, if pruned blocks prevent disconnecting all the way, mark only the blocks down to the lowest
  // disconnected one.
  const lowest = reached ? node : lastLeft;
  if (!reached && !ws.stopping()) ws.log.error(`DisconnectTip(): Failed to read block: all below height ${active.height} are pruned`);
  if (lowest !== null) {
    index.markFailed(lowest);
    index.noteInvalidChain(lowest, ws.options.failedBranches);
  }
  index.refillCandidates();
}

/**
 * Removes the failure marks of a block, its ancestors and its descendants. Their headers can be the best header again.
 */
export function reconsider(ws: ChainWorkspace, node: HeaderNode): void {
  ws.index.clearFailures(node);
  if (ws.options.failedBranches) ws.index.findBestHeader();
}
