// Consequences of a peer's faults (Core's Misbehaving): each fault disconnects the peer or, as before release 28,
// faults add up to a score of 100.
import type { Logger } from '../../log/logger.js';
import { hostKey, isLocal } from '../wire/net-address.js';
import type { Bans } from './bans.js';
import type { Connections } from './connections.js';
import type { Peer } from './peer.js';

/** Score at which a peer is disconnected. */
const DISCOURAGEMENT_THRESHOLD = 100;
/** Minimum score of a fault that disconnects a peer with `strict`. Smaller faults are only logged. */
const LEAST_FAULT = 10;

/**
 * Adds a fault of a peer. A peer at the threshold is disconnected, and its address is discouraged, with all peers at
 * that address.
 * @param score up to 100
 * @param strict whether every fault of 10 or more is enough; otherwise they add up
 */
export function blame(
  peer: Peer,
  score: number,
  reason: string,
  {
    log,
    bans,
    connections,
    strict,
  }: { readonly log: Logger; readonly bans: Bans; readonly connections: Connections; readonly strict: boolean },
): void {
  if (strict && score < LEAST_FAULT) {
    log.debug('net', `${reason} from peer=${peer.id}`);
    return;
  }
  const before = peer.misbehaviour;
  peer.misbehaviour += strict ? DISCOURAGEMENT_THRESHOLD : score;
  const over = peer.misbehaviour >= DISCOURAGEMENT_THRESHOLD && before < DISCOURAGEMENT_THRESHOLD;
  const sum = strict ? '' : ` (${before} -> ${peer.misbehaviour})${over ? ' DISCOURAGE THRESHOLD EXCEEDED' : ''}`;
  log.debug('net', `Misbehaving: peer=${peer.id}${sum}: ${reason}`);
  if (!over) return;
  if (peer.permissions.noban) {
    log.info(`Warning: not punishing noban peer ${peer.id}!`);
    return;
  }
  if (peer.manual) {
    log.info(`Warning: not punishing manually connected peer ${peer.id}!`);
    return;
  }
  if (isLocal(peer.address)) {
    // Do not discourage an address of this machine: a local peer may be a proxy of other peers.
    log.info(`Warning: disconnecting but not discouraging local peer ${peer.id}!`);
  } else {
    log.debug('net', `Disconnecting and discouraging peer ${peer.id}!`);
    bans.discourage(peer.address);
    for (const other of [...connections.all]) {
      if (other !== peer && hostKey(other.address) === hostKey(peer.address) && !other.permissions.noban) connections.disconnect(other);
    }
  }
  connections.disconnect(peer);
}
