// Transactions whose inputs are not known yet wait here for their parents (Core's TxOrphanage since version 30). By
// wtxid: which of several witnesses is right shows only when the parents are here, and a copy with a wrong one must not
// keep the right one out. Each is held for those who announced it, and leaves with the last of them. No peer can push
// out what another one brought: when there is too much, the peer that uses most of its share loses its own oldest ones.
//
// The share is counted twice: in weight, which stands for memory, and in a score of one for each announcement and one
// for every ten inputs, which stands for the time that a block or a peer's end may take here.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Peer } from '../peer/peer.js';

/** Weight above which a transaction may not wait. */
const MAX_ORPHAN_WEIGHT = 400_000;
/** Inputs that count as much as one announcement. */
const INPUTS_PER_POINT = 10;

export interface OrphanLimits {
  /** Score of all peers together; each has an equal share. */
  readonly score: number;
  /** Weight units for each peer that brought any. */
  readonly weightPerPeer: number;
}

/** One that waits. */
export interface Orphan {
  readonly tx: TxView;
  /** Those who announced it, in order. */
  readonly announcers: readonly Peer[];
}

interface Waiting {
  readonly tx: TxView;
  readonly key: string;
  readonly weight: number;
  /** Its inputs' part of the score. */
  readonly inputPoints: number;
  readonly announcements: Map<Peer, Announcement>;
  /** The announcement under which it is to be looked at again, when a parent has come. */
  ready: Announcement | null;
}

interface Announcement {
  readonly orphan: Waiting;
  readonly peer: Peer;
  /** Counts all announcements: the oldest is the smallest. */
  readonly sequence: number;
}

/** What one peer uses. */
interface Share {
  /** By sequence. */
  readonly all: Set<Announcement>;
  readonly ready: Set<Announcement>;
  weight: number;
  score: number;
}

/** How much of its share a peer uses, as a fraction. */
interface Load {
  readonly used: number;
  readonly share: number;
}

const FULL: Load = { used: 1, share: 1 };

export class Orphanage {
  /** By key of the wtxid. */
  readonly #orphans = new Map<string, Waiting>();
  readonly #shares = new Map<Peer, Share>();
  /** By the key of the transaction that an input names, then by output: who spends it. */
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
  /** Pairs of a transaction and a peer. */
  get announcements(): number {
    return this.#announcements;
  }
  /** Of all transactions, each counted once. */
  get weight(): number {
    return this.#weight;
  }
  /** Of all announcements, the inputs of each transaction counted once. */
  get score(): number {
    return this.#announcements + this.#inputPoints;
  }

  has(wtxid: Uint8Array): boolean {
    return this.#orphans.size > 0 && this.#orphans.has(hashKey(wtxid));
  }
  get(wtxid: Uint8Array): TxView | undefined {
    return this.#orphans.size === 0 ? undefined : this.#orphans.get(hashKey(wtxid))?.tx;
  }
  hasFrom(wtxid: Uint8Array, peer: Peer): boolean {
    return this.#orphans.get(hashKey(wtxid))?.announcements.has(peer) === true;
  }
  /** In order of arrival. */
  list(): Orphan[] {
    return [...this.#orphans.values()].map(({ tx, announcements }) => ({ tx, announcers: [...announcements.keys()] }));
  }
  /** What a peer announced: how many, their weight, their score. */
  used(peer: Peer): { readonly announcements: number; readonly weight: number; readonly score: number } {
    const share = this.#shares.get(peer);
    return { announcements: share?.all.size ?? 0, weight: share?.weight ?? 0, score: share?.score ?? 0 };
  }

  /**
   * Keeps one for a peer; others may have to go for it, or it itself.
   * @returns whether it is new here, and was not too large
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

  /** Another peer has one that waits. */
  addAnnouncer(wtxid: Uint8Array, peer: Peer): void {
    const orphan = this.#orphans.get(hashKey(wtxid));
    if (orphan !== undefined) this.#announce(orphan, peer);
  }

  /** @returns whether it was here */
  remove(wtxid: Uint8Array): boolean {
    if (this.#orphans.size === 0) return false;
    const orphan = this.#orphans.get(hashKey(wtxid));
    if (orphan === undefined) return false;
    this.#remove(orphan);
    // A peer less is a share less.
    this.#limit();
    return true;
  }

  /** The peer is gone. @returns how many announcements went with it */
  forgetPeer(peer: Peer): number {
    const share = this.#shares.get(peer);
    if (share === undefined) return 0;
    const { size } = share.all;
    for (const announcement of share.all) this.#erase(announcement);
    this.#limit();
    return size;
  }

  /** A block came: what it confirms, or what spends what it spends, need not wait. @returns how many left */
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
   * A parent came: those that wait for it are to be looked at again, each at the expense of one of its announcers.
   * @returns whether any is
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
        // At random: no peer can arrange that its announcement is chosen.
        const announcement = announcements[Math.floor(this.#random() * announcements.length)] as Announcement;
        orphan.ready = announcement;
        (this.#shares.get(announcement.peer) as Share).ready.add(announcement);
        any = true;
      }
    }
    return any;
  }

  /** Whether something of a peer's is to be looked at again. */
  hasReady(peer: Peer): boolean {
    return (this.#shares.get(peer)?.ready.size ?? 0) > 0;
  }

  /** Peers with something to be looked at again. */
  *readyPeers(): Generator<Peer> {
    for (const [peer, { ready }] of this.#shares) if (ready.size > 0) yield peer;
  }

  /**
   * The next of a peer's to be looked at again; it stays here, and is not looked at again before another parent comes.
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

  /** Those that spend a transaction and that a peer announced: first those to be looked at again, then the newest. */
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

  /** Takes an announcement away, and the transaction with the last one. */
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
   * Evicts from the peer that uses most of its share until all is within bounds: the oldest first, those pending a new
   * look last.
   */
  #limit(): void {
    if (!this.#tooMuch) return;
    // As they are now, though shares grow when a peer has nothing left.
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
        // Among equals the newest peer.
        if (order > 0 || (order === 0 && worst !== undefined && peer.id > worstId)) {
          [worst, worstId, second, most] = [share, peer.id, most, load];
        } else if (compareLoads(load, second) > 0) second = load;
      }
      // Some peer uses more than its share when all together use more than there is.
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

/** By the fraction, and among equal ones the score, whose share is the smaller number, counts for more. */
function compareLoads(a: Load, b: Load): number {
  return a.used * b.share - b.used * a.share || b.share - a.share;
}
