// The pool's transactions as numbers: one row each, one typed array per figure. A hundred thousand objects with their
// boxed doubles cost more than the transactions they describe, and the collector walks them all; a row costs its
// columns and nothing else. tx-pool.ts writes rows, entry.ts shows them as objects, the assembler's mirror is fed from
// them.
//
// Rows are reused. Who reads one later than at once holds it: a held row keeps its figures and its bytes after its
// transaction has left.

/** No row. */
export const NO_ROW = -1;

/** Bits of the column `flags`. */
export const FLAG = {
  /** In the pool: found by txid, counted. */
  here: 1,
  /** An input is a coinbase output, which a reorganisation may make immature. */
  spendsCoinbase: 2,
  /** A relative lock counts, which a reorganisation may close again. */
  sequenceLock: 4,
  /** Not yet handed to a peer. */
  unbroadcast: 8,
  hasWitness: 16,
  /** BIP-0125: an input of the transaction itself opts in to replacement. */
  signals: 32,
  /** Came back from a block that left. */
  returned: 64,
} as const;

const FIRST_ROWS = 1024;

/**
 * Every column with its kind, wide ones first, so that all are aligned; sums include the transaction itself, fees in
 * sums are modified fees.
 */
const COLUMNS = {
  /** Base fee in satoshis. */
  fee: Float64Array,
  /** Base fee and what prioritisetransaction added. */
  modifiedFee: Float64Array,
  /** Seconds at acceptance. */
  time: Float64Array,
  /** Sigop-adjusted virtual size. */
  size: Float64Array,
  ancestorSize: Float64Array,
  ancestorFees: Float64Array,
  descendantSize: Float64Array,
  descendantFees: Float64Array,
  /** Rank in a pool that gives up chunks, see eviction-order.ts: modified fees and sigop-adjusted weight. */
  rankFee: Float64Array,
  rankWeight: Float64Array,
  /** Height of the tip at acceptance. */
  height: Int32Array,
  weight: Int32Array,
  /**
   * One up for every transaction that ever came, 0 when nothing is here or held; with four thousand millions it begins
   * again at 1.
   */
  serial: Uint32Array,
  /** nLockTime, 0 when no input's sequence enables it. */
  lockTime: Uint32Array,
  ancestorCount: Int32Array,
  ancestorSigops: Int32Array,
  descendantCount: Int32Array,
  /** Heads of its lists in link-table.ts. */
  parents: Int32Array,
  children: Int32Array,
  /** Places in the heaps; -1 outside. */
  scorePlace: Int32Array,
  agePlace: Int32Array,
  /** Its record: segment, byte offset there, bytes of the transaction. record-arena.ts writes them. */
  segment: Int32Array,
  offset: Int32Array,
  length: Int32Array,
  /** Memory that Core would count for the transaction (usage.ts). */
  usage: Int32Array,
  /** At most 16,000 by policy. */
  sigopCost: Uint16Array,
  /** The fee estimator's bucket, -1 when it doesn't follow this one. */
  feeBucket: Int16Array,
  holds: Uint16Array,
  flags: Uint8Array,
} as const;

type Name = keyof typeof COLUMNS;
type Columns = { [N in Name]: InstanceType<(typeof COLUMNS)[N]> };

const NAMES = Object.keys(COLUMNS) as Name[];
const ROW_BYTES = NAMES.reduce((sum, name) => sum + COLUMNS[name].BYTES_PER_ELEMENT, 0);

/** Arrays are replaced when rows are added beyond the capacity: read them anew after anything that may add. */
export interface Rows extends Columns {}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor defines every column
export class Rows {
  capacity = 0;
  /** Rows that were ever in use lie below. */
  top = 0;
  #free: number[] = [];

  constructor() {
    this.#grow(FIRST_ROWS);
  }

  /** A row for a new transaction; its columns hold what was there before. */
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

  /** All rows in use, lowest number first. */
  here(): Int32Array {
    const { flags, top } = this;
    const found = new Int32Array(top);
    let count = 0;
    for (let row = 0; row < top; row++) if ((flags[row] & FLAG.here) !== 0) found[count++] = row;
    return found.subarray(0, count);
  }

  /** All columns lie in one piece of memory, which goes back to the system as a whole when it has become too small. */
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
