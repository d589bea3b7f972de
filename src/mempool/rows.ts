// Mempool transactions as numbers: one row per transaction, one typed array per figure. 100,000 objects with boxed
// doubles would cost more memory than the transactions, and V8's garbage collector would visit them all. tx-pool.ts
// writes rows, entry.ts presents them as objects, and the assembler's mirror is fed from them.
//
// Rows are reused. To read one later, hold it: a held row keeps its figures and bytes after its transaction has left.

/** No row. */
export const NO_ROW = -1;

/** Bits of the column `flags`. */
export const FLAG = {
  /** In the mempool: found by txid, and counted. */
  here: 1,
  /** An input is a coinbase output, which a reorganisation may make immature. */
  spendsCoinbase: 2,
  /** A relative lock applies, which a reorganisation may close again. */
  sequenceLock: 4,
  /** No peer has requested it yet. */
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
  /** Seconds at acceptance. */
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
  /** Number of the transaction, rising; 0 if the row is free. Starts again at 1 after 2^32 - 1. */
  serial: Uint32Array,
  /** nLockTime; 0 if no input's sequence enables it. */
  lockTime: Uint32Array,
  ancestorCount: Int32Array,
  ancestorSigops: Int32Array,
  descendantCount: Int32Array,
  /** Heads of its rings in link-table.ts. */
  parents: Int32Array,
  children: Int32Array,
  /** Positions in the heaps; -1: not in the heap. */
  scorePlace: Int32Array,
  agePlace: Int32Array,
  /** Its record: segment, byte offset in it, bytes of the transaction. record-arena.ts writes them. */
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

/** Arrays are replaced when the capacity grows. Read them again after any call that may add rows. */
export interface Rows extends Columns {}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor defines every column
export class Rows {
  capacity = 0;
  /** All rows that were ever used are below this number. */
  top = 0;
  #free: number[] = [];

  constructor() {
    this.#grow(FIRST_ROWS);
  }

  /** Returns a row for a new transaction. Its columns have old values. */
  allocate(): number {
    const reused = this.#free.pop();
    if (reused !== undefined) return reused;
    if (this.top === this.capacity) this.#grow(this.capacity * 2);
    return this.top++;
  }

  /** Frees a row without readers for reuse. */
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

  /** Grows the columns. All are in one buffer, which is freed as a whole when it becomes too small. */
  #grow(capacity: number): void {
    const columns = this as unknown as Record<Name, Float64Array>;
    const memory = new ArrayBuffer(capacity * ROW_BYTES);
    let at = 0;
    for (const name of NAMES) {
      const grown = new COLUMNS[name](memory, at, capacity) as Float64Array;
      if (this.top > 0) grown.set(columns[name]);
      columns[name] = grown;
      at += grown.byteLength;
    }
    this.capacity = capacity;
  }
}
