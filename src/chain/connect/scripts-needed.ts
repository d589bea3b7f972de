// Decides whether a block's scripts are verified, or are skipped because of the assumed-valid block (-assumevalid).
import { blockProof } from '../../consensus/rules/bits.js';
import type { HeaderNode } from '../tree/header-node.js';
import { type ChainWorkspace, minimumChainWork } from './workspace.js';

/**
 * Time in seconds that mining from a block to the best header must take at least, so that the block is buried deeply
 * enough to skip its scripts.
 */
const ASSUME_BURIED_SECONDS = 60 * 60 * 24 * 7 * 2;

/** Returns the display hex of the assumed-valid block; null if all scripts are verified. */
export function assumedHashHex({ options, params }: ChainWorkspace): string | null {
  const assumed = options.assumeValid ?? params.assumeValid;
  return assumed === null || /^0*$/.test(assumed) ? null : assumed.padStart(64, '0');
}

/**
 * Returns why scripts of this block must be verified, in Core's words. Returns null if they are skipped (-assumevalid):
 * the assumed-valid block is on the best header chain, and this block is one of its ancestors and deeply buried.
 * @param assumed undefined if there is none or its header is unknown
 */
export function scriptsReason(ws: ChainWorkspace, node: HeaderNode, assumed: HeaderNode | undefined): string | null {
  if (assumed === undefined) return assumedHashHex(ws) === null ? 'assumevalid=0 (always verify)' : 'assumevalid hash not in headers';
  if (node.height > assumed.height) return 'block height above assumevalid height';
  if (!assumed.descendsFrom(node)) return 'block not in assumevalid chain';
  const best = ws.index.bestHeader;
  if (!best.descendsFrom(node)) return 'block not in best header chain';
  if (best.chainWork < minimumChainWork(ws)) return 'best header chainwork below minimumchainwork';
  // Time needed to mine from this block to the best header, at the best header's difficulty.
  const work = best.chainWork - node.chainWork;
  const seconds = (work * BigInt(ws.params.powTargetSpacing)) / (blockProof(best.bits) || 1n);
  return seconds <= BigInt(ASSUME_BURIED_SECONDS) ? 'block too recent relative to best header' : null;
}
