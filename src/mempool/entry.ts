// One transaction of the mempool with what is known of its place among the others. The pool (tx-pool.ts) keeps the sums; nobody else
// writes to an entry.
import type { Coin } from '../consensus/coin.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { TxKeys } from './tx-keys.js';
import { entryUsage } from './usage.js';

/** What acceptance has learnt about a transaction. */
export interface EntryFields {
  readonly tx: TxView;
  readonly keys: TxKeys;
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
  /** Whether a relative lock counts, which a reorganisation may close again. */
  readonly hasSequenceLock: boolean;
}

/** A transaction in the pool. Sums include the transaction itself; fees in sums are modified fees. */
export class MempoolEntry {
  readonly tx: TxView;
  readonly keys: TxKeys;
  readonly fee: number;
  readonly time: number;
  readonly height: number;
  readonly sigopCost: number;
  readonly size: number;
  readonly weight: number;
  readonly spendsCoinbase: boolean;
  readonly hasSequenceLock: boolean;
  /** Estimated memory of transaction and entry, links left out. */
  readonly usageBytes: number;
  /** fee plus what prioritisetransaction added. */
  modifiedFee: number;
  ancestorCount = 1;
  ancestorSize: number;
  ancestorFees: number;
  ancestorSigops: number;
  descendantCount = 1;
  descendantSize: number;
  descendantFees: number;
  readonly parents = new Set<MempoolEntry>();
  readonly children = new Set<MempoolEntry>();
  /** Not yet handed to a peer. */
  unbroadcast = false;
  /** The fee estimator's mark: its bucket, -1 when it doesn't follow this one. */
  feeBucket = -1;
  /** Places in the pool's heaps; -1 outside. */
  readonly heapPlaces: [score: number, age: number] = [-1, -1];

  constructor(fields: EntryFields) {
    this.tx = fields.tx;
    this.keys = fields.keys;
    this.fee = fields.fee;
    this.modifiedFee = fields.fee;
    this.time = fields.time;
    this.height = fields.height;
    this.sigopCost = fields.sigopCost;
    this.size = fields.size;
    this.weight = fields.tx.weight;
    this.spendsCoinbase = fields.spendsCoinbase;
    this.hasSequenceLock = fields.hasSequenceLock;
    this.usageBytes = entryUsage(fields.tx);
    this.ancestorSize = fields.size;
    this.ancestorFees = fields.fee;
    this.ancestorSigops = fields.sigopCost;
    this.descendantSize = fields.size;
    this.descendantFees = fields.fee;
  }
}

/** Outputs of a pool transaction as coins: a height that no block has marks them. */
export const POOL_COIN_HEIGHT = 0x7fffffff;

/** An output of a pool transaction; undefined when there is no such output. */
export function poolCoin(tx: TxView, index: number): Coin | undefined {
  if (index >= tx.outputCount) return undefined;
  return { value: tx.outputValue(index), script: tx.outputScript(index), height: POOL_COIN_HEIGHT, coinbase: false };
}

/** Core's order of txids: bytes as stored, first byte first (which is the last one displayed). Equal-length keys compare so. */
export function compareEntryIds(a: MempoolEntry, b: MempoolEntry): number {
  return a.keys.txid < b.keys.txid ? -1 : a.keys.txid > b.keys.txid ? 1 : 0;
}
