// Mempool transactions as numbers: one row per transaction, one typed array per figure. 100,000 objects with boxed
// doubles would need more memory than the transactions, and V8's garbage collector would visit all of them. tx-pool.ts
// writes rows, entry.ts presents them as objects, and the assembler's mirror is fed from them.
//
// Rows are reused. To read a row later, hold it (TxRecords.hold): a held row keeps its figures and bytes after its
// transaction has left the mempool.

/** Returned instead of a row number if there is no such row. */
export const NO_ROW = -1;

/** Bits of the column `flags`. */
export const FLAG = {
  /** The transaction is in the mempool: it can be found by txid and counts in all sums. */
  here: 1,
  /** An input is a coinbase output, which a reorganisation may make immature. */
  spendsCoinbase: 2,
  /** The transaction has a relative lock (BIP-0068), which a reorganisation may turn from met to unmet. */
  sequenceLock: 4,
  /** No peer has requested the transaction yet. */
  unbroadcast: 8,
  hasWitness: 16,
  /** An input of the transaction itself signals replaceability (BIP-0125). */
  signals: 32,
  /** The transaction returned from a disconnected block. */
  returned: 64,
} as const;

const FIRST_ROWS = 1024;

/**
 * All columns with their types, wide ones first, so that all are aligned. Sums include the transaction itself; fees in
 * sums are modified fees.
 */
const COLUMNS = {
  /** Base fee in satoshis. */
  fee: Float64Array,
  /** Base fee plus the delta of prioritisetransaction. */
  modifiedFee: Float64Array,
  /** Time of acceptance in seconds. */
  time: Float64Array,
  /** Sigop-adjusted virtual size. */
  size: Float64Array,
  ancestorSize: Float64Array,
  ancestorFees: Float64Array,
  descendantSize: Float64Array,
  descendantFees: Float64Array,
  /** Rank for evicting chunks, see eviction-order.ts: modified fees and sigop-adjusted weight. */
  rankFee: Float64Array,
  rankWeight: Float64Array,
  /** Height of the tip at acceptance. */
  height: Int32Array,
  weight: Int32Array,
  /** Serial number of the transaction, rising; 0 if the row is free. After 2^32 - 1 the numbers start again at 1. */
  serial: Uint32Array,
  /** nLockTime; 0 if no input's sequence enables it. */
  lockTime: Uint32Array,
  ancestorCount: Int32Array,
  ancestorSigops: Int32Array,
  descendantCount: Int32Array,
  /** Heads of the row's rings in link-table.ts. */
  parents: Int32Array,
  children: Int32Array,
  /** Positions of the row in the two heaps; -1 if it is in neither. */
  scorePlace: Int32Array,
  agePlace: Int32Array,
  /**
   * Location of the row's record: segment, byte offset in the segment, and size of the transaction in bytes. Written by
   * record-arena.ts.
   */
  segment: Int32Array,
  offset: Int32Array,
  length: Int32Array,
  /** Memory in bytes that Core would count for the transaction (usage.ts). */
  usage: Int32Array,
  /** Signature operation cost, at most 16,000 by policy. */
  sigopCost: Uint16Array,
  /** Bucket of the fee estimator; -1 if the estimator does not follow it. */
  feeBucket: Int16Array,
  holds: Uint16Array,
  flags: Uint8Array,
} as const;

type Name = keyof typeof COLUMNS;
type Columns = { [N in Name]: InstanceType<(typeof COLUMNS)[N]> };

const NAMES = Object.keys(COLUMNS) as Name[];
const ROW_BYTES = NAMES.reduce((sum, name) => sum + COLUMNS[name].BYTES_PER_ELEMENT, 0);

/**
 * The columns. When the capacity grows, all arrays are replaced, so read the fields again after any call that may add
 * rows.
 */
export interface Rows extends Columns {}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor defines every column
export class Rows {
  capacity = 0;
  /** Incremented with every change that a reply about the mempool can show. */
  generation = 0;
  /** Exclusive upper bound of all row numbers that were ever used. */
  top = 0;
  #free: number[] = [];

  constructor(capacity = FIRST_ROWS) {
    this.#grow(capacity);
  }

  /** Creates columns on the memory that copyColumns() returned. @param top number of rows */
  static of(columns: ArrayBufferLike, top: number): Rows {
    const rows = new Rows(0);
    rows.#place(columns, top);
    rows.top = top;
    return rows;
  }

  /** Returns a copy of the columns in shared memory, without rows that were never used. */
  copyColumns(): SharedArrayBuffer {
    const copy = new Rows(0);
    const { top } = this;
    const columns = new SharedArrayBuffer(top * ROW_BYTES);
    copy.#place(columns, top);
    for (const name of NAMES) (copy[name] as Float64Array).set(this[name].subarray(0, top) as Float64Array);
    return columns;
  }

  /** Returns a row for a new transaction. Its columns still contain old values. */
  allocate(): number {
    const reused = this.#free.pop();
    if (reused !== undefined) return reused;
    if (this.top === this.capacity) this.#grow(this.capacity * 2);
    return this.top++;
  }

  /** Makes a row available for reuse. The row must not be held. */
  recycle(row: number): void {
    this.#free.push(row);
  }

  isHere(row: number): boolean {
    return (this.flags[row] & FLAG.here) !== 0;
  }

  has(row: number, flag: number): boolean {
    return (this.flags[row] & flag) !== 0;
  }

  hasWitness(row: number): boolean {
    return this.has(row, FLAG.hasWitness);
  }

  /** Returns all rows in the mempool, lowest number first. */
  here(): Int32Array {
    const { flags, top } = this;
    const found = new Int32Array(top);
    let count = 0;
    for (let row = 0; row < top; row++) if ((flags[row] & FLAG.here) !== 0) found[count++] = row;
    return found.subarray(0, count);
  }

  /** Grows the columns. All columns are in one buffer, so that the old buffer can be freed as a whole. */
  #grow(capacity: number): void {
    const old = { ...this } as Columns;
    this.#place(new ArrayBuffer(capacity * ROW_BYTES), capacity);
    if (this.top > 0) for (const name of NAMES) (this[name] as Float64Array).set(old[name] as Float64Array);
  }

  #place(memory: ArrayBufferLike, capacity: number): void {
    const columns = this as unknown as Record<Name, Float64Array>;
    let at = 0;
    for (const name of NAMES) {
      columns[name] = new COLUMNS[name](memory as ArrayBuffer, at, capacity) as Float64Array;
      at += columns[name].byteLength;
    }
    this.capacity = capacity;
  }
}
