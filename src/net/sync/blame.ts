// What a peer answers for when something it sent breaks a rule (Core's MaybePunishNodeForBlock and -ForTx).
import type { Reject } from '../../consensus/state.js';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';

/**
 * The score of a wrong block or header; 0 when honest peers send such.
 * @param compact it came as a compact block before its check
 */
export function blameForBlock(reject: Reject, peer: Peer, compact: boolean): number {
  switch (reject.category) {
    case 'consensus':
    case 'mutated':
      return compact ? 0 : 100;
    case 'cached':
      // Whom we chose would better be on our chain; others may follow another. A compact block says nothing of that.
      return !compact && !peer.inbound && !peer.manual ? 100 : 0;
    case 'invalid-header':
    case 'checkpoint':
    case 'invalid-prev':
      return 100;
    case 'missing-prev':
      return 10;
    default:
      return 0;
  }
}

/** Blames the sender of a block that failed. */
export function punishForBlock(context: NetContext, peer: Peer, reject: Reject, compact: boolean, what: string): void {
  const score = blameForBlock(reject, peer, compact);
  if (score > 0) context.misbehaving(peer, score, `${what}: ${reject.reason}`);
}

/**
 * Blames the sender of a transaction that breaks the law itself, which no honest node relays; releases from 30 on let
 * it be.
 */
export function punishForTx(context: NetContext, peer: Peer, reject: Reject): void {
  if (context.mempool.options.policy.blameForTxs && reject.category === 'consensus') context.misbehaving(peer, 100, `tx: ${reject.reason}`);
}
