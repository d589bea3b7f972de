// What a peer's faults add up to, and what becomes of it (Core's Misbehaving).
import type { Logger } from '../../log/logger.js';
import { hostKey, isLocal } from '../wire/net-address.js';
import type { Bans } from './bans.js';
import type { Connections } from './connections.js';
import type { Peer } from './peer.js';

/** Blame that costs the connection. */
const DISCOURAGEMENT_THRESHOLD = 100;

/** Blames a peer; at 100 it is disconnected, and its address discouraged with all who are connected from there. */
export function blame(
  peer: Peer,
  score: number,
  reason: string,
  { log, bans, connections }: { readonly log: Logger; readonly bans: Bans; readonly connections: Connections },
): void {
  const before = peer.misbehaviour;
  peer.misbehaviour += score;
  const over = peer.misbehaviour >= DISCOURAGEMENT_THRESHOLD && before < DISCOURAGEMENT_THRESHOLD;
  log.debug(
    'net',
    `Misbehaving: peer=${peer.id} (${before} -> ${peer.misbehaviour})${over ? ' DISCOURAGE THRESHOLD EXCEEDED' : ''}: ${reason}`,
  );
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
    // Whoever sits on this machine may be a proxy for others.
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
