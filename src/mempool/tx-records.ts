// The transactions of the mempool as rows with records in shared memory, found by txid, wtxid and spent outpoint. TxPool
// alone adds and removes rows.
import type { Txid, Wtxid } from '../consensus/ids.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { RECORD_HEADER, WTXID_AT } from '../jobs/assemble-messages.js';
import type { ListenerGuard } from '../lib/listener-guard.js';
import { type EntryStore, type LockPoints, MempoolEntry, type StoredTx, storedTx, txInPlace } from './entry.js';
import { IdTable } from './id-table.js';
import { LinkTable } from './link-table.js';
import { compareIds, RecordArena } from './record-arena.js';
import { NO_ROW, Rows } from './rows.js';
import { SpenderTable } from './spender-table.js';

/** Follower of changes by row, such as the assembler's mirror. It may hold a removed row. */
export interface RowListener {
  added(row: number): void;
  removed(row: number): void;
  changed(row: number): void;
  /** Called when the row's record has moved. */
  moved(row: number): void;
  /** Called after another method of the follower threw. The follower's copy of the rows may be wrong. */
  failed(): void;
}

export class TxRecords implements EntryStore {
  readonly rows = new Rows();
  readonly links = new LinkTable(this.rows);
  readonly arena: RecordArena;
  /** Lock points of rows with FLAG.sequenceLock. The map is small, because most payments have no relative locks. */
  readonly locks = new Map<number, LockPoints>();
  readonly #byTxid: IdTable;
  readonly #byWtxid: IdTable;
  readonly #spenders: SpenderTable;
  readonly #followers: RowListener[] = [];
  readonly #guard: ListenerGuard;
  #hashes: Hashes | null = null;
  #txBytes = 0;
  #serial = 0;

  /** @param segmentBytes see MempoolOptions @param guard runs the followers */
  constructor(segmentBytes: number, guard: ListenerGuard) {
    this.#guard = guard;
    this.arena = new RecordArena(this.rows, segmentBytes, (row) => this.notify('moved', row));
    this.#byTxid = new IdTable(this.rows, this.arena, 0);
    this.#byWtxid = new IdTable(this.rows, this.arena, 32);
    this.#spenders = new SpenderTable(this.rows, this.arena);
  }

  get size(): number {
    return this.#byTxid.size;
  }
  /** Serialised bytes of all transactions. */
  get txBytes(): number {
    return this.#txBytes;
  }
  /** Hash functions for views, taken from the first added transaction. */
  get hashes(): Hashes {
    if (this.#hashes === null) throw new Error('the pool has not received a transaction yet');
    return this.#hashes;
  }
  /** Serial of the newest row. */
  get lastSerial(): number {
    return this.#serial;
  }

  /** Returns the row of a txid (32 bytes at `at`, internal order); NO_ROW if it is not in the mempool. */
  find(txid: Txid, at = 0): number {
    return this.#byTxid.get(txid, at);
  }
  /** Returns the row of a wtxid, like `find`. */
  findWitness(wtxid: Wtxid, at = 0): number {
    return this.#byWtxid.get(wtxid, at);
  }
  /** Returns the row that spends an outpoint (36 bytes at `at`); NO_ROW for none. */
  spender(outpoint: Uint8Array, at = 0): number {
    return this.#spenders.get(outpoint, at);
  }
  /** Returns the rows that spend outputs of a transaction, one for each spent output. */
  spendersOf(txid: Txid, outputCount: number): number[] {
    const found: number[] = [];
    const outpoint = new Uint8Array(36);
    outpoint.set(txid);
    const view = new DataView(outpoint.buffer);
    for (let i = 0; i < outputCount; i++) {
      view.setUint32(32, i, true);
      const child = this.spender(outpoint);
      if (child !== NO_ROW) found.push(child);
    }
    return found;
  }
  /** Returns a view of a row that is in the mempool or held. */
  entry(row: number): MempoolEntry {
    return new MempoolEntry(this, row);
  }
  /** Returns the offset of a row's wtxid in its segment of the arena. */
  wtxidAt(row: number): number {
    return this.rows.offset[row] + WTXID_AT;
  }
  /** Returns the stored transaction of a row that is in the mempool or held, not parsed. */
  stored(row: number): StoredTx {
    return storedTx(this, row);
  }
  /** Returns a view of a row's transaction in place, in shared memory, for reading at once. */
  tx(row: number): TxView {
    return txInPlace(this, row);
  }
  /** Returns the bytes of a row's transaction in place. They stay valid while the row is in the mempool or held. */
  bytesOf(row: number): Uint8Array {
    const from = this.rows.offset[row] + RECORD_HEADER;
    return this.arena.bytesOf(row).subarray(from, from + this.rows.length[row]);
  }

  /** Compares two rows by txid in Core's order, as the function of the same name in record-arena.ts does. */
  compareIds = (a: number, b: number): number => compareIds(this.rows, this.arena, a, b);

  follow(follower: RowListener): void {
    this.#followers.push(follower);
  }
  notify(event: 'added' | 'removed' | 'changed' | 'moved', row: number): void {
    for (const follower of this.#followers) {
      if (!this.#guard.run('mempool rows', () => follower[event](row))) follower.failed();
    }
  }

  /**
   * Holds a row: its figures and bytes remain readable after its transaction leaves, until `release` was called as
   * often as `hold`.
   */
  hold(row: number): void {
    this.rows.holds[row]++;
  }
  release(row: number): void {
    if (--this.rows.holds[row] === 0 && !this.rows.isHere(row)) this.#recycle(row);
  }
  #recycle(row: number): void {
    this.arena.free(row);
    this.rows.serial[row] = 0;
    this.rows.recycle(row);
  }

  /** Stores a transaction and its ids. @param fill sets the figures of the new row */
  add(tx: TxView, fill: (row: number) => void): number {
    this.#hashes ??= tx.hashes;
    const { rows } = this;
    const row = rows.allocate();
    fill(row);
    this.#serial = (this.#serial + 1) >>> 0 || 1;
    rows.serial[row] = this.#serial;
    this.links.clear(row);
    this.arena.store(row, tx);
    this.#byTxid.add(row);
    this.#byWtxid.add(row);
    for (let i = 0; i < tx.inputCount; i++) this.#spenders.add(row, RECORD_HEADER + tx.outpointAt(i) - tx.start);
    this.#txBytes += tx.totalSize;
    return row;
  }

  /** Removes a row from the tables. Its figures and bytes stay until it is released. @param tx the row's transaction */
  delete(row: number, tx: TxView): void {
    this.#byTxid.delete(row);
    this.#byWtxid.delete(row);
    for (let i = 0; i < tx.inputCount; i++) this.#spenders.delete(row, RECORD_HEADER + tx.outpointAt(i) - tx.start);
    this.#txBytes -= this.rows.length[row];
    this.locks.delete(row);
  }
}
