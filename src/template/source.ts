// What templates are made from: small views of chain, mempool and the slab ring, which have never heard of each other
// here.
import type { BlockView } from '../consensus/block/block-view.js';
import type { HeaderContext } from '../consensus/header-context.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { Verdict } from '../consensus/state.js';
import type { Hashes } from '../crypto/crypto.js';

/** The block to build on. */
export interface TemplateTip extends HeaderContext {
  readonly hashHex: string;
}

export interface TemplateChain {
  readonly tip: TemplateTip;
  readonly params: ChainParams;
  /** Connects a block on the tip without keeping anything. */
  testBlockValidity(block: BlockView, options: { readonly checkPow: boolean; readonly checkMerkle: boolean }): Promise<Verdict>;
}

/** Hears of changes of the set synchronously, by rows. */
export interface RecordFollower {
  added(row: number): void;
  removed(row: number): void;
  changed(row: number): void;
  /** The transaction's record lies elsewhere now. */
  moved(row: number): void;
  /** Called after another method of the follower threw: the follower's copy of rows may be wrong. */
  failed(): void;
}

/**
 * The set's figures by row. Fees in satoshis, sizes in sigop-adjusted virtual bytes; sums include the transaction
 * itself.
 */
export interface CandidateRows {
  readonly capacity: number;
  readonly fee: ArrayLike<number>;
  readonly modifiedFee: ArrayLike<number>;
  readonly size: ArrayLike<number>;
  readonly weight: ArrayLike<number>;
  readonly sigopCost: ArrayLike<number>;
  readonly ancestorCount: ArrayLike<number>;
  readonly ancestorSize: ArrayLike<number>;
  /** Modified fees. */
  readonly ancestorFees: ArrayLike<number>;
  readonly ancestorSigops: ArrayLike<number>;
  /** nLockTime, 0 when no input's sequence enables it. */
  readonly lockTime: ArrayLike<number>;
  /** Different for every transaction that ever came. */
  readonly serial: ArrayLike<number>;
  /** The record: see jobs/assemble-messages.ts; `length` is the transaction's. */
  readonly segment: ArrayLike<number>;
  readonly offset: ArrayLike<number>;
  readonly length: ArrayLike<number>;
  /** Rows of the set. */
  here(): Int32Array;
  isHere(row: number): boolean;
  hasWitness(row: number): boolean;
}

/** The candidate set as columns and records in shared memory; the mempool's pool is one. */
export interface CandidateRecords {
  readonly rows: CandidateRows;
  readonly links: { hasParents(row: number): boolean; parents(row: number): readonly number[]; children(row: number): readonly number[] };
  readonly arena: {
    readonly reservedBytes: number;
    readonly segmentCount: number;
    segment(index: number): SharedArrayBuffer | null;
    bytesOf(row: number): Uint8Array;
  };
  readonly hashes: Hashes;
  /** Serial of the youngest transaction that ever came. */
  readonly lastSerial: number;
  /** The row of a txid (internal order), negative when it is not here. */
  find(txid: Uint8Array): number;
  /** Serialised bytes of all transactions. */
  readonly txBytes: number;
  follow(follower: RecordFollower): void;
  /** A row keeps figures and record until it is released, also when its transaction leaves. */
  hold(row: number): void;
  release(row: number): void;
}

/** The candidate set; the mempool implements it. */
export interface TransactionSource {
  readonly size: number;
  /** Transactions-updated counter, uint32. */
  readonly counter: number;
  readonly records: CandidateRecords;
  /** Resolves when the set fits the tip. */
  settled(): Promise<void>;
  /** Transactions of disconnected blocks are on their way back: settled() takes a while. */
  readonly returning: boolean;
}

/** A piece of shared memory that one template is written into. */
export interface TemplateSlab {
  readonly index: number;
  readonly buffer: SharedArrayBuffer;
}

/** The ring of slabs that fronts read templates from. */
export interface TemplateSlabs {
  /** At once when one is free. */
  takeSlabWhenFree(sizeBytes: number): TemplateSlab | Promise<TemplateSlab>;
  publish(slab: TemplateSlab): unknown;
  discard(slab: TemplateSlab): void;
}
