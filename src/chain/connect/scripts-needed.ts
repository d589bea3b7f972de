// When a block runs its scripts, and when the assumed-valid block stands in for them (-assumevalid).
import { blockProof } from '../../consensus/rules/bits.js';
import type { HeaderNode } from '../tree/header-node.js';
import { type ChainWorkspace, minimumChainWork } from './workspace.js';

/**
 * A block is buried deeply enough below the best header for assumed scripts when mining the difference would take this
 * long, seconds.
 */
const ASSUME_BURIED_SECONDS = 60 * 60 * 24 * 7 * 2;

/** Display hex of the assumed-valid block; null when all scripts run. */
export function assumedHashHex({ options, params }: ChainWorkspace): string | null {
  const assumed = options.assumeValid ?? params.assumeValid;
  return assumed === null || /^0*$/.test(assumed) ? null : assumed.padStart(64, '0');
}

/**
 * Why scripts of this block must run, in Core's words; null when the assumed-valid block stands in for them: it is of
 * the best header chain, and this block is an ancestor of it that is buried deeply (-assumevalid).
 * @param assumed undefined: there is none, or its header is not known
 */
export function scriptsReason(ws: ChainWorkspace, node: HeaderNode, assumed: HeaderNode | undefined): string | null {
  if (assumed === undefined) return assumedHashHex(ws) === null ? 'assumevalid=0 (always verify)' : 'assumevalid hash not in headers';
  if (node.height > assumed.height) return 'block height above assumevalid height';
  if (!assumed.descendsFrom(node)) return 'block not in assumevalid chain';
  const best = ws.index.bestHeader;
  if (!best.descendsFrom(node)) return 'block not in best header chain';
  if (best.chainWork < minimumChainWork(ws)) return 'best header chainwork below minimumchainwork';
  // Time that mining from this block to the best header takes at the best header's difficulty.
  const work = best.chainWork - node.chainWork;
  const seconds = (work * BigInt(ws.params.powTargetSpacing)) / (blockProof(best.bits) || 1n);
  return seconds <= BigInt(ASSUME_BURIED_SECONDS) ? 'block too recent relative to best header' : null;
}
