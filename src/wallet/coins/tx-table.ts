// Table of a wallet's transactions as columns: found by txid, iterated in order of arrival. Bytes of transactions are
// on disk. Transactions outside the best chain are also kept parsed, because decisions about them need their inputs. If
// a transaction was seen with several witnesses, which is rare, all of its versions are also in memory.
import { compareBytes, equalBytes } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { TableImage } from '../image/table-image.js';
import { WALLET_PREFIX, walletKey } from '../storage/layout.js';
import { packRow, unpackRow } from '../storage/rows.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import { ByteTable, grown } from '../tables/byte-table.js';
import { HeightOrder } from './height-order.js';
import { bytesKeyOf, decodeTxRow, decodeTxValues, encodeTxRow, type TxRow, wtxidIn } from './tx-row.js';
import { TxidOrder } from './txid-order.js';

/** State of a transaction in this wallet. */
export const TX_STATE = { UNCONFIRMED: 0, CONFIRMED: 1, CONFLICTED: 2, ABANDONED: 3 } as const;
export type TxState = (typeof TX_STATE)[keyof typeof TX_STATE];

/**
 * Block of a record: the one that confirms it, or the one that conflicts with it. Position -1: the record is in no
 * block.
 */
export interface TxPlace {
  readonly state: TxState;
  readonly height: number;
  readonly blockHash: Uint8Array;
  readonly blockTime: number;
  readonly position: number;
  /** Smart time for the record, seconds; absent: computed from the time of arrival. */
  readonly shownTime?: number;
}

const FLAG = { COINBASE: 1, IN_MEMPOOL: 2, SPENDS: 4, WTXID: 8 } as const;
const HASH = 32;
const NO_BLOCK = new Uint8Array(32);

/** Place of a record that is in no block. */
export const UNCONFIRMED_PLACE: TxPlace = { state: TX_STATE.UNCONFIRMED, height: 0, blockHash: NO_BLOCK, blockTime: 0, position: -1 };

export class TxTable {
  readonly #ids = new ByteTable();
  /** Hashes of blocks that records name. `#blockTimes` has their times. */
  readonly #blocks = new ByteTable();
  #blockTimes = new Float64Array(32);
  #states = new Uint8Array(32);
  #flags = new Uint8Array(32);
  #heights = new Int32Array(32);
  #positions = new Int32Array(32);
  #blockRows = new Int32Array(32);
  /** 1 if the row is in `#byHeight`. */
  #placed = new Uint8Array(32);
  #received = new Float64Array(32);
  #smart = new Float64Array(32);
  #orders = new Float64Array(32);
  #outputs = new Uint32Array(32);
  /** wtxids of 32 bytes per row, valid for rows with the flag WTXID. */
  #wtxids = new Uint8Array(32 * HASH);
  /** Rows in order of arrival. Removed rows stay and are skipped. */
  #arrivals = new Int32Array(32);
  #arrivalCount = 0;
  readonly #byHeight = new HeightOrder();
  readonly #byTxid = new TxidOrder(this.#ids);
  readonly #values = new Map<number, Map<string, string>>();
  readonly #views = new Map<number, TxView>();
  /** All versions of transactions with more than one version, including the record's. */
  readonly #versions = new Map<number, TxView[]>();
  readonly #conflicted = new Set<number>();
  /** Scratch object for the record that is being loaded. */
  readonly #record = {} as TxRow;

  get size(): number {
    return this.#ids.size;
  }
  /** Number of rows ever created, including removed ones. */
  get rowCount(): number {
    return this.#ids.rows;
  }
  /** Finds a row. @returns -1 if the transaction is unknown */
  find(txid: Uint8Array): number {
    return this.#ids.find(txid);
  }
  has(txid: Uint8Array): boolean {
    return this.#ids.has(txid);
  }
  txid(row: number): Uint8Array {
    return new Uint8Array(this.#ids.key(row));
  }
  rows(): Generator<number> {
    return this.#ids.liveRows();
  }
  /** Yields rows from the newest arrival to the oldest. */
  *newestFirst(): Generator<number> {
    for (let i = this.#arrivalCount - 1; i >= 0; i--) if (this.#ids.isLive(this.#arrivals[i])) yield this.#arrivals[i];
  }
  /** Yields rows from the oldest arrival to the newest. */
  *oldestFirst(): Generator<number> {
    for (let i = 0; i < this.#arrivalCount; i++) if (this.#ids.isLive(this.#arrivals[i])) yield this.#arrivals[i];
  }

  state(row: number): TxState {
    return this.#states[row] as TxState;
  }
  isCoinbase(row: number): boolean {
    return (this.#flags[row] & FLAG.COINBASE) !== 0;
  }
  inMempool(row: number): boolean {
    return (this.#flags[row] & FLAG.IN_MEMPOOL) !== 0;
  }
  setInMempool(row: number, inside: boolean): void {
    if (inside) this.#flags[row] |= FLAG.IN_MEMPOOL;
    else this.#flags[row] &= ~FLAG.IN_MEMPOOL;
  }
  /**
   * Returns whether an input spends an output that was the wallet's. If no input does, the wallet's coins describe the
   * transaction completely.
   */
  spendsOurs(row: number): boolean {
    return (this.#flags[row] & FLAG.SPENDS) !== 0;
  }
  setSpendsOurs(row: number): void {
    this.#flags[row] |= FLAG.SPENDS;
  }
  /** Returns a copy of the rows confirmed above a height, lowest first. */
  confirmedAbove(height: number): Int32Array {
    return this.#byHeight.above(height);
  }
  /**
   * Returns every row sorted by txid. The caller must not change the array. The next addition of a row makes the array
   * stale.
   */
  inTxidOrder(): Int32Array {
    return this.#byTxid.rows();
  }
  /** Compares the txids of two rows. */
  compareTxids(a: number, b: number): number {
    return this.#ids.compare(a, b);
  }
  /** Returns the id of the block that a row names, for `block()`; -1 without one. */
  blockId(row: number): number {
    return this.#blockRows[row];
  }
  block(id: number): { hash: Uint8Array; time: number } {
    return { hash: new Uint8Array(this.#blocks.key(id)), time: this.#blockTimes[id] };
  }
  height(row: number): number {
    return this.#heights[row];
  }
  position(row: number): number {
    return this.#positions[row];
  }
  blockHash(row: number): Uint8Array {
    return this.#blockRows[row] < 0 ? NO_BLOCK : new Uint8Array(this.#blocks.key(this.#blockRows[row]));
  }
  blockTime(row: number): number {
    return this.#blockRows[row] < 0 ? 0 : this.#blockTimes[this.#blockRows[row]];
  }
  /** Returns when the record was created, seconds. */
  received(row: number): number {
    return this.#received[row];
  }
  /** Returns the time that replies show as "time", seconds. */
  smartTime(row: number): number {
    return this.#smart[row];
  }
  order(row: number): number {
    return this.#orders[row];
  }
  outputCount(row: number): number {
    return this.#outputs[row];
  }
  /** Returns the wtxid; undefined for a record of an earlier version whose transaction has not been read yet. */
  wtxid(row: number): Uint8Array | undefined {
    return (this.#flags[row] & FLAG.WTXID) === 0 ? undefined : this.#wtxids.slice(row * HASH, (row + 1) * HASH);
  }
  hasWtxid(row: number): boolean {
    return (this.#flags[row] & FLAG.WTXID) !== 0;
  }
  setWtxid(row: number, wtxid: Uint8Array): void {
    this.#flags[row] |= FLAG.WTXID;
    this.#wtxids = grown(this.#wtxids, (row + 1) * HASH - 1);
    this.#wtxids.set(wtxid, row * HASH);
  }
  /** Returns the values comment, to, replaces_txid and replaced_by_txid, in byte order of their names. */
  values(row: number): ReadonlyMap<string, string> | undefined {
    return this.#values.get(row);
  }
  setValue(row: number, name: string, value: string): void {
    const values = new Map(this.#values.get(row) ?? []);
    values.set(name, value);
    this.#values.set(row, new Map([...values].sort(([a], [b]) => (a < b ? -1 : 1))));
  }
  /** Returns the parsed transaction if it is outside the best chain. */
  view(row: number): TxView | undefined {
    return this.#views.get(row);
  }
  /** Returns whether a transaction is outside the best chain, by the state of its record. */
  isOutsideChain(row: number): boolean {
    return this.#states[row] !== TX_STATE.CONFIRMED;
  }
  /** Returns the rows of transactions outside the best chain: unconfirmed, conflicted, abandoned. */
  rowsOutsideChain(): IterableIterator<number> {
    return this.#views.keys();
  }
  conflictedRows(): IterableIterator<number> {
    return this.#conflicted.keys();
  }
  /** Returns the version that the record stores, if that version is in memory. */
  inMemory(row: number): TxView | undefined {
    const view = this.#views.get(row);
    const versions = view ? undefined : this.#versions.get(row);
    const wtxid = versions && this.wtxid(row);
    return wtxid ? versions.find((tx) => equalBytes(tx.wtxid, wtxid)) : view;
  }
  /**
   * Returns the versions of a transaction that are in memory. Versions differ in their witnesses. If a transaction has
   * more than one version, all of them are in memory.
   */
  versions(row: number): readonly TxView[] {
    const view = this.#views.get(row);
    return this.#versions.get(row) ?? (view ? [view] : []);
  }
  /** Returns the wtxids of all versions except one, in ascending byte order (the order of Core's map). */
  otherVersions(row: number, wtxid: Uint8Array): Uint8Array[] {
    const others = this.#versions.get(row)?.filter((tx) => !equalBytes(tx.wtxid, wtxid)) ?? [];
    return others.map((tx) => tx.wtxid).sort(compareBytes);
  }
  /** Adds a version. @param tx a version that the table does not have; its bytes belong to the table */
  addVersion(row: number, tx: TxView, batch: WalletBatch): void {
    // The first version is stored only when there is a second one.
    const added = this.#versions.has(row) ? [tx] : [...this.versions(row), tx];
    for (const one of added) {
      this.#addVersion(row, one);
      batch.put(this.#versionKey(row, one.wtxid), new Uint8Array(one.bytes));
    }
  }
  /** Loads a version, after all records. */
  loadVersion(tx: TxView): void {
    const row = this.#ids.find(tx.txid);
    if (row >= 0) this.#addVersion(row, tx);
  }
  #addVersion(row: number, tx: TxView): void {
    const versions = this.#versions.get(row);
    if (versions) versions.push(tx);
    else this.#versions.set(row, [tx]);
  }
  #versionKey(row: number, wtxid: Uint8Array): Uint8Array {
    return walletKey(WALLET_PREFIX.version, this.#ids.key(row), wtxid);
  }
  setView(row: number, tx: TxView | undefined): void {
    if (tx) this.#views.set(row, tx);
    else this.#views.delete(row);
  }

  place(row: number): TxPlace {
    return {
      state: this.state(row),
      height: this.height(row),
      blockHash: this.blockHash(row),
      blockTime: this.blockTime(row),
      position: this.position(row),
    };
  }
  setPlace(row: number, place: TxPlace): void {
    if (this.#placed[row] === 1) this.#byHeight.remove(row, this.#heights[row]);
    this.#placed[row] = place.state === TX_STATE.CONFIRMED ? 1 : 0;
    if (place.state === TX_STATE.CONFIRMED) this.#byHeight.add(row, place.height);
    this.#setState(row, place.state);
    this.#heights[row] = place.height;
    this.#positions[row] = place.position;
    this.#blockRows[row] = this.#blockRow(place.blockHash, place.blockTime);
  }
  #setState(row: number, state: TxState): void {
    this.#states[row] = state;
    if (state === TX_STATE.CONFLICTED) this.#conflicted.add(row);
    else this.#conflicted.delete(row);
  }
  /** Yields the hashes of blocks that records name. */
  *blockHashes(): Generator<Uint8Array> {
    for (const row of this.#blocks.liveRows()) yield this.#blocks.key(row);
  }

  add(tx: TxView, facts: { place: TxPlace; received: number; order: number }): number {
    const row = this.#row(tx.txid);
    this.#flags[row] = tx.isCoinbase ? FLAG.COINBASE : 0;
    this.#outputs[row] = tx.outputCount;
    this.setWtxid(row, tx.wtxid);
    this.#received[row] = facts.received;
    this.#smart[row] = 0;
    this.#orders[row] = facts.order;
    this.setPlace(row, facts.place);
    this.#arrivals = grown(this.#arrivals, this.#arrivalCount);
    this.#arrivals[this.#arrivalCount++] = row;
    return row;
  }
  setSmartTime(row: number, seconds: number): void {
    this.#smart[row] = seconds;
  }
  remove(txid: Uint8Array, batch: WalletBatch): void {
    const row = this.#ids.find(txid);
    if (row < 0) return;
    if (this.#states[row] === TX_STATE.CONFIRMED) batch.del(this.#heightKey(row));
    if (this.#placed[row] === 1) this.#byHeight.remove(row, this.#heights[row]);
    for (const { wtxid } of this.#versions.get(row) ?? []) batch.del(this.#versionKey(row, wtxid));
    this.#versions.delete(row);
    this.#byTxid.remove(row);
    this.#ids.remove(txid);
    this.#values.delete(row);
    this.#views.delete(row);
    this.#conflicted.delete(row);
    batch.del(walletKey(WALLET_PREFIX.tx, txid));
    batch.del(this.bytesKey(row));
  }

  /**
   * Writes the rows of a record.
   * @param before previous place of the record, whose index row is deleted
   * @param tx set if the bytes are new
   */
  write(row: number, before: TxPlace | null, tx: TxView | null, batch: WalletBatch): void {
    const txid = this.#ids.key(row);
    if (before?.state === TX_STATE.CONFIRMED) batch.del(walletKey(WALLET_PREFIX.byHeight, before.height, before.position, txid));
    if (this.#states[row] === TX_STATE.CONFIRMED) batch.put(this.#heightKey(row), new Uint8Array(0));
    if (tx) {
      batch.put(this.bytesKey(row), new Uint8Array(tx.bytes));
      this.setWtxid(row, tx.wtxid);
    }
    const record: TxRow = {
      state: this.#states[row],
      flags: this.#flags[row] & FLAG.COINBASE,
      outputs: this.#outputs[row],
      height: this.#heights[row],
      position: this.#positions[row],
      blockTime: this.blockTime(row),
      received: this.#received[row],
      smart: this.#smart[row],
      order: this.#orders[row],
    };
    batch.put(walletKey(WALLET_PREFIX.tx, txid), encodeTxRow(record, this.blockHash(row), this.wtxid(row), this.#values.get(row)));
  }
  /** Returns the key of a transaction's bytes. */
  bytesKey(row: number): Uint8Array {
    return bytesKeyOf(this.#orders[row]);
  }
  #heightKey(row: number): Uint8Array {
    return walletKey(WALLET_PREFIX.byHeight, this.#heights[row], this.#positions[row], this.#ids.key(row));
  }

  /**
   * Loads a record. Records arrive in order of txid, and `finishLoading` follows the last one.
   * @returns the row; -1 if the record is damaged
   */
  loadRecord(txid: Uint8Array, value: Uint8Array): number {
    const record = this.#record;
    const block = decodeTxRow(value, record);
    if (block === null) return -1;
    const row = this.#ids.add(txid);
    this.#ensureCapacity(row);
    this.#setState(row, record.state as TxState);
    this.#flags[row] = record.flags;
    this.#loadWtxid(row, value);
    this.#outputs[row] = record.outputs;
    this.#heights[row] = record.height;
    this.#positions[row] = record.position;
    this.#received[row] = record.received;
    this.#smart[row] = record.smart;
    this.#orders[row] = record.order;
    this.#blockRows[row] = this.#blockRow(block, record.blockTime);
    this.#placed[row] = record.state === TX_STATE.CONFIRMED ? 1 : 0;
    for (const [name, said] of decodeTxValues(value)) this.setValue(row, name, said);
    return row;
  }
  /**
   * Loads a record that was added or changed after the image was saved. New records arrive in order of arrival.
   * @returns the row; -1 if the record is damaged
   */
  reloadRecord(txid: Uint8Array, value: Uint8Array): number {
    const record = this.#record;
    const block = decodeTxRow(value, record);
    if (block === null) return -1;
    const before = this.#ids.rows;
    const row = this.#row(txid);
    if (row >= before) {
      this.#flags[row] = record.flags;
      this.#outputs[row] = record.outputs;
      this.#arrivals = grown(this.#arrivals, this.#arrivalCount);
      this.#arrivals[this.#arrivalCount++] = row;
    }
    this.#loadWtxid(row, value);
    this.#received[row] = record.received;
    this.#smart[row] = record.smart;
    this.#orders[row] = record.order;
    const { state, height, position, blockTime } = record;
    this.setPlace(row, { state: state as TxState, height, position, blockTime, blockHash: new Uint8Array(block) });
    for (const [name, said] of decodeTxValues(value)) this.setValue(row, name, said);
    return row;
  }
  #loadWtxid(row: number, value: Uint8Array): void {
    const wtxid = wtxidIn(value);
    if (wtxid !== null) this.setWtxid(row, wtxid);
  }
  /** Sorts the rows by txid, height and arrival, after the last record was loaded. */
  finishLoading(): void {
    const rows = Int32Array.from(this.#ids.liveRows());
    this.#byTxid.fillRows(rows);
    this.#byHeight.fillRows(
      rows.filter((row) => this.#placed[row] === 1),
      (row) => this.#heights[row],
    );
    this.#arrivals = new Int32Array(Math.max(32, rows.length));
    this.#arrivals.set(this.#byArrival(rows));
    this.#arrivalCount = rows.length;
  }
  #byArrival(rows: Int32Array): Int32Array {
    const end = rows.reduce((max, row) => Math.max(max, this.#orders[row]), -1) + 1;
    // Orders of arrival come from a counter, with gaps where records were removed. No two rows have the same number, so
    // place each row at its number.
    if (end > rows.length * 8 + 1000) return rows.slice().sort((a, b) => this.#orders[a] - this.#orders[b]);
    const places = new Int32Array(end);
    for (const row of rows) places[this.#orders[row]] = row + 1;
    return places.filter((place) => place > 0).map((place) => place - 1);
  }

  /**
   * Saves the table to an image, or restores it from one. After a restore, the caller sets the views of transactions
   * outside the best chain.
   */
  transferImage(at: TableImage): void {
    this.#ids.transferImage(at);
    this.#blocks.transferImage(at);
    const { rows } = this.#ids;
    this.#arrivalCount = at.number(this.#arrivalCount);
    this.#blockTimes = at.column(this.#blockTimes, this.#blocks.rows);
    this.#states = at.column(this.#states, rows);
    this.#flags = at.column(this.#flags, rows);
    this.#heights = at.column(this.#heights, rows);
    this.#positions = at.column(this.#positions, rows);
    this.#blockRows = at.column(this.#blockRows, rows);
    this.#placed = at.column(this.#placed, rows);
    this.#received = at.column(this.#received, rows);
    this.#smart = at.column(this.#smart, rows);
    this.#orders = at.column(this.#orders, rows);
    this.#outputs = at.column(this.#outputs, rows);
    this.#wtxids = at.column(this.#wtxids, rows * HASH);
    this.#arrivals = at.column(this.#arrivals, this.#arrivalCount);
    this.#byHeight.transferImage(at);
    this.#byTxid.transferImage(at);
    const values = at.bytes(() => packRow([...this.#values].map(([row, said]) => [row, ...[...said].flat()])));
    if (!at.restoring) return;
    for (const entry of unpackRow(values)) {
      const [row, ...said] = entry as [number, ...string[]];
      for (let i = 0; i + 1 < said.length; i += 2) this.setValue(row, said[i], said[i + 1]);
    }
    for (let row = 0; row < rows; row++) this.#flags[row] &= ~FLAG.IN_MEMPOOL;
    for (const row of this.rows()) if (this.#states[row] === TX_STATE.CONFLICTED) this.#conflicted.add(row);
  }

  #blockRow(hash: Uint8Array, time: number): number {
    if (isZero(hash)) return -1;
    const row = this.#blocks.add(hash);
    this.#blockTimes = grown(this.#blockTimes, row);
    this.#blockTimes[row] = time;
    return row;
  }
  #row(txid: Uint8Array): number {
    const before = this.#ids.rows;
    const row = this.#ids.add(txid);
    if (row >= before) this.#byTxid.add(row);
    this.#ensureCapacity(row);
    return row;
  }
  #ensureCapacity(row: number): void {
    if (row < this.#states.length) return;
    this.#states = grown(this.#states, row);
    this.#flags = grown(this.#flags, row);
    this.#heights = grown(this.#heights, row);
    this.#positions = grown(this.#positions, row);
    this.#blockRows = grown(this.#blockRows, row);
    this.#placed = grown(this.#placed, row);
    this.#received = grown(this.#received, row);
    this.#smart = grown(this.#smart, row);
    this.#orders = grown(this.#orders, row);
    this.#outputs = grown(this.#outputs, row);
  }
}

function isZero(hash: Uint8Array): boolean {
  for (let i = 0; i < hash.length; i++) if (hash[i] !== 0) return false;
  return true;
}
