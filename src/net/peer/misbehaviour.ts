// What a peer's faults cost it (Core's Misbehaving): each its connection, or, as before release 28, all of them together
// at a score of 100.
import type { Logger } from '../../log/logger.js';
import { hostKey, isLocal } from '../wire/net-address.js';
import type { Bans } from './bans.js';
import type { Connections } from './connections.js';
import type { Peer } from './peer.js';

/** Blame that costs the connection. */
const DISCOURAGEMENT_THRESHOLD = 100;
/** A smaller fault is only logged where each of the others costs the connection. */
const LEAST_FAULT = 10;

/**
 * Blames a peer. One that has to go is disconnected, and its address discouraged with all peers from there.
 * @param score of 100
 * @param strict every fault of 10 or more is enough; else they add up
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
    // A peer on this machine may be a proxy for others.
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
