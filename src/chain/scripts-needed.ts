// When a block runs its scripts, and when the assumed-valid block stands in for them (-assumevalid).
import { blockProof } from '../consensus/rules/bits.js';
import type { HeaderNode } from './header-node.js';
import { type ChainWorkspace, minimumChainWork } from './workspace.js';

/**
 * A block is buried deeply enough below the best header for assumed scripts when mining the difference would take this
 * long, seconds.
 */
const ASSUME_BURIED_SECONDS = 60 * 60 * 24 * 7 * 2;

/**
 * Whether scripts of this block must run: not below an assumed-valid block of the best header chain that is buried
 * deeply (-assumevalid).
 */
export function scriptsNeeded(ws: ChainWorkspace, node: HeaderNode, assumed: HeaderNode | undefined): boolean {
  if (assumed === undefined) return true;
  const best = ws.index.bestHeader;
  if (!assumed.descendsFrom(node) || !best.descendsFrom(node)) return true;
  if (best.chainWork < minimumChainWork(ws)) return true;
  // Time that mining from this block to the best header takes at the best header's difficulty.
  const work = best.chainWork - node.chainWork;
  const seconds = (work * BigInt(ws.params.powTargetSpacing)) / (blockProof(best.bits) || 1n);
  return seconds <= BigInt(ASSUME_BURIED_SECONDS);
}
