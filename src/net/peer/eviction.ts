// Chooses the inbound peer to disconnect in favour of a new one (Core's SelectNodeToEvict). Peers that an attacker could
// hardly outdo in all respects are protected: near, fast, long connected, or useful for blocks and transactions. If
// unprotected peers have discouraged addresses, only those are candidates. Of the candidates, the youngest peer of the
// largest network group is evicted.
import { isLocal, type NetAddress } from '../wire/net-address.js';
import type { Peer } from './peer.js';

/** Number of peers that each criterion protects. */
const BY_GROUP = 4;
const BY_PING = 8;
const BY_TX = 4;
const BY_BLOCK_ONLY = 8;
const BY_BLOCK = 4;

/**
 * @param salt decides which groups are protected, differently on each node
 * @param groupOf returns the network group of an address
 */
export function evictionCandidate(peers: readonly Peer[], salt: number, groupOf: (address: NetAddress) => string): Peer | null {
  let left = peers.filter((peer) => peer.inbound && !peer.permissions.noban && !peer.leaving);
  const protect = (count: number, better: (a: Peer, b: Peer) => number, of: (peer: Peer) => boolean = () => true): void => {
    const safe = new Set(left.filter(of).sort(better).slice(0, count));
    left = left.filter((peer) => !safe.has(peer));
  };
  const place = (peer: Peer): number => saltedPlace(groupOf(peer.address), salt);
  protect(BY_GROUP, (a, b) => place(a) - place(b));
  const ping = ({ minPingMs }: Peer): number => (minPingMs < 0 ? Number.POSITIVE_INFINITY : minPingMs);
  protect(BY_PING, (a, b) => ping(a) - ping(b));
  // A peer that accepts all transactions is more useful for relay than one with a filter or one without transactions.
  const appetite = ({ relaysTxs, filter }: Peer): number => (relaysTxs ? 2 : 0) + (filter === null ? 1 : 0);
  protect(BY_TX, (a, b) => b.lastTxTime - a.lastTxTime || appetite(b) - appetite(a) || a.connectedAt - b.connectedAt);
  protect(
    BY_BLOCK_ONLY,
    (a, b) => b.lastBlockTime - a.lastBlockTime || a.connectedAt - b.connectedAt,
    (peer) => !peer.relaysTxs && !peer.isClient,
  );
  protect(BY_BLOCK, (a, b) => b.lastBlockTime - a.lastBlockTime || a.connectedAt - b.connectedAt);
  // Protect the oldest half of the remaining peers. Up to half of these places go to local peers first, because a local
  // address may be a proxy of many clients.
  const half = Math.floor(left.length / 2);
  const locals = Math.floor(half / 2);
  const oldest = (a: Peer, b: Peer): number => a.connectedAt - b.connectedAt || a.id - b.id;
  const before = left.length;
  protect(locals, oldest, (peer) => isLocal(peer.address));
  protect(half - (before - left.length), oldest);
  if (left.length === 0) return null;
  // A peer that was protected by a criterion stays, even with a discouraged address.
  if (left.some(({ preferEvict }) => preferEvict)) left = left.filter(({ preferEvict }) => preferEvict);
  const groups = new Map<string, Peer[]>();
  for (const peer of left) {
    const group = groupOf(peer.address);
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [peer]);
    else members.push(peer);
  }
  const youngest = (members: readonly Peer[]): Peer => members.reduce((a, b) => (oldest(a, b) < 0 ? b : a));
  const [first] = [...groups.values()].sort((a, b) => b.length - a.length || oldest(youngest(b), youngest(a)));
  return youngest(first as Peer[]);
}

function saltedPlace(text: string, salt: number): number {
  let value = salt >>> 0;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x9e3779b1) >>> 0;
  return (value ^ (value >>> 15)) >>> 0;
}
