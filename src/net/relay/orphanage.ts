// Transactions whose inputs are not known yet wait here for their parents, few and not for long (Core's orphan map). Callers: TxRelay.
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
  readonly #byTxid = new Map<string, Orphan>();
  readonly #byWtxid = new Map<string, Orphan>();
  /** By the outpoint's transaction: who waits for it. */
  readonly #waiting = new Map<string, Set<Orphan>>();
  #sweepAt = 0;

  constructor(
    private readonly most: number,
    private readonly random: () => number,
  ) {}

  get size(): number {
    return this.#byTxid.size;
  }
  has(hash: Uint8Array, byWtxid: boolean): boolean {
    return (byWtxid ? this.#byWtxid : this.#byTxid).has(hashKey(hash));
  }

  /** Keeps one; limit() is due afterwards. @returns false when it is too large or known */
  add(tx: TxView, peer: Peer, nowSeconds: number): boolean {
    const key = hashKey(tx.txid);
    if (this.#byTxid.has(key) || tx.weight > MAX_ORPHAN_WEIGHT) return false;
    const orphan: Orphan = { tx, peer, expiresAt: nowSeconds + EXPIRE_SECONDS };
    this.#byTxid.set(key, orphan);
    this.#byWtxid.set(hashKey(tx.wtxid), orphan);
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
    const key = hashKey(tx.txid);
    const orphan = this.#byTxid.get(key);
    if (orphan === undefined) return;
    this.#byTxid.delete(key);
    this.#byWtxid.delete(hashKey(orphan.tx.wtxid));
    for (let i = 0; i < orphan.tx.inputCount; i++) {
      const parent = hashKey(orphan.tx.prevHash(i));
      const waiting = this.#waiting.get(parent);
      waiting?.delete(orphan);
      if (waiting?.size === 0) this.#waiting.delete(parent);
    }
  }

  forgetPeer(peer: Peer): number {
    let removed = 0;
    for (const orphan of [...this.#byTxid.values()]) {
      if (orphan.peer !== peer) continue;
      this.remove(orphan.tx);
      removed++;
    }
    return removed;
  }

  /** A block came: what it confirms, or what spends what it spends, need not wait. */
  onBlock(txs: readonly TxView[]): void {
    if (this.#byTxid.size === 0) return;
    const spent = new Set<string>();
    for (const tx of txs) for (let i = 0; i < tx.inputCount; i++) spent.add(hashKey(tx.outpoint(i)));
    for (const { tx } of [...this.#byTxid.values()]) {
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
      for (const orphan of [...this.#byTxid.values()]) if (orphan.expiresAt <= nowSeconds) this.remove(orphan.tx);
      this.#sweepAt = nowSeconds + SWEEP_SECONDS;
    }
    while (this.#byTxid.size > this.most) {
      // Any one: nobody can arrange to keep his own.
      let at = Math.floor(this.random() * this.#byTxid.size);
      for (const { tx } of this.#byTxid.values()) {
        if (at-- > 0) continue;
        this.remove(tx);
        evicted++;
        break;
      }
    }
    return evicted;
  }
}
