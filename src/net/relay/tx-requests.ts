// Which transaction is asked from which peer: each is asked from one peer at a time, at first from one that we chose to
// connect to; when it does not answer within a minute, from the next that announced it (Core's TxRequestTracker).
// Bounded per peer: an announcement that is over leaves nothing behind, in no table.
import crypto from 'node:crypto';
import { hashKey } from '../../consensus/bytes/hex.js';
import type { Peer } from '../peer/peer.js';

/** Announcements remembered of one peer. */
const MAX_PEER_TX_ANNOUNCEMENTS = 5_000;
/** Announcements of all peers together, and what each may have when there are more. */
const MANY_ANNOUNCEMENTS = 50_000;
const FAIR_ANNOUNCEMENTS = 500;
/**
 * Announcements that become due in one call, and requests of one call: a hundred peers may have announced thousands at
 * once.
 */
const DUE_PER_CALL = 1_000;
const REQUESTS_PER_CALL = 1_000;

/**
 * waiting: its time has not come; ready: it may be asked; chosen: it shall be asked; requested; done: it had its turn.
 */
type State = 'waiting' | 'ready' | 'chosen' | 'requested' | 'done';

interface Announcement {
  readonly peer: Peer;
  readonly hash: Uint8Array;
  readonly key: string;
  readonly byWtxid: boolean;
  readonly preferred: boolean;
  /** Decides among equals, differently in every process. */
  readonly rank: number;
  state: State;
  /** When it may be asked, or when the request is given up; ms. */
  dueMs: number;
  /** Its place in the heap of timers; -1: it awaits no time. */
  place: number;
}

interface PeerBook {
  readonly all: Map<string, Announcement>;
  /** Those that shall be asked, oldest first. */
  readonly chosen: Set<Announcement>;
  requested: number;
}

/** A transaction to ask for. */
export interface TxRequest {
  readonly hash: Uint8Array;
  readonly byWtxid: boolean;
}

export class TxRequests {
  readonly #byHash = new Map<string, Announcement[]>();
  readonly #byPeer = new Map<Peer, PeerBook>();
  /** A heap of the announcements that are waiting or requested, the one that is due next first. */
  readonly #timers: Announcement[] = [];
  #total = 0;
  #byTxid = 0;
  readonly #salt = crypto.randomBytes(4).readUInt32LE();

  get size(): number {
    return this.#byHash.size;
  }
  /**
   * Whether so many more announcements of a peer are not kept: it has too many, or more than its share while all have
   * too many.
   */
  full(peer: Peer, more = 1): boolean {
    const count = this.count(peer) + more;
    return count > MAX_PEER_TX_ANNOUNCEMENTS || (this.#total >= MANY_ANNOUNCEMENTS && count > FAIR_ANNOUNCEMENTS);
  }
  /** Announcements by txid: most peers name wtxids. */
  get byTxid(): number {
    return this.#byTxid;
  }
  /** Announcements whose time is awaited. */
  get timers(): number {
    return this.#timers.length;
  }
  /** Announcements of a peer that are kept. */
  count(peer: Peer): number {
    return this.#byPeer.get(peer)?.all.size ?? 0;
  }
  /** Requests the peer has not answered. */
  countInFlight(peer: Peer): number {
    return this.#byPeer.get(peer)?.requested ?? 0;
  }

  /** Peers that announced it and have not had their turn. */
  candidates(hash: Uint8Array): Peer[] {
    const all = this.#byHash.get(hashKey(hash)) ?? [];
    return all.filter(({ state }) => state !== 'done').map(({ peer }) => peer);
  }

  /** A peer announced a transaction. @param dueMs when it may be asked */
  announced(peer: Peer, hash: Uint8Array, byWtxid: boolean, preferred: boolean, dueMs: number): void {
    const key = hashKey(hash);
    const book = this.#book(peer);
    if (book.all.has(key)) return;
    const rank = (hashRank(hash) ^ Math.imul(peer.id + 1, 0x9e3779b1) ^ this.#salt) >>> 0;
    const announcement: Announcement = { peer, hash: hash.slice(), key, byWtxid, preferred, rank, state: 'waiting', dueMs, place: -1 };
    book.all.set(key, announcement);
    this.#total++;
    if (!byWtxid) this.#byTxid++;
    const others = this.#byHash.get(key);
    if (others === undefined) this.#byHash.set(key, [announcement]);
    else others.push(announcement);
    this.#time(announcement);
  }

  /** What a peer shall be asked for now. Each must be followed by requested() or forget(). */
  due(peer: Peer, nowMs: number): TxRequest[] {
    this.#advance(nowMs);
    const book = this.#byPeer.get(peer);
    if (book === undefined) return [];
    const requests: TxRequest[] = [];
    for (const announcement of book.chosen) {
      if (requests.length === REQUESTS_PER_CALL) break;
      book.chosen.delete(announcement);
      requests.push({ hash: announcement.hash, byWtxid: announcement.byWtxid });
    }
    return requests;
  }

  /** It was asked. @param giveUpMs when another is asked instead */
  requested(peer: Peer, hash: Uint8Array, giveUpMs: number): void {
    const book = this.#byPeer.get(peer);
    const announcement = book?.all.get(hashKey(hash));
    if (book === undefined || announcement === undefined || announcement.state === 'done') return;
    if (announcement.state !== 'requested') book.requested++;
    book.chosen.delete(announcement);
    this.#untime(announcement);
    announcement.state = 'requested';
    announcement.dueMs = giveUpMs;
    this.#time(announcement);
  }

  /** The peer does not have what it was asked for; what it says of others changes nothing. */
  notFound(peer: Peer, hash: Uint8Array): void {
    const announcement = this.#byPeer.get(peer)?.all.get(hashKey(hash));
    if (announcement?.state === 'requested') this.#finish(announcement);
  }

  /** The peer sent the transaction. @returns whether it had announced this as a wtxid */
  answered(peer: Peer, hash: Uint8Array): boolean {
    const announcement = this.#byPeer.get(peer)?.all.get(hashKey(hash));
    if (announcement !== undefined) this.#finish(announcement);
    return announcement?.byWtxid === true;
  }

  /** Drops a transaction: no peer is asked for it any more. */
  forget(hash: Uint8Array): void {
    if (this.#byHash.size > 0) this.#forget(hashKey(hash));
  }

  #forget(key: string): void {
    const all = this.#byHash.get(key);
    if (all === undefined) return;
    this.#byHash.delete(key);
    for (const announcement of all) {
      if (this.#byPeer.get(announcement.peer)?.all.delete(key) === true) this.#uncount(announcement);
      this.#close(announcement);
    }
  }

  #uncount({ byWtxid }: Announcement): void {
    this.#total--;
    if (!byWtxid) this.#byTxid--;
  }

  /** The peer is gone. */
  forgetPeer(peer: Peer): void {
    const book = this.#byPeer.get(peer);
    if (book === undefined) return;
    this.#byPeer.delete(peer);
    for (const announcement of book.all.values()) {
      const was = announcement.state;
      this.#uncount(announcement);
      this.#close(announcement);
      const others = this.#byHash.get(announcement.key) ?? [];
      const at = others.indexOf(announcement);
      if (at >= 0) others.splice(at, 1);
      if (others.length === 0) this.#byHash.delete(announcement.key);
      else if (others.every(({ state }) => state === 'done')) this.#forget(announcement.key);
      else if (was === 'chosen' || was === 'requested') this.#choose(announcement.key);
    }
  }

  #book(peer: Peer): PeerBook {
    let book = this.#byPeer.get(peer);
    if (book === undefined) {
      book = { all: new Map(), chosen: new Set(), requested: 0 };
      this.#byPeer.set(peer, book);
    }
    return book;
  }

  /** Its turn is over: no time is awaited, and nothing counts it any more. */
  #close(announcement: Announcement): void {
    const book = this.#byPeer.get(announcement.peer);
    if (announcement.state === 'requested' && book !== undefined) book.requested--;
    book?.chosen.delete(announcement);
    this.#untime(announcement);
    announcement.state = 'done';
  }

  #finish(announcement: Announcement): void {
    if (announcement.state === 'done') return;
    this.#close(announcement);
    const all = this.#byHash.get(announcement.key);
    // When every announcer was asked, none is left: it may be announced anew.
    if (all?.every(({ state }) => state === 'done')) this.#forget(announcement.key);
    else this.#choose(announcement.key);
  }

  /** Picks the peer to ask, unless a request is under way. */
  #choose(key: string): void {
    const all = this.#byHash.get(key);
    if (all === undefined) return;
    let best: Announcement | undefined;
    for (const announcement of all) {
      if (announcement.state === 'chosen' || announcement.state === 'requested') return;
      if (announcement.state !== 'ready') continue;
      if (best === undefined || better(announcement, best)) best = announcement;
    }
    if (best === undefined) return;
    best.state = 'chosen';
    this.#book(best.peer).chosen.add(best);
  }

  #advance(nowMs: number): void {
    // Chosen only when all that are due are ready: the best of them is asked, not the first.
    const changed = new Set<string>();
    let room = DUE_PER_CALL;
    for (let first = this.#timers[0]; first !== undefined && first.dueMs <= nowMs && room > 0; first = this.#timers[0]) {
      room--;
      if (first.state === 'waiting') {
        this.#untime(first);
        first.state = 'ready';
        changed.add(first.key);
      } else {
        this.#finish(first);
      }
    }
    for (const key of changed) this.#choose(key);
  }

  /** Puts an announcement into the heap. */
  #time(announcement: Announcement): void {
    this.#rise(this.#timers.push(announcement) - 1, announcement);
  }

  /** Takes an announcement out of the heap, if it is there. */
  #untime(announcement: Announcement): void {
    const { place } = announcement;
    if (place < 0) return;
    announcement.place = -1;
    const last = this.#timers.pop() as Announcement;
    if (last === announcement) return;
    const parent = this.#timers[(place - 1) >> 1];
    if (place > 0 && (parent as Announcement).dueMs > last.dueMs) this.#rise(place, last);
    else this.#sink(place, last);
  }

  #rise(start: number, announcement: Announcement): void {
    let at = start;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#timers[above] as Announcement;
      if (parent.dueMs <= announcement.dueMs) break;
      this.#put(at, parent);
      at = above;
    }
    this.#put(at, announcement);
  }

  #sink(start: number, announcement: Announcement): void {
    const heap = this.#timers;
    let at = start;
    for (;;) {
      let below = at * 2 + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && (heap[below + 1] as Announcement).dueMs < (heap[below] as Announcement).dueMs) below++;
      const child = heap[below] as Announcement;
      if (child.dueMs >= announcement.dueMs) break;
      this.#put(at, child);
      at = below;
    }
    this.#put(at, announcement);
  }

  #put(at: number, announcement: Announcement): void {
    this.#timers[at] = announcement;
    announcement.place = at;
  }
}

function better(a: Announcement, b: Announcement): boolean {
  return a.preferred !== b.preferred ? a.preferred : a.rank < b.rank;
}

function hashRank(hash: Uint8Array): number {
  return ((hash[0] as number) | ((hash[1] as number) << 8) | ((hash[2] as number) << 16) | ((hash[3] as number) << 24)) >>> 0;
}
