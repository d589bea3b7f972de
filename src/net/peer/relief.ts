// Chooses peers to disconnect when all peers together hold too much memory: peers that do not read what they requested,
// or that have begun a large message and do not end it. noban and manual peers are spared.
import type { Peer } from './peer.js';
import { FAIR_BYTES, type Traffic } from './traffic.js';

/** Time without progress after which a peer with a large unread queue is disconnected: always, and while memory is short. */
const STUCK_MS = 60_000;
const STUCK_SHORT_MS = 5_000;
/** Time that a large incomplete message may take while memory is short. */
const UNFINISHED_SHORT_MS = 5_000;

/** Returns the reasons by peer to disconnect. @param nowMs monotonic clock of SocketConnection */
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
  // Disconnect one such peer at a time: freeing its memory may be enough.
  if (traffic.incomingFull && worst !== null) drop.set(worst, 'peer does not end a message while memory is short');
  return drop;
}
