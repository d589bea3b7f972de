// Tracks which transactions of the wallet conflict with transactions in the mempool (Core's CWalletTx::mempool_conflicts).
// A coin that only conflicting transactions spend counts as unspent.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { outpointOf } from './outpoint.js';
import type { SpendTable } from './spend-table.js';
import { TX_STATE, type TxTable } from './tx-table.js';

export class PoolConflicts {
  /** Txids of the conflicting transactions in the mempool with their map keys, by the row of the wallet's transaction. */
  readonly #rivals = new Map<number, Map<string, Uint8Array>>();
  readonly #txs: TxTable;
  readonly #spends: SpendTable;
  /** Called with each row whose conflicts changed. */
  readonly #onChanged: (row: number) => void;

  constructor(txs: TxTable, spends: SpendTable, onChanged: (row: number) => void) {
    this.#txs = txs;
    this.#spends = spends;
    this.#onChanged = onChanged;
  }

  has(row: number): boolean {
    return this.#rivals.has(row);
  }

  /** Returns the sorted txids of the transactions in the mempool that conflict with a transaction. */
  txidsOf(row: number): Uint8Array[] {
    return [...(this.#rivals.get(row)?.values() ?? [])].sort(Buffer.compare);
  }

  /**
   * Records that a transaction entered the mempool: all others that spend the same outputs conflict with it, and so do
   * their descendants.
   */
  enter(tx: TxView): void {
    const changed = new Set<number>();
    const txid = tx.txid.slice();
    const id = hashKey(txid);
    this.#eachRival(tx, true, (first) =>
      this.#walk(first, (row) => {
        const rivals = this.#rivals.get(row);
        if (rivals?.has(id)) return false;
        if (rivals) rivals.set(id, txid);
        else this.#rivals.set(row, new Map([[id, txid]]));
        changed.add(row);
        return true;
      }),
    );
    for (const row of changed) this.#onChanged(row);
  }

  /** Records that a transaction left the mempool. */
  leave(tx: TxView): void {
    if (this.#rivals.size === 0) return;
    const changed = new Set<number>();
    const id = hashKey(tx.txid);
    this.#eachRival(tx, false, (first) =>
      this.#walk(first, (row) => {
        const rivals = this.#rivals.get(row);
        if (!rivals?.delete(id)) return false;
        if (rivals.size === 0) this.#rivals.delete(row);
        changed.add(row);
        return true;
      }),
    );
    for (const row of changed) this.#onChanged(row);
  }

  /** Forgets all conflicts, before the whole mempool enters again. */
  clear(): void {
    const rows = [...this.#rivals.keys()];
    this.#rivals.clear();
    for (const row of rows) this.#onChanged(row);
  }

  /** Forgets the conflicts of a removed transaction. */
  remove(row: number): void {
    this.#rivals.delete(row);
  }

  /**
   * Visits the transactions that spend an output which `tx` spends, and the siblings of a transaction of version 3, which
   * cannot be in the mempool at the same time (BIP-0431).
   * @param onlyUnconfirmed whether to omit the children of confirmed parents, of which any number may be in the mempool
   */
  #eachRival(tx: TxView, onlyUnconfirmed: boolean, visit: (row: number) => void): void {
    if (tx.isCoinbase) return;
    const own = this.#txs.find(tx.txid);
    const spendersOf = (outpoint: Uint8Array): void => {
      if (!this.#spends.has(outpoint)) return;
      for (const row of this.#spends.spenders(outpoint)) if (row !== own) visit(row);
    };
    for (let i = 0; i < tx.inputCount; i++) {
      spendersOf(tx.outpoint(i));
      if (tx.version !== 3) continue;
      const parent = this.#txs.find(tx.prevHash(i));
      if (parent < 0 || (onlyUnconfirmed && this.#txs.state(parent) !== TX_STATE.UNCONFIRMED)) continue;
      for (let vout = 0; vout < this.#txs.outputCount(parent); vout++) spendersOf(outpointOf(this.#txs.txid(parent), vout));
    }
  }

  /** Changes a transaction and then its descendants, as long as `change` returns true. */
  #walk(first: number, change: (row: number) => boolean): void {
    const todo = [first];
    for (let row = todo.pop(); row !== undefined; row = todo.pop()) {
      if (!change(row)) continue;
      for (let vout = 0; vout < this.#txs.outputCount(row); vout++) {
        for (const spender of this.#spends.spenders(outpointOf(this.#txs.txid(row), vout))) todo.push(spender);
      }
    }
  }
}
