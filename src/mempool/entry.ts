// One transaction of the mempool with what is known of its place among the others. The pool (tx-pool.ts) keeps the sums; nobody else
// writes to an entry.
import type { Coin } from '../consensus/coin.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { type ArenaPlace, type ArenaSegment, NO_SEGMENT } from './tx-arena.js';
import { bytesOfKey, type TxKeys } from './tx-keys.js';
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

const NO_ENTRIES: ReadonlySet<never> = new Set<never>();

/** A transaction in the pool. Sums include the transaction itself; fees in sums are modified fees. */
export class MempoolEntry implements ArenaPlace {
  /** Map key of the txid. */
  readonly key: string;
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
  /** Shared and empty until the first link: most transactions stand alone. */
  parents: ReadonlySet<MempoolEntry> = NO_ENTRIES;
  children: ReadonlySet<MempoolEntry> = NO_ENTRIES;
  /** Not yet handed to a peer. */
  unbroadcast = false;
  /** The fee estimator's mark: its bucket, -1 when it doesn't follow this one. */
  feeBucket = -1;
  /** Places in the pool's heaps; -1 outside. */
  scorePlace = -1;
  agePlace = -1;
  /** Its bytes in the pool's arena; the arena's to write. */
  segment: ArenaSegment = NO_SEGMENT;
  offset = 0;
  readonly length: number;
  stored = false;
  readonly #hashes: Hashes;
  /** The transaction as it came, until its bytes are in the arena. */
  #fresh: TxView | null;

  constructor(fields: EntryFields) {
    this.#fresh = fields.tx;
    this.#hashes = fields.tx.hashes;
    this.length = fields.tx.totalSize;
    this.key = fields.keys.txid;
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

  /** A view of the transaction, a fresh one each time: keep it for as long as it is looked at. */
  get tx(): TxView {
    return this.#fresh ?? parseTx(this.segment.bytes, this.#hashes, { offset: this.offset });
  }

  /** 32 bytes, internal order, without a look at the transaction. */
  get txid(): Uint8Array {
    return bytesOfKey(this.key);
  }

  /** The pool has stored the bytes: from now on they are read there. */
  settle(): void {
    this.#fresh = null;
  }
}

/** Adds to one of an entry's sets of relatives. */
export function withRelative(set: ReadonlySet<MempoolEntry>, relative: MempoolEntry): ReadonlySet<MempoolEntry> {
  if (set === NO_ENTRIES) return new Set([relative]);
  return (set as Set<MempoolEntry>).add(relative);
}

/** Takes from one of an entry's sets of relatives. */
export function withoutRelative(set: ReadonlySet<MempoolEntry>, relative: MempoolEntry): ReadonlySet<MempoolEntry> {
  if (set === NO_ENTRIES) return set;
  (set as Set<MempoolEntry>).delete(relative);
  return set.size === 0 ? NO_ENTRIES : set;
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
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
