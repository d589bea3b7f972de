// All that a wallet knows of the node. The wallet room is told of blocks and of the mempool by ordered events, and asks
// questions; both may cross a thread. Hashes are in internal order, times in seconds, amounts in satoshis, rates in
// satoshis per 1,000 virtual bytes.
//
// One rule: a reply reflects every block and transaction acknowledged before the call came. A call begins with sync(),
// which hands on all events up to the number that was read when the call began. Answers come in the order of the events,
// so that an answer never tells of less than the events before it.
//
// Questions take and give what structuredClone copies: numbers, texts, byte arrays, records and lists of these.
import type { BlockView } from '../consensus/block/block-view.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import type { FoundTx } from '../jobs/scan-blocks.js';
import type { SignJob, SignJobResult } from '../jobs/sign.js';
import type { ScanTargets } from '../parallel/block-scanner.js';

/** Core's TIMESTAMP_WINDOW, seconds: how far a block's time may run ahead. */
export const TIMESTAMP_WINDOW = 7200;

/** A block as the node knew it when it told of it. */
export interface BlockFacts {
  readonly hash: Uint8Array;
  readonly hashHex: string;
  /** Null before genesis. */
  readonly prevHash: Uint8Array | null;
  readonly height: number;
  readonly time: number;
  /** The largest time up to this block. */
  readonly maxTime: number;
  readonly medianTime: number;
  /** Share of the chain's transactions that come up to this block, 0 to 1. */
  readonly progress: number;
}

/** Whether both are the same block. */
export const sameBlock = (a: BlockFacts | null, b: BlockFacts | null): boolean => a?.hashHex === b?.hashHex;

/** A block, what the best chain says of it, and how many transactions it has (0 while it was never stored). */
export interface KnownBlock {
  readonly block: BlockFacts;
  readonly inChain: boolean;
  readonly txCount: number;
}

/** A transaction that was in the mempool, as an event; it is parsed when asked for, for there may be 300,000. */
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

/** What happened, in the order it did. */
export type NodeEvent =
  /** @param locator of the wallet's tip after it: hashes of the tip and ever sparser ancestors, genesis last */
  | { readonly kind: 'connected'; readonly node: BlockFacts; readonly block: BlockView; readonly locator: Uint8Array }
  /** `before` is the block that the chain ends with now. */
  | {
      readonly kind: 'disconnected';
      readonly node: BlockFacts;
      readonly block: BlockView;
      readonly before: BlockFacts;
      readonly locator: Uint8Array;
    }
  /** The chain went on from a snapshot: the blocks up to this one come later, all at once. */
  | { readonly kind: 'jumped'; readonly node: BlockFacts; readonly locator: Uint8Array }
  | { readonly kind: 'entered'; readonly tx: TxView }
  | { readonly kind: 'left'; readonly tx: TxView; readonly conflict: boolean }
  /** All that the mempool holds, parents first: what is not in the list is not there. */
  | { readonly kind: 'pool'; readonly txs: readonly MempoolTx[] }
  /** The blocks below a snapshot are all here. */
  | { readonly kind: 'history' };

/** Rates that the node's rules set. */
export interface NodeRates {
  /** What enters a full mempool; 0 while there is room. */
  readonly poolMinimum: number;
  readonly relayMinimum: number;
  readonly incremental: number;
  readonly dust: number;
}

/** A transaction of the mempool among its relatives, itself counted. */
export interface Relatives {
  readonly ancestors: number;
  /** Virtual bytes and modified fees of it and its ancestors. */
  readonly ancestorSize: number;
  readonly ancestorFees: number;
  /** Descendants of the topmost ancestor that has most of them. */
  readonly descendants: number;
  readonly cluster: number;
  /** Whether something in the mempool spends its outputs. */
  readonly hasDescendants: boolean;
  /** Whether an ancestor says that it can be replaced (BIP-0125). */
  readonly replaceableAncestor: boolean;
}

/** A transaction of the mempool that spends an output. */
export interface Spender {
  readonly txid: Uint8Array;
  readonly version: number;
}

/** Which blocks are stored. */
export interface StoredBlocks {
  /** Whether blocks were ever deleted for want of room. */
  readonly havePruned: boolean;
  /** Whether the blocks below a snapshot that the chain stands on are still being downloaded. */
  readonly historyMissing: boolean;
  /** Height of the lowest block from which on all blocks up to the tip are stored. */
  readonly lowest: number;
}

/** A block, and the last one that it shares with another's branch: either of the two when one descends from the other. */
export interface Fork {
  readonly block: BlockFacts;
  readonly shared: BlockFacts;
}

/** At once on the node's own thread. */
export type Answer<T> = T | Promise<T>;

/** What is asked of the node. Each answer is of one moment. */
export interface NodeQueries {
  /** Null: there is no such header. */
  block(hash: Uint8Array): Answer<KnownBlock | null>;
  /** Blocks of the best chain from a height on, as many as there are. */
  blocks(from: number, count: number): Answer<readonly BlockFacts[]>;
  /** Heights of blocks in the best chain, -1 for others. */
  heights(hashes: readonly Uint8Array[]): Answer<readonly number[]>;
  /** Where the branches of two blocks part, whatever the best chain is; null: there is no such header. */
  fork(hash: Uint8Array, other: Uint8Array): Answer<Fork | null>;
  /** The block at a height that a block descends from; null: there is none. */
  ancestor(hash: Uint8Array, height: number): Answer<BlockFacts | null>;
  /** The first block of the best chain whose own or any earlier block's time reaches a moment; null when none does. */
  firstBlockSince(seconds: number): Answer<BlockFacts | null>;
  /** See NodeEvent. */
  locator(hash: Uint8Array): Answer<Uint8Array>;
  /** A block's bytes. Rejects when it cannot be read. */
  readBlock(hash: Uint8Array): Promise<Uint8Array>;
  stored(): Answer<StoredBlocks>;
  /** Whether all blocks of the best chain between two heights are stored. */
  hasBlocks(first: number, last: number): Answer<boolean>;
  /**
   * Looks through blocks.
   * @param targets what for; null: every transaction is found
   * @returns what was found of each; null for a block that cannot be read
   */
  scan(hashes: readonly Uint8Array[], targets: ScanTargets | null): Promise<readonly (readonly FoundTx[] | null)[]>;

  /** Has a thread of the node's pool sign; the job's buffers are shared, and the asker's to overwrite. */
  sign(job: SignJob): Promise<SignJobResult>;

  isInitialBlockDownload(): Answer<boolean>;
  /** Whether payments may be handed in again: the mempool was read, and the node has all blocks. */
  isReady(): Answer<boolean>;
  /** Rate 0: nothing is known. */
  estimate(target: number, conservative: boolean): Answer<{ readonly feeRate: number; readonly reason: string }>;
  rates(): Answer<NodeRates>;
  /** Of each transaction; null for those that are not in the mempool. */
  relatives(txids: readonly Uint8Array[]): Answer<readonly (Relatives | null)[]>;
  /** What spends outputs (36-byte outpoints) in the mempool, null where nothing does. */
  spenders(outpoints: readonly Uint8Array[]): Answer<readonly (Spender | null)[]>;
  /**
   * What spenders of outputs (36-byte outpoints) pay so that the unconfirmed transactions they are of reach a rate:
   * each alone, and all together, where shared parents count once. Null: too many depend on each other.
   */
  bumpFees(
    outpoints: readonly Uint8Array[],
    feeRate: number,
  ): Answer<{ readonly each: readonly number[]; readonly together: number } | null>;
  /** Outputs of mempool transactions, spent there or not, and unspent ones of the chain; null where there is none. */
  outputs(outpoints: readonly Uint8Array[]): Promise<(SpentOutput | null)[]>;
  /** Whether the mempool would take it, as far as the number and size of its relatives go. @param tx its bytes */
  fitsChainLimits(tx: Uint8Array): Answer<boolean>;
  /**
   * Hands a transaction in for the mempool, and for the peers with `relay`.
   * @param tx its bytes
   * @returns why it is refused, null when it is there
   */
  broadcast(tx: Uint8Array, maxFeeSats: number, relay: boolean): Promise<string | null>;
}

export interface NodeClient extends NodeQueries {
  /** Of the best chain, as of the events handed on. */
  readonly tip: BlockFacts;
  readonly genesis: BlockFacts;
  /** Whether a block that was told of as one of the best chain is in it still, as of the events handed on. */
  contains(block: BlockFacts): boolean;
  /** How many scans may be under way at once; 0: there are no threads for them. */
  readonly scanDepth: number;
  /** Threads that sign; 0: there are none. */
  readonly signers: number;
  /** Whether scans leave out blocks by their filters (BIP-0158). */
  readonly hasFilters: boolean;
  readonly longestTarget: number;
  /** The mempool's limits of relatives. */
  readonly maxAncestors: number;
  readonly maxDescendants: number;

  /**
   * Events from here on; none are made while nothing listens.
   * @param listener a promise that it returns is settled when it needs the event no more. When too much is needed still,
   * blocks are told of without their bytes
   * @returns the way to stop, once every later event is told
   */
  listen(listener: (event: NodeEvent) => unknown): Promise<() => void>;
  /** Hands on every event of what was acknowledged before. */
  sync(): void;
  /** Calls with what the mempool holds, in its place among the events. */
  readMempool(listener: (event: NodeEvent) => void): Promise<void>;
  /** Settled when transactions of blocks that left the chain are back in the mempool; undefined when none are on their way. */
  settled(): Promise<void> | undefined;
  /** Blocks from a height on are not deleted; infinite: all may be. */
  setPruneGuard(height: number): void;
}
