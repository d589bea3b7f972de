// Which transaction is asked from whom: each is asked from one peer at a time, at first from one that we chose to connect to; when it does
// not answer within a minute, from the next that announced it (Core's TxRequestTracker). Bounded per peer. Callers: TxRelay.
import crypto from 'node:crypto';
import { hashKey } from '../../consensus/bytes/hex.js';
import type { Peer } from '../peer/peer.js';

/** Announcements remembered of one peer. */
const MAX_PEER_TX_ANNOUNCEMENTS = 5_000;
/** Announcements of all peers together, and what each may have when there are more. */
const MANY_ANNOUNCEMENTS = 50_000;
const FAIR_ANNOUNCEMENTS = 500;
/** Announcements that become due in one call, and requests of one call: a hundred peers may have announced thousands at once. */
const DUE_PER_CALL = 1_000;
const REQUESTS_PER_CALL = 1_000;

/** waiting: its time has not come; ready: it may be asked; chosen: it shall be asked; requested; done: it had its turn. */
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
}

interface PeerBook {
  readonly all: Map<string, Announcement>;
  chosen: Announcement[];
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
  readonly #timers: { dueMs: number; announcement: Announcement; state: State }[] = [];
  #total = 0;
  readonly #salt = crypto.randomBytes(4).readUInt32LE();

  get size(): number {
    return this.#byHash.size;
  }
  /** Whether a peer's announcements are not kept: it has too many, or more than its share while all have too many. */
  full(peer: Peer): boolean {
    const count = this.count(peer);
    return count >= MAX_PEER_TX_ANNOUNCEMENTS || (this.#total >= MANY_ANNOUNCEMENTS && count >= FAIR_ANNOUNCEMENTS);
  }
  /** Announcements of a peer that are kept. */
  count(peer: Peer): number {
    return this.#byPeer.get(peer)?.all.size ?? 0;
  }
  /** Requests the peer has not answered. */
  countInFlight(peer: Peer): number {
    return this.#byPeer.get(peer)?.requested ?? 0;
  }

  /** A peer announced a transaction. @param dueMs when it may be asked */
  announced(peer: Peer, hash: Uint8Array, byWtxid: boolean, preferred: boolean, dueMs: number): void {
    const key = hashKey(hash);
    const book = this.#book(peer);
    if (book.all.has(key)) return;
    const rank = (hashRank(hash) ^ Math.imul(peer.id + 1, 0x9e3779b1) ^ this.#salt) >>> 0;
    const announcement: Announcement = { peer, hash: hash.slice(), key, byWtxid, preferred, rank, state: 'waiting', dueMs };
    book.all.set(key, announcement);
    this.#total++;
    const others = this.#byHash.get(key);
    if (others === undefined) this.#byHash.set(key, [announcement]);
    else others.push(announcement);
    this.#remind(announcement);
  }

  /** What a peer shall be asked for now. Each must be followed by requested() or forget(). */
  due(peer: Peer, nowMs: number): TxRequest[] {
    this.#advance(nowMs);
    const book = this.#byPeer.get(peer);
    if (book === undefined || book.chosen.length === 0) return [];
    return book.chosen
      .splice(0, REQUESTS_PER_CALL)
      .filter(({ state }) => state === 'chosen')
      .map(({ hash, byWtxid }) => ({ hash, byWtxid }));
  }

  /** It was asked. @param giveUpMs when another is asked instead */
  requested(peer: Peer, hash: Uint8Array, giveUpMs: number): void {
    const book = this.#byPeer.get(peer);
    const announcement = book?.all.get(hashKey(hash));
    if (book === undefined || announcement === undefined || announcement.state === 'done') return;
    if (announcement.state !== 'requested') book.requested++;
    announcement.state = 'requested';
    announcement.dueMs = giveUpMs;
    this.#remind(announcement);
  }

  /** The peer answered, with the transaction or with notfound. */
  answered(peer: Peer, hash: Uint8Array): void {
    const announcement = this.#byPeer.get(peer)?.all.get(hashKey(hash));
    if (announcement !== undefined) this.#finish(announcement);
  }

  /** Nobody need be asked for it any more. */
  forget(hash: Uint8Array): void {
    const key = hashKey(hash);
    const all = this.#byHash.get(key);
    if (all === undefined) return;
    this.#byHash.delete(key);
    for (const announcement of all) {
      const book = this.#byPeer.get(announcement.peer);
      if (book?.all.delete(key) === true) this.#total--;
      if (book !== undefined && announcement.state === 'requested') book.requested--;
      announcement.state = 'done';
    }
  }

  /** The peer is gone. */
  forgetPeer(peer: Peer): void {
    const book = this.#byPeer.get(peer);
    if (book === undefined) return;
    this.#byPeer.delete(peer);
    this.#total -= book.all.size;
    for (const announcement of book.all.values()) {
      const was = announcement.state;
      announcement.state = 'done';
      const others = this.#byHash.get(announcement.key) ?? [];
      const at = others.indexOf(announcement);
      if (at >= 0) others.splice(at, 1);
      if (others.length === 0) this.#byHash.delete(announcement.key);
      else if (others.every(({ state }) => state === 'done')) this.forget(announcement.hash);
      else if (was === 'chosen' || was === 'requested') this.#choose(announcement.key);
    }
  }

  #book(peer: Peer): PeerBook {
    let book = this.#byPeer.get(peer);
    if (book === undefined) {
      book = { all: new Map(), chosen: [], requested: 0 };
      this.#byPeer.set(peer, book);
    }
    return book;
  }

  #finish(announcement: Announcement): void {
    if (announcement.state === 'done') return;
    const book = this.#byPeer.get(announcement.peer);
    if (announcement.state === 'requested' && book !== undefined) book.requested--;
    announcement.state = 'done';
    const all = this.#byHash.get(announcement.key);
    // When everybody had a turn, there is nobody left to ask: it may be announced anew.
    if (all?.every(({ state }) => state === 'done')) this.forget(announcement.hash);
    else this.#choose(announcement.key);
  }

  /** Picks who is asked, unless somebody is already. */
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
    this.#book(best.peer).chosen.push(best);
  }

  #advance(nowMs: number): void {
    // Chosen only when all that are due are ready: the best of them is asked, not the first.
    const changed = new Set<string>();
    let room = DUE_PER_CALL;
    for (let first = this.#timers[0]; first !== undefined && first.dueMs <= nowMs && room > 0; first = this.#timers[0]) {
      this.#popTimer();
      room--;
      const { announcement, state } = first;
      // It changed since: another timer stands for it, or none is needed.
      if (announcement.state !== state || announcement.dueMs !== first.dueMs) continue;
      if (state === 'waiting') {
        announcement.state = 'ready';
        changed.add(announcement.key);
      } else {
        this.#finish(announcement);
      }
    }
    for (const key of changed) this.#choose(key);
  }

  /** Puts a timer into the heap. */
  #remind(announcement: Announcement): void {
    const heap = this.#timers;
    const timer = { dueMs: announcement.dueMs, announcement, state: announcement.state };
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((heap[parent] as typeof timer).dueMs <= timer.dueMs) break;
      heap[at] = heap[parent] as typeof timer;
      at = parent;
    }
    heap[at] = timer;
  }

  #popTimer(): void {
    const heap = this.#timers;
    const last = heap.pop() as (typeof heap)[0];
    const { length } = heap;
    if (length === 0) return;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= length) break;
      if (child + 1 < length && (heap[child + 1] as typeof last).dueMs < (heap[child] as typeof last).dueMs) child++;
      if ((heap[child] as typeof last).dueMs >= last.dueMs) break;
      heap[at] = heap[child] as typeof last;
      at = child;
    }
    heap[at] = last;
  }
}

function better(a: Announcement, b: Announcement): boolean {
  return a.preferred !== b.preferred ? a.preferred : a.rank < b.rank;
}

function hashRank(hash: Uint8Array): number {
  return ((hash[0] as number) | ((hash[1] as number) << 8) | ((hash[2] as number) << 16) | ((hash[3] as number) << 24)) >>> 0;
}
