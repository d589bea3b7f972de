// Transactions whose inputs are not known yet wait here for their parents, few and not for long (Core's TxOrphanage). By wtxid: which of
// several witnesses is right shows only when the parents are here, and a copy with a wrong one must not keep the right one out.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Peer } from '../peer/peer.js';

/** Weight above which a transaction may not wait. */
const MAX_ORPHAN_WEIGHT = 400_000;
const EXPIRE_SECONDS = 20 * 60;
/** Expired ones are looked for at most this often. */
const SWEEP_SECONDS = 5 * 60;

export interface Orphan {
  readonly tx: TxView;
  readonly peer: Peer;
  readonly expiresAt: number;
}

export class Orphanage {
  readonly #byWtxid = new Map<string, Orphan>();
  /** By the outpoint's transaction: who waits for it. */
  readonly #waiting = new Map<string, Set<Orphan>>();
  #sweepAt = 0;

  constructor(
    private readonly most: number,
    private readonly random: () => number,
  ) {}

  get size(): number {
    return this.#byWtxid.size;
  }
  has(wtxid: Uint8Array): boolean {
    return this.#byWtxid.has(hashKey(wtxid));
  }

  /** Keeps one; limit() is due afterwards. @returns false when it is too large or known */
  add(tx: TxView, peer: Peer, nowSeconds: number): boolean {
    const key = hashKey(tx.wtxid);
    if (this.#byWtxid.has(key) || tx.weight > MAX_ORPHAN_WEIGHT) return false;
    const orphan: Orphan = { tx, peer, expiresAt: nowSeconds + EXPIRE_SECONDS };
    this.#byWtxid.set(key, orphan);
    for (let i = 0; i < tx.inputCount; i++) {
      const parent = hashKey(tx.prevHash(i));
      const waiting = this.#waiting.get(parent);
      if (waiting === undefined) this.#waiting.set(parent, new Set([orphan]));
      else waiting.add(orphan);
    }
    return true;
  }

  /** Those that wait for a transaction, in order of arrival. */
  childrenOf(txid: Uint8Array): Orphan[] {
    return [...(this.#waiting.get(hashKey(txid)) ?? [])];
  }

  remove(tx: TxView): void {
    const key = hashKey(tx.wtxid);
    const orphan = this.#byWtxid.get(key);
    if (orphan === undefined) return;
    this.#byWtxid.delete(key);
    for (let i = 0; i < orphan.tx.inputCount; i++) {
      const parent = hashKey(orphan.tx.prevHash(i));
      const waiting = this.#waiting.get(parent);
      waiting?.delete(orphan);
      if (waiting?.size === 0) this.#waiting.delete(parent);
    }
  }

  forgetPeer(peer: Peer): number {
    let removed = 0;
    for (const orphan of [...this.#byWtxid.values()]) {
      if (orphan.peer !== peer) continue;
      this.remove(orphan.tx);
      removed++;
    }
    return removed;
  }

  /** A block came: what it confirms, or what spends what it spends, need not wait. */
  onBlock(txs: readonly TxView[]): void {
    if (this.#byWtxid.size === 0) return;
    const spent = new Set<string>();
    for (const tx of txs) for (let i = 0; i < tx.inputCount; i++) spent.add(hashKey(tx.outpoint(i)));
    for (const { tx } of [...this.#byWtxid.values()]) {
      for (let i = 0; i < tx.inputCount; i++) {
        if (!spent.has(hashKey(tx.outpoint(i)))) continue;
        this.remove(tx);
        break;
      }
    }
  }

  /** Throws out what waited too long, and any others while there are too many. @returns how many of those */
  limit(nowSeconds: number): number {
    let evicted = 0;
    if (nowSeconds >= this.#sweepAt) {
      for (const orphan of [...this.#byWtxid.values()]) if (orphan.expiresAt <= nowSeconds) this.remove(orphan.tx);
      this.#sweepAt = nowSeconds + SWEEP_SECONDS;
    }
    while (this.#byWtxid.size > this.most) {
      // Any one: nobody can arrange to keep his own.
      let at = Math.floor(this.random() * this.#byWtxid.size);
      for (const { tx } of this.#byWtxid.values()) {
        if (at-- > 0) continue;
        this.remove(tx);
        evicted++;
        break;
      }
    }
    return evicted;
  }
}
