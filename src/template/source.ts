// What templates are made from: small views of chain, mempool and the slab ring, which have never heard of each other here.
import type { BlockView } from '../consensus/block/block-view.js';
import type { HeaderContext } from '../consensus/header-context.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { Verdict } from '../consensus/state.js';
import type { TxView } from '../consensus/tx/tx-view.js';

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

/** An unconfirmed transaction with its figures. Sums include itself; sizes are sigop-adjusted virtual bytes. */
export interface SourceEntry {
  readonly tx: TxView;
  /** Base fee in satoshis. */
  readonly fee: number;
  readonly modifiedFee: number;
  readonly size: number;
  readonly weight: number;
  readonly sigopCost: number;
  readonly ancestorCount: number;
  readonly ancestorSize: number;
  /** Modified fees. */
  readonly ancestorFees: number;
  readonly ancestorSigops: number;
  readonly parents: Iterable<SourceEntry>;
}

/** Hears of changes synchronously. `changed`: modified fee, parents or sums over ancestors. */
export interface SourceListener {
  added(entry: SourceEntry): void;
  removed(entry: SourceEntry): void;
  changed(entry: SourceEntry): void;
}

/** The candidate set; the mempool implements it. */
export interface TransactionSource {
  readonly size: number;
  /** Transactions-updated counter, uint32. */
  readonly counter: number;
  entries(): Iterable<SourceEntry>;
  listen(listener: SourceListener): void;
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
  takeWhenFree(sizeBytes: number): Promise<TemplateSlab>;
  publish(slab: TemplateSlab): unknown;
  discard(slab: TemplateSlab): void;
}
