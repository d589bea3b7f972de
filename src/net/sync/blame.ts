// Punishment of peers for invalid blocks and transactions (Core's MaybePunishNodeForBlock and -ForTx).
import type { Reject } from '../../consensus/state.js';
import type { NetContext } from '../context.js';
import type { Peer } from '../peer/peer.js';

/**
 * Returns the score of an invalid block or header; 0 if honest peers may send it.
 * @param compact whether it came as a compact block before its check
 */
export function blameForBlock(reject: Reject, peer: Peer, compact: boolean): number {
  switch (reject.category) {
    case 'consensus':
    case 'mutated':
      return compact ? 0 : 100;
    case 'cached':
      // An outbound peer should follow this node's chain. An inbound peer may follow another one, and so may the sender of a
      // compact block, which is sent before its check.
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

/** Punishes the sender of an invalid block. */
export function punishForBlock(context: NetContext, peer: Peer, reject: Reject, compact: boolean, what: string): void {
  const score = blameForBlock(reject, peer, compact);
  if (score > 0) context.misbehaving(peer, score, `${what}: ${reject.reason}`);
}

/** Punishes the sender of a transaction that violates consensus, which no honest node relays. Releases from 30 on do not punish. */
export function punishForTx(context: NetContext, peer: Peer, reject: Reject): void {
  if (context.mempool.options.policy.blameForTxs && reject.category === 'consensus') context.misbehaving(peer, 100, `tx: ${reject.reason}`);
}
