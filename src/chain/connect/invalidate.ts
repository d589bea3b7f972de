// invalidateblock and its opposites: marks by hand, with the same effects as verdicts (Core's InvalidateBlock,
// ResetBlockFailureFlags, PreciousBlock). It activates the best branch afterwards.

import { compareCandidates } from '../tree/candidates.js';
import { type HeaderNode, NodeStatus } from '../tree/header-node.js';
import type { Activator } from './activator.js';
import type { ChainWorkspace } from './workspace.js';

/** Marks a block and everything on it as invalid; the tip goes down to its parent when it was on the active chain. */
export async function invalidate(ws: ChainWorkspace, activator: Activator, node: HeaderNode): Promise<void> {
  const { index, active } = ws;
  const parent = node.prev;
  // Genesis is the one block nothing can replace.
  if (parent === null) return;
  // Branches that may take over while the tip goes down; the active chain's own blocks are added as they leave.
  const rivals = [...index.offChain()].filter((other) => other.isConnectable && compareCandidates(other, parent) >= 0);
  let lastLeft: HeaderNode | null = null;
  let reached = true;
  if (active.contains(node)) {
    reached = await activator.disconnectTo(parent, (left) => {
      left.status |= NodeStatus.FAILED;
      // Only the lowest keeps the mark of its own fault, its descendants that of an ancestor's.
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
  // As Core leaves it: down to the lowest block that can be taken off, and only those are marked.
  const lowest = reached ? node : lastLeft;
  if (!reached && !ws.stopping()) ws.log.error(`DisconnectTip(): Failed to read block: all below height ${active.height} are pruned`);
  if (lowest !== null) {
    index.markFailed(lowest);
    index.noteInvalidChain(lowest, ws.options.failedBranches);
  }
  index.refillCandidates();
}

/** Takes marks of failure from a block, its ancestors and its descendants, whose headers count again. */
export function reconsider(ws: ChainWorkspace, node: HeaderNode): void {
  ws.index.clearFailures(node);
  if (ws.options.failedBranches) ws.index.findBestHeader();
}
