// Orphans: transactions with unknown parents (Core's TxOrphanage since version 30). They are stored by wtxid, because
// which of several witnesses is valid shows only when the parents arrive, and a copy with an invalid one must not
// exclude the valid one. Each is held for its announcers and removed with the last of them. No peer can evict what
// another one announced: when there is too much, the peer that uses most of its share loses its oldest announcements.
//
// A share is measured in weight, which stands for memory, and in a score of one per announcement and one per ten
// inputs, which stands for the time that this class needs when a block arrives or a peer disconnects.

import { hashKey } from '../../consensus/bytes/hex.js';
import type { Wtxid } from '../../consensus/ids.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Peer } from '../peer/peer.js';

/** Weight above which a transaction is not stored. */
const MAX_ORPHAN_WEIGHT = 400_000;
/** Inputs that add one to the score. */
const INPUTS_PER_POINT = 10;

export interface OrphanLimits {
  /** Largest total score. Each peer has an equal share. */
  readonly score: number;
  /** Weight units for each peer that announced any orphan. */
  readonly weightPerPeer: number;
}

/** An orphan as listed by RPC. */
export interface Orphan {
  readonly tx: TxView;
  /** Announcers in order of time. */
  readonly announcers: readonly Peer[];
}

interface Waiting {
  readonly tx: TxView;
  readonly key: string;
  readonly weight: number;
  /** Points that the orphan's inputs add to the score. */
  readonly inputPoints: number;
  readonly announcements: Map<Peer, Announcement>;
  /** Announcement under which the orphan is to be validated again because a parent arrived. */
  ready: Announcement | null;
}

interface Announcement {
  readonly orphan: Waiting;
  readonly peer: Peer;
  /** Number of the announcement; the oldest is the smallest. */
  readonly sequence: number;
}

/** Usage of one peer. */
interface Share {
  /** Announcements of the peer, in order of their sequence numbers. */
  readonly all: Set<Announcement>;
  readonly ready: Set<Announcement>;
  weight: number;
  score: number;
}

/** Use of a share, as a fraction. */
interface Load {
  readonly used: number;
  readonly share: number;
}

const FULL: Load = { used: 1, share: 1 };

export class Orphanage {
  /** Orphans by key of the wtxid. */
  readonly #orphans = new Map<string, Waiting>();
  readonly #shares = new Map<Peer, Share>();
  /** Orphans that spend an output, by key of the txid and output index. */
  readonly #spenders = new Map<string, Map<number, Set<Waiting>>>();
  #sequence = 0;
  #announcements = 0;
  #weight = 0;
  #inputPoints = 0;
  readonly #limits: OrphanLimits;
  readonly #random: () => number;

  constructor(limits: OrphanLimits, random: () => number) {
    this.#limits = limits;
    this.#random = random;
  }

  get size(): number {
    return this.#orphans.size;
  }
  /** Number of pairs of an orphan and a peer. */
  get announcements(): number {
    return this.#announcements;
  }
  /** Weight of all orphans, each counted once. */
  get weight(): number {
    return this.#weight;
  }
  /** Score of all announcements; the inputs of each orphan are counted once. */
  get score(): number {
    return this.#announcements + this.#inputPoints;
  }

  has(wtxid: Wtxid): boolean {
    return this.#orphans.size > 0 && this.#orphans.has(hashKey(wtxid));
  }
  get(wtxid: Wtxid): TxView | undefined {
    return this.#orphans.size === 0 ? undefined : this.#orphans.get(hashKey(wtxid))?.tx;
  }
  hasFrom(wtxid: Wtxid, peer: Peer): boolean {
    return this.#orphans.get(hashKey(wtxid))?.announcements.has(peer) === true;
  }
  /** Returns all orphans in order of arrival. */
  list(): Orphan[] {
    return [...this.#orphans.values()].map(({ tx, announcements }) => ({ tx, announcers: [...announcements.keys()] }));
  }
  /** Returns the announcements of a peer, their weight and their score. */
  used(peer: Peer): { readonly announcements: number; readonly weight: number; readonly score: number } {
    const share = this.#shares.get(peer);
    return { announcements: share?.all.size ?? 0, weight: share?.weight ?? 0, score: share?.score ?? 0 };
  }

  /**
   * Stores an orphan for a peer. If a limit is exceeded, other orphans or this one are evicted.
   * @returns whether the orphan was unknown and not too large
   */
  add(tx: TxView, peer: Peer): boolean {
    const key = hashKey(tx.wtxid);
    const known = this.#orphans.get(key);
    if (known !== undefined) {
      this.#announce(known, peer);
      return false;
    }
    const { weight } = tx;
    if (weight > MAX_ORPHAN_WEIGHT) return false;
    const inputPoints = Math.floor(tx.inputCount / INPUTS_PER_POINT);
    const orphan: Waiting = { tx, key, weight, inputPoints, announcements: new Map(), ready: null };
    this.#orphans.set(key, orphan);
    this.#weight += weight;
    this.#inputPoints += inputPoints;
    for (let i = 0; i < tx.inputCount; i++) {
      const parent = hashKey(tx.prevHash(i));
      let outputs = this.#spenders.get(parent);
      if (outputs === undefined) this.#spenders.set(parent, (outputs = new Map()));
      const spenders = outputs.get(tx.prevIndex(i));
      if (spenders === undefined) outputs.set(tx.prevIndex(i), new Set([orphan]));
      else spenders.add(orphan);
    }
    this.#announce(orphan, peer);
    return true;
  }

  /** Adds an announcer to a stored orphan. */
  addAnnouncer(wtxid: Wtxid, peer: Peer): void {
    const orphan = this.#orphans.get(hashKey(wtxid));
    if (orphan !== undefined) this.#announce(orphan, peer);
  }

  /** @returns whether the orphan was stored */
  remove(wtxid: Wtxid): boolean {
    if (this.#orphans.size === 0) return false;
    const orphan = this.#orphans.get(hashKey(wtxid));
    if (orphan === undefined) return false;
    this.#remove(orphan);
    // The number of shares may have changed.
    this.#limit();
    return true;
  }

  /** Removes the announcements of a peer. @returns their number */
  forgetPeer(peer: Peer): number {
    const share = this.#shares.get(peer);
    if (share === undefined) return 0;
    const { size } = share.all;
    for (const announcement of share.all) this.#erase(announcement);
    this.#limit();
    return size;
  }

  /** Removes orphans that a block confirms or conflicts with. @returns their number */
  onBlock(txs: readonly TxView[]): number {
    let removed = 0;
    for (const tx of txs) {
      if (this.#orphans.size === 0) return removed;
      for (let i = 0; i < tx.inputCount; i++) {
        const spenders = this.#spenders.get(hashKey(tx.prevHash(i)))?.get(tx.prevIndex(i));
        if (spenders === undefined) continue;
        for (const orphan of [...spenders]) {
          this.#remove(orphan);
          removed++;
        }
      }
    }
    if (removed > 0) this.#limit();
    return removed;
  }

  /**
   * Marks the children of an accepted transaction for another validation, each at the expense of one of its announcers.
   * @returns whether any child was marked
   */
  markChildrenReady(parent: TxView): boolean {
    if (this.#orphans.size === 0) return false;
    const outputs = this.#spenders.get(hashKey(parent.txid));
    if (outputs === undefined) return false;
    let any = false;
    for (const [output, spenders] of outputs) {
      if (output >= parent.outputCount) continue;
      for (const orphan of spenders) {
        if (orphan.ready !== null) continue;
        const announcements = [...orphan.announcements.values()];
        // Random, so that no peer can arrange that its announcement is chosen.
        const announcement = announcements[Math.floor(this.#random() * announcements.length)] as Announcement;
        orphan.ready = announcement;
        (this.#shares.get(announcement.peer) as Share).ready.add(announcement);
        any = true;
      }
    }
    return any;
  }

  /** Returns whether a peer has orphans to validate again. */
  hasReady(peer: Peer): boolean {
    return (this.#shares.get(peer)?.ready.size ?? 0) > 0;
  }

  /** Returns the peers that have orphans to validate again. */
  *readyPeers(): Generator<Peer> {
    for (const [peer, { ready }] of this.#shares) if (ready.size > 0) yield peer;
  }

  /**
   * Takes the next orphan of a peer to validate again. The orphan stays stored, and is not validated again before
   * another parent arrives.
   */
  takeReady(peer: Peer): TxView | undefined {
    const ready = this.#shares.get(peer)?.ready;
    for (const announcement of ready ?? []) {
      ready?.delete(announcement);
      announcement.orphan.ready = null;
      return announcement.orphan.tx;
    }
    return undefined;
  }

  /** Returns the children of a transaction that a peer announced: first those to be validated again, then the newest. */
  childrenOf(parent: TxView, peer: Peer): TxView[] {
    const found = new Set<Announcement>();
    for (const spenders of this.#spenders.get(hashKey(parent.txid))?.values() ?? []) {
      for (const { announcements } of spenders) {
        const announcement = announcements.get(peer);
        if (announcement !== undefined) found.add(announcement);
      }
    }
    const isReady = (announcement: Announcement): number => Number(announcement.orphan.ready === announcement);
    return [...found].sort((a, b) => isReady(b) - isReady(a) || b.sequence - a.sequence).map(({ orphan }) => orphan.tx);
  }

  #announce(orphan: Waiting, peer: Peer): void {
    if (orphan.announcements.has(peer)) return;
    const announcement: Announcement = { orphan, peer, sequence: this.#sequence++ };
    orphan.announcements.set(peer, announcement);
    this.#announcements++;
    let share = this.#shares.get(peer);
    if (share === undefined) this.#shares.set(peer, (share = { all: new Set(), ready: new Set(), weight: 0, score: 0 }));
    share.all.add(announcement);
    share.weight += orphan.weight;
    share.score += 1 + orphan.inputPoints;
    this.#limit();
  }

  #remove(orphan: Waiting): void {
    for (const announcement of orphan.announcements.values()) this.#erase(announcement);
  }

  /** Removes an announcement, and its orphan with the last one. */
  #erase(announcement: Announcement): void {
    const { orphan, peer } = announcement;
    const share = this.#shares.get(peer) as Share;
    share.all.delete(announcement);
    share.ready.delete(announcement);
    if (orphan.ready === announcement) orphan.ready = null;
    share.weight -= orphan.weight;
    share.score -= 1 + orphan.inputPoints;
    if (share.all.size === 0) this.#shares.delete(peer);
    this.#announcements--;
    orphan.announcements.delete(peer);
    if (orphan.announcements.size > 0) return;
    this.#orphans.delete(orphan.key);
    this.#weight -= orphan.weight;
    this.#inputPoints -= orphan.inputPoints;
    const { tx } = orphan;
    for (let i = 0; i < tx.inputCount; i++) {
      const parent = hashKey(tx.prevHash(i));
      const outputs = this.#spenders.get(parent);
      const spenders = outputs?.get(tx.prevIndex(i));
      spenders?.delete(orphan);
      if (spenders?.size === 0) outputs?.delete(tx.prevIndex(i));
      if (outputs?.size === 0) this.#spenders.delete(parent);
    }
  }

  get #tooMuch(): boolean {
    return this.score > this.#limits.score || this.#weight > this.#limits.weightPerPeer * Math.max(1, this.#shares.size);
  }

  /**
   * Evicts announcements of the peer that uses most of its share until the limits hold: oldest first, those to be
   * validated again last.
   */
  #limit(): void {
    if (!this.#tooMuch) return;
    // Compute each peer's share only once. It may grow during the loop, when another peer has no announcements left.
    const shareOfScore = Math.floor(this.#limits.score / Math.max(1, this.#shares.size));
    const loadOf = ({ weight, score }: Share): Load => {
      const byScore = { used: score, share: shareOfScore };
      const byWeight = { used: weight, share: this.#limits.weightPerPeer };
      return compareLoads(byScore, byWeight) >= 0 ? byScore : byWeight;
    };
    while (this.#tooMuch) {
      let worst: Share | undefined;
      let worstId = 0;
      let [most, second] = [FULL, FULL];
      for (const [peer, share] of this.#shares) {
        const load = loadOf(share);
        const order = compareLoads(load, most);
        // Among equals, choose the newest peer.
        if (order > 0 || (order === 0 && worst !== undefined && peer.id > worstId)) {
          [worst, worstId, second, most] = [share, peer.id, most, load];
        } else if (compareLoads(load, second) > 0) second = load;
      }
      // If all peers together exceed the limit, some peer exceeds its share.
      if (worst === undefined) return;
      for (const wanted of [false, true]) {
        for (const announcement of worst.all) {
          if (worst.ready.has(announcement) !== wanted) continue;
          this.#erase(announcement);
          if (!this.#tooMuch) return;
          if (compareLoads(loadOf(worst), second) <= 0) break;
        }
        if (compareLoads(loadOf(worst), second) <= 0) break;
      }
    }
  }
}

/**
 * Compares the used fractions of two shares. Of two equal fractions, the one of the smaller share sorts as the larger
 * load.
 */
function compareLoads(a: Load, b: Load): number {
  return a.used * b.share - b.used * a.share || b.share - a.share;
}
