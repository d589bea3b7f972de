// Decides which transaction is requested from which peer (Core's TxRequestTracker). Each is requested from one peer at
// a time, outbound peers first. If a peer does not answer within a minute, the next announcer is asked. Bounded for
// each peer; a finished announcement leaves nothing behind.

import crypto from 'node:crypto';
import { hashKey } from '../../consensus/bytes/hex.js';
import type { TxHash } from '../../consensus/ids.js';
import type { Peer } from '../peer/peer.js';
import { type DueItem, DueQueue } from './due-queue.js';

/** Maximum number of announcements that are remembered of one peer. */
const MAX_PEER_TX_ANNOUNCEMENTS = 5_000;
/** Total of announcements above which each peer may have FAIR_ANNOUNCEMENTS only. */
const MANY_ANNOUNCEMENTS = 50_000;
const FAIR_ANNOUNCEMENTS = 500;
/**
 * Maximum number of announcements that become due in one call, and of requests of one call: a hundred peers may have
 * announced thousands at once.
 */
const DUE_PER_CALL = 1_000;
const REQUESTS_PER_CALL = 1_000;

/**
 * State of an announcement. waiting: not due yet. ready: may be requested. chosen: takeDue will return it. requested:
 * the peer was asked and has not answered. done: the peer answered, did not have the transaction, or timed out.
 */
type State = 'waiting' | 'ready' | 'chosen' | 'requested' | 'done';

interface Announcement extends DueItem {
  readonly peer: Peer;
  readonly hash: TxHash;
  readonly key: string;
  readonly byWtxid: boolean;
  readonly preferred: boolean;
  /** Decides between announcers that are equally preferred. Salted, so it differs in every process. */
  readonly rank: number;
  state: State;
  /** All announcements of this transaction. */
  readonly all: Announcement[];
  /** Time at which the transaction may be requested, or at which the request times out; ms. */
  dueMs: number;
}

interface PeerBook {
  readonly all: Map<string, Announcement>;
  /** Announcements to request, oldest first. */
  readonly chosen: Set<Announcement>;
  requested: number;
}

/** A transaction to request from a peer. */
export type TxRequest = Readonly<Pick<Announcement, 'hash' | 'byWtxid'>>;

export class TxRequests {
  readonly #byHash = new Map<string, Announcement[]>();
  readonly #byPeer = new Map<Peer, PeerBook>();
  /** Announcements that are waiting or requested. */
  readonly #timers = new DueQueue<Announcement>();
  /** Last looked up id and its key: a received transaction is looked up several times. */
  #lastHash: Uint8Array | null = null;
  #lastKey = '';
  #total = 0;
  #byTxid = 0;
  readonly #salt = crypto.randomBytes(4).readUInt32LE();

  get size(): number {
    return this.#byHash.size;
  }
  /** Returns whether so many more announcements of a peer exceed its limit, or its share while all peers have many. */
  isFull(peer: Peer, more = 1): boolean {
    const count = this.count(peer) + more;
    return count > MAX_PEER_TX_ANNOUNCEMENTS || (this.#total >= MANY_ANNOUNCEMENTS && count > FAIR_ANNOUNCEMENTS);
  }
  /** Number of announcements by txid. Most peers announce wtxids. */
  get byTxid(): number {
    return this.#byTxid;
  }
  /** Number of announcements with a due time. */
  get timers(): number {
    return this.#timers.size;
  }
  /** Returns the number of a peer's announcements. */
  count(peer: Peer): number {
    return this.#byPeer.get(peer)?.all.size ?? 0;
  }
  /** Returns the number of unanswered requests to a peer. */
  countInFlight(peer: Peer): number {
    return this.#byPeer.get(peer)?.requested ?? 0;
  }

  /** Returns the announcers of a transaction that have not been asked yet. */
  candidates(hash: TxHash): Peer[] {
    const all = this.#byHash.get(this.#key(hash)) ?? [];
    return all.filter(({ state }) => state !== 'done').map(({ peer }) => peer);
  }

  /** Adds an announcement. @param dueMs when the transaction may be requested */
  noteAnnounced(peer: Peer, hash: TxHash, byWtxid: boolean, preferred: boolean, dueMs: number): void {
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

  /** Returns the map key of a hash. */
  #key(hash: TxHash): string {
    if (hash !== this.#lastHash) {
      this.#lastHash = hash;
      this.#lastKey = hashKey(hash);
    }
    return this.#lastKey;
  }

  /** Takes the requests that are due for a peer. Each must be followed by noteRequested() or forgetTx(). */
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

  /** Records a request. @param giveUpMs when another peer is asked instead */
  noteRequested(peer: Peer, hash: TxHash, giveUpMs: number): void {
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

  /** Called when a peer does not have a requested transaction. Ignored for other transactions. */
  notFound(peer: Peer, hash: TxHash): void {
    const announcement = this.#byPeer.get(peer)?.all.get(this.#key(hash));
    if (announcement?.state === 'requested') this.#finish(announcement);
  }

  /** Called when a peer sent a transaction. @returns whether the peer had announced this hash as a wtxid */
  noteAnswered(peer: Peer, hash: TxHash): boolean {
    const announcement = this.#byPeer.get(peer)?.all.get(this.#key(hash));
    if (announcement !== undefined) this.#finish(announcement);
    return announcement?.byWtxid === true;
  }

  /** Drops a transaction: no peer is asked for it any more. */
  forgetTx(hash: TxHash): void {
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

  /** Removes all announcements of a disconnected peer. */
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

  /** Ends an announcement: removes its timer and its counts. */
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
    // Every announcer was asked. The transaction may be announced again.
    if (announcement.all.every(({ state }) => state === 'done')) this.#forgetKey(announcement.key);
    else this.#choose(announcement.all);
  }

  /** Chooses the peer to ask, unless a request is open. */
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
    // Choose only after all due announcements are ready, so that the best one is chosen and not the first.
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

function hashRank(hash: TxHash): number {
  return ((hash[0] as number) | ((hash[1] as number) << 8) | ((hash[2] as number) << 16) | ((hash[3] as number) << 24)) >>> 0;
}
