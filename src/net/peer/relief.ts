// Who has to go when all peers together hold more than is good: a peer that doesn't read what it asked for, or that
// began a large message and does not end it. Never those that the operator trusts or chose.
import type { Peer } from './peer.js';
import { FAIR_BYTES, type Traffic } from './traffic.js';

/**
 * Nothing was taken for this long of a queue that is over its bound: the peer is given up in any case, or when memory
 * is short.
 */
const STUCK_MS = 60_000;
const STUCK_SHORT_MS = 5_000;
/** A large message may take this long when memory is short. */
const UNFINISHED_SHORT_MS = 5_000;

/** Why a peer is dropped, by peer. @param nowMs a monotonic clock's, as Connection's */
export function relief(peers: Iterable<Peer>, traffic: Traffic, nowMs: number): Map<Peer, string> {
  const drop = new Map<Peer, string>();
  const spared = ({ permissions, manual, leaving }: Peer): boolean => permissions.noban || manual || leaving;
  let worst: Peer | null = null;
  for (const peer of peers) {
    const { connection } = peer;
    if (spared(peer)) continue;
    if (connection.unsent > FAIR_BYTES) {
      const most = traffic.outgoingFull ? STUCK_SHORT_MS : STUCK_MS;
      if (connection.stuckMs > most) drop.set(peer, 'peer does not read what it is sent');
    }
    const unfinished = connection.held > FAIR_BYTES && !connection.holdsWhole && nowMs - connection.progressMs > UNFINISHED_SHORT_MS;
    if (unfinished && (worst === null || connection.progressMs < worst.connection.progressMs)) worst = peer;
  }
  // One at a time: what it held may be enough.
  if (traffic.incomingFull && worst !== null) drop.set(worst, 'peer does not end a message while memory is short');
  return drop;
}
