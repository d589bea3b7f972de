// Interface of the node for wallets. Wallets receive blocks and mempool changes as ordered events, and send queries.
// Both may cross a thread. Hashes are in internal order, times in seconds, amounts in satoshis, rates in satoshis per
// 1,000 virtual bytes.
//
// One rule: a reply reflects every block and transaction that the node acknowledged before the call arrived. A call
// begins with sync(), which delivers all events up to the number that it reads at that moment. Replies to queries
// arrive in order with the events, so a reply never reflects less than the events before it.
//
// Parameters and results of queries are values that structuredClone copies: numbers, strings, byte arrays, records, and
// lists of these.
import type { BlockView } from '../consensus/block/block-view.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import type { FoundTx } from '../jobs/scan-blocks.js';
import type { SignJob, SignJobResult } from '../jobs/sign.js';
import type { ScanTargets } from '../parallel/block-scanner.js';

/** Tolerance for block times that run ahead, seconds (Core's TIMESTAMP_WINDOW). */
export const TIMESTAMP_WINDOW = 7200;

/** Block as the node knew it when it sent the event. */
export interface BlockFacts {
  readonly hash: Uint8Array;
  readonly hashHex: string;
  /** Hash of the previous block; null for the genesis block. */
  readonly prevHash: Uint8Array | null;
  readonly height: number;
  readonly time: number;
  /** Largest block time up to this block. */
  readonly maxTime: number;
  readonly medianTime: number;
  /** Share of the chain's transactions up to this block, 0 to 1. */
  readonly progress: number;
}

/** Returns whether both arguments are the same block, or both null. */
export const sameBlock = (a: BlockFacts | null, b: BlockFacts | null): boolean => a?.hashHex === b?.hashHex;

/** Block with its place (best chain or not) and its number of transactions; 0 if the block was never stored. */
export interface KnownBlock {
  readonly block: BlockFacts;
  readonly inChain: boolean;
  readonly txCount: number;
}

/**
 * Mempool transaction as readMempool reports it. The bytes are parsed on demand, because there may be 300,000
 * transactions.
 */
export class MempoolTx {
  readonly kind = 'entered';
  readonly txid: Uint8Array;
  readonly bytes: Uint8Array;
  readonly #hashes: Hashes;

  constructor(txid: Uint8Array, bytes: Uint8Array, hashes: Hashes) {
    this.txid = txid;
    this.bytes = bytes;
    this.#hashes = hashes;
  }

  get tx(): TxView {
    return parseTx(this.bytes, this.#hashes);
  }
}

/** Change of the chain or the mempool. Wallets receive events in the order in which the changes happened. */
export type NodeEvent =
  /**
   * A block was connected.
   * @param locator of the new tip: hashes of the tip and ever sparser ancestors, genesis last
   */
  | { readonly kind: 'connected'; readonly node: BlockFacts; readonly block: BlockView; readonly locator: Uint8Array }
  /** A block (`node`) was disconnected. The block before it (`before`) is the new tip. */
  | {
      readonly kind: 'disconnected';
      readonly node: BlockFacts;
      readonly block: BlockView;
      readonly before: BlockFacts;
      readonly locator: Uint8Array;
    }
  /**
   * The tip is this block, but the bytes of blocks are missing: the chain jumped to a coins snapshot or over blocks of
   * the download engine, or the wallets are too far behind. Wallets scan the skipped blocks later.
   */
  | { readonly kind: 'jumped'; readonly node: BlockFacts; readonly locator: Uint8Array }
  | { readonly kind: 'entered'; readonly tx: TxView }
  | { readonly kind: 'left'; readonly tx: TxView; readonly conflict: boolean }
  /** Complete content of the mempool, parents first. Transactions that are not in the list are not in the mempool. */
  | { readonly kind: 'pool'; readonly txs: readonly MempoolTx[] }
  /** All blocks below the tip are stored now, so wallets scan those that they skipped. @see NodeClient.confirmJump */
  | { readonly kind: 'history'; readonly jumps: number };

/** Fee rates that the node requires. */
export interface NodeRates {
  /** Minimum rate of the mempool; 0 while it is not full. */
  readonly mempoolMinimum: number;
  readonly relayMinimum: number;
  readonly incremental: number;
  readonly dust: number;
}

/** Relatives of a mempool transaction. All counts include the transaction itself. */
export interface Relatives {
  readonly ancestors: number;
  /** Virtual size and modified fees of the transaction and its ancestors. */
  readonly ancestorSize: number;
  readonly ancestorFees: number;
  /** Number of descendants of the ancestor that has most of them, among ancestors without parents in the mempool. */
  readonly descendants: number;
  readonly cluster: number;
  /** True if another mempool transaction spends this transaction's outputs. */
  readonly hasDescendants: boolean;
  /** True if an ancestor signals replaceability (BIP-0125). */
  readonly replaceableAncestor: boolean;
}

export interface StoredBlocks {
  /** True if blocks were ever pruned. */
  readonly havePruned: boolean;
  /** True if blocks below a snapshot are still being downloaded. */
  readonly historyMissing: boolean;
  /** Lowest height from which all blocks up to the tip are stored. */
  readonly lowest: number;
}

/**
 * A block, and its last common ancestor with another branch (`shared`). If one of the two branches contains the other,
 * `shared` is the end of the shorter branch.
 */
export interface Fork {
  readonly block: BlockFacts;
  readonly shared: BlockFacts;
}

/** Result of a query; synchronous on the node thread. */
export type Answer<T> = T | Promise<T>;

/** Queries to the node. Each result describes the node at one moment. */
export interface NodeQueries {
  /** Returns a block; null if the header is unknown. */
  block(hash: Uint8Array): Answer<KnownBlock | null>;
  /** Returns blocks of the best chain from a height on; fewer if the chain ends. */
  blocks(from: number, count: number): Answer<readonly BlockFacts[]>;
  /** Returns the heights of blocks in the best chain; -1 for other blocks. */
  heights(hashes: readonly Uint8Array[]): Answer<readonly number[]>;
  /**
   * Returns where the branches of two blocks part; null if a header is unknown. The blocks need not be in the best
   * chain.
   */
  fork(hash: Uint8Array, other: Uint8Array): Answer<Fork | null>;
  /** Returns the ancestor of a block at a height; null if there is none. */
  ancestor(hash: Uint8Array, height: number): Answer<BlockFacts | null>;
  /**
   * Returns the first block of the best chain at which the largest block time so far reaches a time; null if there is
   * none.
   */
  firstBlockSince(seconds: number): Answer<BlockFacts | null>;
  /** Returns the locator of a block, see NodeEvent. */
  locator(hash: Uint8Array): Answer<Uint8Array>;
  /** Reads the bytes of a block. Rejects if it cannot be read. */
  readBlock(hash: Uint8Array): Promise<Uint8Array>;
  stored(): Answer<StoredBlocks>;
  /** Returns whether all blocks of the best chain between two heights are stored. */
  hasBlocks(first: number, last: number): Answer<boolean>;
  /**
   * Scans blocks.
   * @param targets scripts and outpoints to find; null: return every transaction
   * @returns the found transactions of each block; null for a block that cannot be read
   */
  scan(hashes: readonly Uint8Array[], targets: ScanTargets | null): Promise<readonly (readonly FoundTx[] | null)[]>;

  /**
   * Signs on a thread of the verify pool. The job's buffers are shared memory, which the caller overwrites afterwards.
   */
  sign(job: SignJob): Promise<SignJobResult>;

  isInitialBlockDownload(): Answer<boolean>;
  /** Returns whether payments may be sent again: the mempool was loaded, and the node has all blocks. */
  isReady(): Answer<boolean>;
  /** Estimates a fee rate; 0 if there is no estimate. */
  estimate(target: number, conservative: boolean): Answer<{ readonly feeRate: number; readonly reason: string }>;
  rates(): Answer<NodeRates>;
  /** Returns the mempool relatives of each transaction; null for a transaction that is not in the mempool. */
  relatives(txids: readonly Uint8Array[]): Answer<readonly (Relatives | null)[]>;
  /**
   * Returns the additional fees for spending outputs (36-byte outpoints) so that their unconfirmed parents reach a fee
   * rate: for each output alone, and for all together, where shared parents count once. Returns null if too many
   * unconfirmed transactions are connected to compute the fees.
   */
  bumpFees(
    outpoints: readonly Uint8Array[],
    feeRate: number,
  ): Answer<{ readonly each: readonly number[]; readonly together: number } | null>;
  /** Returns outputs of mempool transactions, spent or not, and unspent outputs of the chain; null for others. */
  outputs(outpoints: readonly Uint8Array[]): Promise<(SpentOutput | null)[]>;
  /**
   * Returns whether the mempool would accept a transaction, judged only by the number and size of its unconfirmed
   * relatives.
   * @param tx bytes
   */
  fitsChainLimits(tx: Uint8Array): Answer<boolean>;
  /**
   * Submits a transaction to the mempool, and with `relay` also to the peers.
   * @param tx bytes
   * @returns reject reason; null if it is in the mempool
   */
  broadcast(tx: Uint8Array, maxFeeSats: number, relay: boolean): Promise<string | null>;
}

/** Properties of the node that do not change while it runs. */
export interface NodeConstants {
  /** Number of scans that may run concurrently; 0: there are no threads for them. */
  readonly scanDepth: number;
  /** Number of threads that sign; 0: there are none. */
  readonly signers: number;
  /** True if scans skip blocks by their filters (BIP-0158). */
  readonly hasFilters: boolean;
  /** Largest confirmation target of fee estimates, in blocks. */
  readonly longestTarget: number;
  /** Limits of the mempool for ancestors and descendants. */
  readonly maxAncestors: number;
  readonly maxDescendants: number;
}

export interface NodeClient extends NodeQueries {
  /** Tip of the best chain, as of the events delivered so far. */
  readonly tip: BlockFacts;
  readonly genesis: BlockFacts;
  /**
   * Returns whether a block that an event reported in the best chain is still in it, as of the events delivered so far.
   */
  contains(block: BlockFacts): boolean;
  readonly constants: NodeConstants;

  /**
   * Starts to deliver events. The node creates no events while there is no listener.
   * @param listener may return a promise that resolves when it no longer needs the event. While too much data is still
   *   needed, connected blocks arrive as `jumped` events, without bytes
   * @returns function that stops the events for this listener
   */
  listen(listener: (event: NodeEvent) => unknown): Promise<() => void>;
  /** Delivers all events of blocks and transactions that the node has acknowledged so far. */
  sync(): void;
  /** Calls the listener with the content of the mempool, in order with the events. */
  readMempool(listener: (event: NodeEvent) => void): Promise<void>;
  /**
   * Resolves when transactions of disconnected blocks are back in the mempool; undefined if there is nothing to wait
   * for.
   */
  mempoolSettled(): Promise<void> | undefined;
  /** Protects blocks at or above a height from pruning; Infinity: no block. */
  setPruneGuard(height: number): void;
  /**
   * Tells the node that the prune guard covers what wallets need of the blocks over which the tip jumped.
   * @param jumps of the last `history` event. Until then, the node keeps these blocks itself
   */
  confirmJump(jumps: number): void;
}
