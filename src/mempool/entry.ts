// A mempool transaction as an object, for code that does not work with rows. The object is a view of a row (rows.ts)
// and must be read immediately. A row is reused after its transaction has left the mempool; the view throws from then
// on.

import type { Coin } from '../consensus/coin.js';
import type { HeaderContext } from '../consensus/header-context.js';
import type { Txid, Wtxid } from '../consensus/ids.js';
import type { SequenceLocks } from '../consensus/rules/locks.js';
import { STANDARD_SCRIPT_FLAGS } from '../consensus/script/flags.js';
import { parseTx, type TxFacts, type TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { RECORD_HEADER, WTXID_AT } from '../jobs/assemble-messages.js';
import type { LinkTable } from './link-table.js';
import type { RecordArena } from './record-arena.js';
import { FLAG, type Rows } from './rows.js';

/**
 * Relative locks as computed at acceptance (Core's LockPoints). Unconfirmed parents are counted as part of the block
 * after the tip of that moment. Later tip changes do not alter this.
 */
export interface LockPoints extends SequenceLocks {
  /** Highest block with a spent coin. The locks stay valid while this block is in the active chain. */
  readonly block: HeaderContext;
}

/** Values that the acceptance of a transaction (accept/) has computed, and with which it is added to the mempool. */
export interface EntryFields {
  readonly tx: TxView;
  /** Base fee in satoshis. */
  readonly fee: number;
  /** Time of acceptance in seconds, by the node's clock (setmocktime). */
  readonly time: number;
  /** Height of the tip at acceptance. */
  readonly height: number;
  readonly sigopCost: number;
  /** Sigop-adjusted virtual size. */
  readonly size: number;
  /** True if an input is a coinbase output, which a reorganisation may make immature. */
  readonly spendsCoinbase: boolean;
  /** Relative locks (BIP-0068) of the transaction, null for none. After a reorganisation they may no longer be met. */
  readonly locks: LockPoints | null;
  /** True if the transaction returns from a disconnected block. Default: false. */
  readonly returned?: boolean;
}

/** Tables of the mempool from which a MempoolEntry reads its values. */
export interface EntryStore {
  readonly rows: Rows;
  readonly arena: RecordArena;
  readonly links: LinkTable;
  readonly hashes: Hashes;
}

/**
 * A transaction in the mempool. Sums over ancestors or descendants include the transaction itself and use modified
 * fees.
 */
export class MempoolEntry {
  readonly #store: EntryStore;
  readonly #row: number;
  readonly #serial: number;
  /** The transaction as received; set only on the entry that listeners get while the transaction is being added. */
  readonly #fresh: TxView | null;

  constructor(store: EntryStore, row: number, fresh: TxView | null = null) {
    this.#store = store;
    this.#row = row;
    this.#serial = store.rows.serial[row];
    this.#fresh = fresh;
  }

  /**
   * Row of the transaction. The number stays the same while the transaction is in the mempool or its row is held
   * (TxRecords.hold).
   */
  get row(): number {
    if (this.#store.rows.serial[this.#row] !== this.#serial) throw new Error('a mempool entry was used after its transaction left');
    return this.#row;
  }
  /** Number of this entry. No other entry of this mempool ever has the same number. */
  get serial(): number {
    return this.#serial;
  }
  /** A new view of a copy of the transaction. Each access makes another copy. */
  get tx(): TxView {
    if (this.#fresh !== null) return this.#fresh;
    const tx = parseTx(this.bytes, this.#store.hashes);
    adoptRow(this.#store, this.#row, tx);
    return tx;
  }
  /** A copy of the transaction's bytes. */
  get bytes(): Uint8Array {
    const { rows, arena } = this.#store;
    const from = rows.offset[this.row] + RECORD_HEADER;
    return arena.bytesOf(this.#row).slice(from, from + rows.length[this.#row]);
  }
  /** 32 bytes, internal order. */
  get txid(): Txid {
    return this.#fresh === null ? idOfRow(this.#store, this.row, 0) : this.#fresh.txid;
  }
  get wtxid(): Wtxid {
    return this.#fresh === null ? idOfRow(this.#store, this.row, 32) : this.#fresh.wtxid;
  }
  /** Size of the transaction in bytes, with witnesses. */
  get totalSize(): number {
    return this.#store.rows.length[this.row];
  }
  get fee(): number {
    return this.#store.rows.fee[this.row];
  }
  /** Fee plus the delta of prioritisetransaction, in satoshis. */
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
  /** True if the transaction returned from a disconnected block, so peers have seen it. */
  get returned(): boolean {
    return this.#store.rows.has(this.row, FLAG.returned);
  }
  /** True if the transaction itself signals replaceability (BIP-0125). */
  get signalsReplacement(): boolean {
    return this.#store.rows.has(this.row, FLAG.signals);
  }
  /** Bucket of the fee estimator; -1 if the estimator does not follow this entry. */
  get feeBucket(): number {
    return this.#store.rows.feeBucket[this.row];
  }
  set feeBucket(bucket: number) {
    this.#store.rows.feeBucket[this.row] = bucket;
  }
  /** Parents in the mempool, in the order of the inputs. */
  get parents(): MempoolEntry[] {
    return this.#store.links.parents(this.row).map((row) => new MempoolEntry(this.#store, row));
  }
  get children(): MempoolEntry[] {
    return this.#store.links.children(this.row).map((row) => new MempoolEntry(this.#store, row));
  }
}

/**
 * A row's transaction with its known facts, not parsed. The object reads the row's record in place. A record is never
 * overwritten, so the object stays readable after the row is reused, but it keeps a segment of the mempool's memory
 * alive. For long storage use own().
 */
export class StoredTx {
  readonly #record: Uint8Array;
  /** Facts about these bytes that do not depend on the chain. */
  readonly facts: TxFacts;

  constructor(record: Uint8Array, facts: TxFacts) {
    this.#record = record;
    this.facts = facts;
  }

  /** View of the transaction's bytes. */
  get bytes(): Uint8Array {
    return this.#record.subarray(RECORD_HEADER);
  }
  get totalSize(): number {
    return this.#record.length - RECORD_HEADER;
  }
  /** Copy of the txid: 32 bytes, internal order. */
  get txid(): Txid {
    return this.#record.slice(0, WTXID_AT);
  }
  get wtxid(): Wtxid {
    return this.#record.slice(WTXID_AT, RECORD_HEADER);
  }
  /** Returns a StoredTx over a copy of the record. */
  own(): StoredTx {
    return new StoredTx(this.#record.slice(), this.facts);
  }
}

/** Returns a row's transaction as a StoredTx. */
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

/** Copies the ids and facts of a row to a transaction with identical bytes. */
export function adoptRow(store: EntryStore, row: number, tx: TxView): void {
  tx.adopt(idOfRow(store, row, 0), idOfRow(store, row, 32), factsOfRow(store, row));
}

/**
 * Returns a view of a row's transaction in place, for reading inside this module. The view's bytes are shared memory,
 * which some APIs refuse.
 */
export function txInPlace({ rows, arena, hashes }: EntryStore, row: number): TxView {
  return parseTx(arena.bytesOf(row), hashes, { offset: rows.offset[row] + RECORD_HEADER });
}

/** Returns a copy of the txid (at 0) or wtxid (at 32) of a row. */
export function idOfRow({ rows, arena }: EntryStore, row: number, at: 0 | 32): Uint8Array {
  const from = rows.offset[row] + at;
  return arena.bytesOf(row).slice(from, from + 32);
}

/** Height of coins that are outputs of mempool transactions. No block has this height. */
export const POOL_COIN_HEIGHT = 0x7fffffff;

/** Returns an output of a mempool transaction as a coin; undefined if there is no such output. */
export function poolCoin(tx: TxView, index: number, height = POOL_COIN_HEIGHT): Coin | undefined {
  if (index >= tx.outputCount) return undefined;
  return { value: tx.outputValue(index), script: new Uint8Array(tx.outputScript(index)), height, coinbase: false };
}

/**
 * Caches parsed views of rows' transactions. Parsing reads all bytes of a transaction, and one transaction may have
 * many children that need its view.
 */
export class RowViews {
  /** Created at the first use, because most transactions have no unconfirmed parent. */
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
