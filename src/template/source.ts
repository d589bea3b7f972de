// Interfaces to chain, mempool and the slab ring, from which templates are made.
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
  /** Connects a block on the tip without storing anything. */
  testBlockValidity(block: BlockView, options: { readonly checkPow: boolean; readonly checkMerkle: boolean }): Promise<Verdict>;
}

/** Receives changes of the candidates synchronously, by rows. */
export interface RecordFollower {
  added(row: number): void;
  removed(row: number): void;
  changed(row: number): void;
  /** Called when the transaction's record was moved in shared memory. */
  moved(row: number): void;
  /** Called after another method of the follower threw: the follower's copy of rows may be wrong. */
  failed(): void;
}

/** Figures of the candidates by row. Fees in satoshis, sizes in sigop-adjusted virtual bytes. Sums include the transaction itself. */
export interface CandidateRows {
  readonly capacity: number;
  readonly fee: ArrayLike<number>;
  readonly modifiedFee: ArrayLike<number>;
  readonly size: ArrayLike<number>;
  readonly weight: ArrayLike<number>;
  readonly sigopCost: ArrayLike<number>;
  readonly ancestorCount: ArrayLike<number>;
  readonly ancestorSize: ArrayLike<number>;
  /** Modified fees of the transaction and its unconfirmed ancestors. */
  readonly ancestorFees: ArrayLike<number>;
  readonly ancestorSigops: ArrayLike<number>;
  /** nLockTime; 0 if no input's sequence enables it. */
  readonly lockTime: ArrayLike<number>;
  /** Serial number of the transaction: a new one each time a transaction enters. */
  readonly serial: ArrayLike<number>;
  /** Location of the record (jobs/assemble-messages.ts); `length` is the transaction's. */
  readonly segment: ArrayLike<number>;
  readonly offset: ArrayLike<number>;
  readonly length: ArrayLike<number>;
  /** Returns the rows of all candidates. */
  here(): Int32Array;
  isHere(row: number): boolean;
  hasWitness(row: number): boolean;
}

/** The candidates as columns, with records in shared memory. The mempool's pool implements it. */
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
  /** Serial of the newest transaction that ever entered. */
  readonly lastSerial: number;
  /** Returns the row of a txid (internal order); negative if it is not a candidate. */
  find(txid: Uint8Array): number;
  /** Sum of the serialised sizes of all transactions. */
  readonly txBytes: number;
  follow(follower: RecordFollower): void;
  /** Holds a row: its figures and record stay until it is released, even if its transaction leaves. */
  hold(row: number): void;
  release(row: number): void;
}

/** The candidates; the mempool implements it. */
export interface TransactionSource {
  readonly size: number;
  /** Counter of mempool updates, uint32. */
  readonly counter: number;
  readonly records: CandidateRecords;
  /** Resolves when the candidates match the tip. */
  settled(): Promise<void>;
  /** True while transactions of disconnected blocks are being added again: settled() takes a while. */
  readonly returning: boolean;
}

/** A piece of shared memory for one template. */
export interface TemplateSlab {
  readonly index: number;
  readonly buffer: SharedArrayBuffer;
}

/** The ring of slabs from which fronts read templates. */
export interface TemplateSlabs {
  /** Returns a slab immediately if one is free. */
  takeSlabWhenFree(sizeBytes: number): TemplateSlab | Promise<TemplateSlab>;
  publish(slab: TemplateSlab): unknown;
  discard(slab: TemplateSlab): void;
}
