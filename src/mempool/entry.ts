// A transaction of the mempool as an object, for code that does not work on rows: a view of its row (rows.ts), made
// when asked for and read at once. Rows are reused once their transaction has left, so a view that is kept until then
// refuses to answer.
import type { Coin } from '../consensus/coin.js';
import type { HeaderContext } from '../consensus/header-context.js';
import type { SequenceLocks } from '../consensus/rules/locks.js';
import { STANDARD_SCRIPT_FLAGS } from '../consensus/script/flags.js';
import { parseTx, type TxFacts, type TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { RECORD_HEADER, WTXID_AT } from '../jobs/assemble-messages.js';
import type { LinkTable } from './link-table.js';
import type { RecordArena } from './record-arena.js';
import { FLAG, type Rows } from './rows.js';

/**
 * Relative locks as they were reckoned once (Core's LockPoints): what is unconfirmed counted as part of the block that
 * was next then, and goes on doing so.
 */
export interface LockPoints extends SequenceLocks {
  /** The highest block with a coin that is spent; while it is in the chain this is not reckoned anew. */
  readonly block: HeaderContext;
}

/** What acceptance has learnt about a transaction. */
export interface EntryFields {
  readonly tx: TxView;
  /** Base fee in satoshis. */
  readonly fee: number;
  /** Mockable seconds at acceptance. */
  readonly time: number;
  /** Height of the tip at acceptance. */
  readonly height: number;
  readonly sigopCost: number;
  /** Sigop-adjusted virtual size. */
  readonly size: number;
  /** Whether an input is a coinbase output, which a reorganisation may make immature. */
  readonly spendsCoinbase: boolean;
  /** Relative locks that count, which a reorganisation may close again; null for none. */
  readonly locks: LockPoints | null;
  /** Whether it comes back from a block that left; no when absent. */
  readonly returned?: boolean;
}

/** Where views read. */
export interface EntryStore {
  readonly rows: Rows;
  readonly arena: RecordArena;
  readonly links: LinkTable;
  readonly hashes: Hashes;
}

/** A transaction in the pool. Sums include the transaction itself; fees in sums are modified fees. */
export class MempoolEntry {
  readonly #store: EntryStore;
  readonly #row: number;
  readonly #serial: number;
  /** The transaction as it came, when the view is made while it comes. */
  readonly #fresh: TxView | null;

  constructor(store: EntryStore, row: number, fresh: TxView | null = null) {
    this.#store = store;
    this.#row = row;
    this.#serial = store.rows.serial[row];
    this.#fresh = fresh;
  }

  /** Its row, the same for as long as it is here or held. */
  get row(): number {
    if (this.#store.rows.serial[this.#row] !== this.#serial) throw new Error('a mempool entry was kept after its transaction left');
    return this.#row;
  }
  /** A number that no other entry of this pool ever has. */
  get serial(): number {
    return this.#serial;
  }
  /** A view of a copy of the transaction, a fresh one each time. */
  get tx(): TxView {
    if (this.#fresh !== null) return this.#fresh;
    const tx = parseTx(this.bytes, this.#store.hashes);
    adoptRow(this.#store, this.#row, tx);
    return tx;
  }
  /** A copy of its bytes. */
  get bytes(): Uint8Array {
    const { rows, arena } = this.#store;
    const from = rows.offset[this.row] + RECORD_HEADER;
    return arena.bytesOf(this.#row).slice(from, from + rows.length[this.#row]);
  }
  /** 32 bytes, internal order. */
  get txid(): Uint8Array {
    return this.#fresh === null ? idOfRow(this.#store, this.row, 0) : this.#fresh.txid;
  }
  get wtxid(): Uint8Array {
    return this.#fresh === null ? idOfRow(this.#store, this.row, 32) : this.#fresh.wtxid;
  }
  /** Bytes of the whole transaction. */
  get totalSize(): number {
    return this.#store.rows.length[this.row];
  }
  get fee(): number {
    return this.#store.rows.fee[this.row];
  }
  /** fee plus what prioritisetransaction added. */
  get modifiedFee(): number {
    return this.#store.rows.modifiedFee[this.row];
  }
  get time(): number {
    return this.#store.rows.time[this.row];
  }
  get height(): number {
    return this.#store.rows.height[this.row];
  }
  get sigopCost(): number {
    return this.#store.rows.sigopCost[this.row];
  }
  get size(): number {
    return this.#store.rows.size[this.row];
  }
  get weight(): number {
    return this.#store.rows.weight[this.row];
  }
  get ancestorCount(): number {
    return this.#store.rows.ancestorCount[this.row];
  }
  get ancestorSize(): number {
    return this.#store.rows.ancestorSize[this.row];
  }
  get ancestorFees(): number {
    return this.#store.rows.ancestorFees[this.row];
  }
  get ancestorSigops(): number {
    return this.#store.rows.ancestorSigops[this.row];
  }
  get descendantCount(): number {
    return this.#store.rows.descendantCount[this.row];
  }
  get descendantSize(): number {
    return this.#store.rows.descendantSize[this.row];
  }
  get descendantFees(): number {
    return this.#store.rows.descendantFees[this.row];
  }
  get unbroadcast(): boolean {
    return this.#store.rows.has(this.row, FLAG.unbroadcast);
  }
  /** Whether it came back from a block that left, so that peers have seen it. */
  get returned(): boolean {
    return this.#store.rows.has(this.row, FLAG.returned);
  }
  /** BIP-0125: the transaction itself opts in to replacement. */
  get signalsReplacement(): boolean {
    return this.#store.rows.has(this.row, FLAG.signals);
  }
  /** The fee estimator's mark: its bucket, -1 when it doesn't follow this one. */
  get feeBucket(): number {
    return this.#store.rows.feeBucket[this.row];
  }
  set feeBucket(bucket: number) {
    this.#store.rows.feeBucket[this.row] = bucket;
  }
  /** What it spends in the pool, in the order of its inputs. */
  get parents(): MempoolEntry[] {
    return this.#store.links.parents(this.row).map((row) => new MempoolEntry(this.#store, row));
  }
  /** What spends it in the pool. */
  get children(): MempoolEntry[] {
    return this.#store.links.children(this.row).map((row) => new MempoolEntry(this.#store, row));
  }
}

/**
 * A row's transaction with what is known of it, nothing of it parsed: a window on its record, which is written once and
 * never again, so that it may be read even after the row is another's. What is kept for long holds on to a piece of the
 * pool's memory, unless it is made its own.
 */
export class StoredTx {
  readonly #record: Uint8Array;
  /** What acceptance found out for good. */
  readonly facts: TxFacts;

  constructor(record: Uint8Array, facts: TxFacts) {
    this.#record = record;
    this.facts = facts;
  }

  /** Not a copy. */
  get bytes(): Uint8Array {
    return this.#record.subarray(RECORD_HEADER);
  }
  get totalSize(): number {
    return this.#record.length - RECORD_HEADER;
  }
  /** 32 bytes, internal order, a copy. */
  get txid(): Uint8Array {
    return this.#record.slice(0, WTXID_AT);
  }
  get wtxid(): Uint8Array {
    return this.#record.slice(WTXID_AT, RECORD_HEADER);
  }
  /** The same over a copy of the record. */
  own(): StoredTx {
    return new StoredTx(this.#record.slice(), this.facts);
  }
}

/** What is known of a row. */
export function storedTx(store: EntryStore, row: number): StoredTx {
  const { rows, arena } = store;
  const from = rows.offset[row];
  return new StoredTx(arena.bytesOf(row).subarray(from, from + RECORD_HEADER + rows.length[row]), factsOfRow(store, row));
}

const factsOfRow = ({ rows: { fee, sigopCost } }: EntryStore, row: number): TxFacts => ({
  fee: fee[row],
  sigopCost: sigopCost[row],
  flags: STANDARD_SCRIPT_FLAGS,
});

/** Gives a transaction of the same bytes as a row's its ids, and what acceptance found out for good. */
export function adoptRow(store: EntryStore, row: number, tx: TxView): void {
  tx.adopt(idOfRow(store, row, 0), idOfRow(store, row, 32), factsOfRow(store, row));
}

/**
 * A row's transaction where it lies: for a look in the pool's own room. Its bytes are shared memory, which some APIs
 * refuse.
 */
export function txInPlace({ rows, arena, hashes }: EntryStore, row: number): TxView {
  return parseTx(arena.bytesOf(row), hashes, { offset: rows.offset[row] + RECORD_HEADER });
}

/** A copy of one of the two ids at the head of a row's record. */
export function idOfRow({ rows, arena }: EntryStore, row: number, at: 0 | 32): Uint8Array {
  const from = rows.offset[row] + at;
  return arena.bytesOf(row).slice(from, from + 32);
}

/** Outputs of pool transactions as coins: a height that no block has marks them. */
export const POOL_COIN_HEIGHT = 0x7fffffff;

/** An output of a pool transaction; undefined when there is no such output. */
export function poolCoin(tx: TxView, index: number, height = POOL_COIN_HEIGHT): Coin | undefined {
  if (index >= tx.outputCount) return undefined;
  return { value: tx.outputValue(index), script: new Uint8Array(tx.outputScript(index)), height, coinbase: false };
}

/**
 * Views of rows' transactions, each made once: a view costs a walk over all of its bytes, and every input that spends of
 * it asks for one.
 */
export class RowViews {
  /** Most transactions have no unconfirmed parent. */
  #views: Map<number, TxView> | null = null;
  readonly #source: { tx(row: number): TxView };

  constructor(source: { tx(row: number): TxView }) {
    this.#source = source;
  }

  of(row: number): TxView {
    this.#views ??= new Map();
    let view = this.#views.get(row);
    if (view === undefined) {
      view = this.#source.tx(row);
      this.#views.set(row, view);
    }
    return view;
  }
}
