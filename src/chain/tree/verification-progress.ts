import type { ChainParams } from '../../consensus/params/chain-params.js';
import type { HeaderNode } from './header-node.js';

/** Age in seconds up to which a block counts as recent. */
const RECENT_SECONDS = 2 * 60 * 60;

/**
 * Estimates the verified part of the network's transactions (Core's GuessVerificationProgress).
 * @param bestHeight height of the best header
 * @returns 0 to 1
 */
export function verificationProgress(node: HeaderNode, bestHeight: number, params: ChainParams, nowSeconds: number): number {
  const { activity, powTargetSpacing } = params;
  // Near the tip, use heights: they are more precise than block times and give exactly 1 at the tip.
  const recent = Math.abs(nowSeconds - node.time) <= RECENT_SECONDS && bestHeight >= node.height;
  const time = recent ? nowSeconds - (bestHeight - node.height) * powTargetSpacing : node.time;
  const known = node.chainTxCount <= activity.transactions;
  const total = known
    ? activity.transactions + (nowSeconds - activity.time) * activity.rate
    : node.chainTxCount + (nowSeconds - time) * activity.rate;
  return Math.min(node.chainTxCount / total, 1);
}
