// Which transaction is asked from which peer: each is asked from one peer at a time, at first from one that we chose to
// connect to; when it does not answer within a minute, from the next that announced it (Core's TxRequestTracker).
// Bounded per peer: an announcement that is over leaves nothing behind, in no table.
import crypto from 'node:crypto';
import { hashKey } from '../../consensus/bytes/hex.js';
import type { Peer } from '../peer/peer.js';
import { type DueItem, DueQueue } from './due-queue.js';

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

interface Announcement extends DueItem {
  readonly peer: Peer;
  readonly hash: Uint8Array;
  readonly key: string;
  readonly byWtxid: boolean;
  readonly preferred: boolean;
  /** Decides among equals, differently in every process. */
  readonly rank: number;
  state: State;
  /** All of this transaction. */
  readonly all: Announcement[];
  /** When it may be asked, or when the request is given up; ms. */
  dueMs: number;
}

interface PeerBook {
  readonly all: Map<string, Announcement>;
  /** Those that shall be asked, oldest first. */
  readonly chosen: Set<Announcement>;
  requested: number;
}

/** A transaction to ask a peer for. */
export type TxRequest = Readonly<Pick<Announcement, 'hash' | 'byWtxid'>>;

export class TxRequests {
  readonly #byHash = new Map<string, Announcement[]>();
  readonly #byPeer = new Map<Peer, PeerBook>();
  /** Announcements that are waiting or requested. */
  readonly #timers = new DueQueue<Announcement>();
  /** The name that was looked for last and its key: a transaction that comes is looked for several times. */
  #lastHash: Uint8Array | null = null;
  #lastKey = '';
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
  isFull(peer: Peer, more = 1): boolean {
    const count = this.count(peer) + more;
    return count > MAX_PEER_TX_ANNOUNCEMENTS || (this.#total >= MANY_ANNOUNCEMENTS && count > FAIR_ANNOUNCEMENTS);
  }
  /** Announcements by txid: most peers name wtxids. */
  get byTxid(): number {
    return this.#byTxid;
  }
  /** Announcements whose time is awaited. */
  get timers(): number {
    return this.#timers.size;
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
    const all = this.#byHash.get(this.#key(hash)) ?? [];
    return all.filter(({ state }) => state !== 'done').map(({ peer }) => peer);
  }

  /** A peer announced a transaction. @param dueMs when it may be asked */
  noteAnnounced(peer: Peer, hash: Uint8Array, byWtxid: boolean, preferred: boolean, dueMs: number): void {
    const key = this.#key(hash);
    const book = this.#book(peer);
    if (book.all.has(key)) return;
    const rank = (hashRank(hash) ^ Math.imul(peer.id + 1, 0x9e3779b1) ^ this.#salt) >>> 0;
    let all = this.#byHash.get(key);
    if (all === undefined) this.#byHash.set(key, (all = []));
    const announcement: Announcement = {
      peer,
      hash: hash.slice(),
      key,
      byWtxid,
      preferred,
      rank,
      all,
      state: 'waiting',
      dueMs,
      lane: null,
      before: null,
      after: null,
    };
    all.push(announcement);
    book.all.set(key, announcement);
    this.#total++;
    if (!byWtxid) this.#byTxid++;
    this.#timers.add(announcement);
  }

  /** What a hash is found by. */
  #key(hash: Uint8Array): string {
    if (hash !== this.#lastHash) {
      this.#lastHash = hash;
      this.#lastKey = hashKey(hash);
    }
    return this.#lastKey;
  }

  /** What a peer shall be asked for now. Each must be followed by requested() or forget(). */
  takeDue(peer: Peer, nowMs: number): TxRequest[] {
    this.#advance(nowMs);
    const book = this.#byPeer.get(peer);
    if (book === undefined) return [];
    const requests: TxRequest[] = [];
    for (const announcement of book.chosen) {
      if (requests.length === REQUESTS_PER_CALL) break;
      book.chosen.delete(announcement);
      requests.push(announcement);
    }
    return requests;
  }

  /** It was asked. @param giveUpMs when another is asked instead */
  noteRequested(peer: Peer, hash: Uint8Array, giveUpMs: number): void {
    const book = this.#byPeer.get(peer);
    const announcement = book?.all.get(this.#key(hash));
    if (book === undefined || announcement === undefined || announcement.state === 'done') return;
    if (announcement.state !== 'requested') book.requested++;
    book.chosen.delete(announcement);
    this.#timers.remove(announcement);
    announcement.state = 'requested';
    announcement.dueMs = giveUpMs;
    this.#timers.add(announcement);
  }

  /** The peer does not have what it was asked for; what it says of others changes nothing. */
  notFound(peer: Peer, hash: Uint8Array): void {
    const announcement = this.#byPeer.get(peer)?.all.get(this.#key(hash));
    if (announcement?.state === 'requested') this.#finish(announcement);
  }

  /** The peer sent the transaction. @returns whether it had announced this as a wtxid */
  noteAnswered(peer: Peer, hash: Uint8Array): boolean {
    const announcement = this.#byPeer.get(peer)?.all.get(this.#key(hash));
    if (announcement !== undefined) this.#finish(announcement);
    return announcement?.byWtxid === true;
  }

  /** Drops a transaction: no peer is asked for it any more. */
  forgetTx(hash: Uint8Array): void {
    if (this.#byHash.size > 0) this.#forgetKey(this.#key(hash));
  }

  #forgetKey(key: string): void {
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
      const others = announcement.all;
      const at = others.indexOf(announcement);
      if (at >= 0) others.splice(at, 1);
      if (others.length === 0) this.#byHash.delete(announcement.key);
      else if (others.every(({ state }) => state === 'done')) this.#forgetKey(announcement.key);
      else if (was === 'chosen' || was === 'requested') this.#choose(others);
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
    this.#timers.remove(announcement);
    announcement.state = 'done';
  }

  #finish(announcement: Announcement): void {
    if (announcement.state === 'done') return;
    this.#close(announcement);
    // When every announcer was asked, none is left: it may be announced anew.
    if (announcement.all.every(({ state }) => state === 'done')) this.#forgetKey(announcement.key);
    else this.#choose(announcement.all);
  }

  /** Picks the peer to ask, unless a request is under way. */
  #choose(all: readonly Announcement[]): void {
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
    const changed: Announcement[] = [];
    let budget = DUE_PER_CALL;
    for (let first = this.#timers.peek(); first !== undefined && first.dueMs <= nowMs && budget > 0; first = this.#timers.peek()) {
      budget--;
      if (first.state === 'waiting') {
        this.#timers.remove(first);
        first.state = 'ready';
        changed.push(first);
      } else {
        this.#finish(first);
      }
    }
    for (const { all } of changed) this.#choose(all);
  }
}

function better(a: Announcement, b: Announcement): boolean {
  return a.preferred !== b.preferred ? a.preferred : a.rank < b.rank;
}

function hashRank(hash: Uint8Array): number {
  return ((hash[0] as number) | ((hash[1] as number) << 8) | ((hash[2] as number) << 16) | ((hash[3] as number) << 24)) >>> 0;
}
