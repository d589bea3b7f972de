// What the node thread's methods need of the rest of the node: small interfaces that chain, mempool, template and the
// others implement and that node/wiring fills in. Hashes are 32 bytes in internal order, amounts satoshis, times seconds.
import type { BlockView } from '../../consensus/block/block-view.js';
import type { Coin } from '../../consensus/coin.js';
import type { HeaderContext } from '../../consensus/header-context.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import type { VersionBitsCache } from '../../consensus/rules/versionbits.js';
import type { Reject, Verdict } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Crypto } from '../../crypto/crypto.js';
import type { Clock } from '../../lib/clock.js';
import type { TemplateRequest } from '../front/template-request.js';
import type { RawJson } from '../wire/values.js';

/** A header of the tree; chain's HeaderNode is one. */
export interface HeaderInfo extends HeaderContext {
  readonly hash: Uint8Array;
  readonly hashHex: string;
  readonly prev: HeaderInfo | null;
  readonly height: number;
  readonly version: number;
  readonly merkleRoot: Uint8Array;
  readonly time: number;
  readonly bits: number;
  readonly nonce: number;
  readonly chainWork: bigint;
  /** Transactions in the block, 0 while the block was never stored. */
  readonly txCount: number;
  /** Transactions up to and including the block, 0 while some ancestor was never stored. */
  readonly chainTxCount: number;
  /** The 80 bytes. */
  readonly headerBytes: Uint8Array;
  ancestor(height: number): HeaderInfo | null;
}

/** What came of a block that was handed in. */
export interface BlockOutcome {
  readonly kind: 'accepted' | 'duplicate' | 'inconclusive' | 'invalid';
  readonly reject: Reject | null;
  readonly isNew: boolean;
}

/** What is known of a block hash before the block is looked at. */
export type KnownBlock = 'duplicate' | 'duplicate-invalid' | 'duplicate-inconclusive' | 'unknown';

/** One head of the tree. */
export interface TipInfo {
  readonly node: HeaderInfo;
  readonly branchLength: number;
  readonly status: 'active' | 'invalid' | 'headers-only' | 'valid-fork' | 'valid-headers';
}

/** Facts of the unspent set, from one pinned state. */
export interface CoinsStats {
  readonly height: number;
  readonly bestBlock: HeaderInfo;
  readonly transactions: number;
  readonly outputs: number;
  readonly bogoSize: number;
  readonly hashSerialized: Uint8Array;
  readonly diskSize: number;
  readonly totalAmount: bigint;
}

/** The chain as RPC sees it; chain/chain.ts is one. */
export interface ChainAccess {
  readonly params: ChainParams;
  readonly tip: HeaderInfo;
  readonly genesis: HeaderInfo;
  readonly bestHeader: HeaderInfo;
  /** @param hash 32 bytes internal order, or display hex */
  node(hash: Uint8Array | string): HeaderInfo | undefined;
  /** The block of the best chain at a height. */
  atHeight(height: number): HeaderInfo | undefined;
  /** Whether the header is in the best chain. */
  contains(node: HeaderInfo): boolean;
  /** The block after one of the best chain's. */
  next(node: HeaderInfo): HeaderInfo | undefined;
  isInitialBlockDownload(): boolean;
  verificationProgress(node: HeaderInfo): number;
  known(hash: Uint8Array): KnownBlock;
  /** The block with the coinbase's witness nonce filled in where a miner left it out. */
  withWitnessReserved(block: BlockView): BlockView;
  submitBlock(block: Uint8Array | BlockView, options?: { force?: boolean }): Promise<BlockOutcome>;
  submitHeader(bytes: Uint8Array): Promise<Verdict>;
  testBlockValidity(block: BlockView, options: { checkPow: boolean; checkMerkle: boolean }): Promise<Verdict>;
  /** False: genesis, which cannot be. */
  invalidateBlock(node: HeaderInfo): Promise<boolean>;
  reconsiderBlock(node: HeaderInfo): Promise<void>;
  preciousBlock(node: HeaderInfo): Promise<void>;
  /** Whether the block's bytes are stored. */
  hasBlock(node: HeaderInfo): boolean;
  readBlock(node: HeaderInfo): Promise<BlockView>;
  readBlockBytes(node: HeaderInfo): Promise<Uint8Array>;
  /** Spent coins of each transaction after the coinbase, per input. */
  readUndo(node: HeaderInfo): Promise<Coin[][]>;
  /** An unspent output; the argument is txid and little-endian index, 36 bytes. */
  coin(outpoint: Uint8Array): Promise<Coin | undefined>;
  coinsStats(hashType?: 'hash_serialized_2' | 'none'): Promise<CoinsStats>;
  /** Heads of all branches, highest first. */
  tips(): TipInfo[];
  verifyChain(level: number, blocks: number): Promise<boolean>;
  /** Calls back after each change of the tip; returns the way to stop. */
  onTip(listener: (tip: HeaderInfo) => void): () => void;
}

/** A transaction of the pool with its place among the others. */
export interface PoolEntry {
  readonly tx: TxView;
  readonly fee: number;
  readonly modifiedFee: number;
  /** Sigop-adjusted virtual size. */
  readonly vsize: number;
  readonly weight: number;
  readonly time: number;
  readonly height: number;
  readonly descendantCount: number;
  readonly descendantSize: number;
  readonly descendantFees: number;
  readonly ancestorCount: number;
  readonly ancestorSize: number;
  readonly ancestorFees: number;
  /** Internal-order txids of unconfirmed parents and children. */
  readonly parents: readonly Uint8Array[];
  readonly children: readonly Uint8Array[];
  readonly replaceable: boolean;
  readonly unbroadcast: boolean;
}

/** Figures of getmempoolinfo. */
export interface PoolInfo {
  readonly loaded: boolean;
  readonly size: number;
  readonly bytes: number;
  readonly usage: number;
  readonly maxBytes: number;
  /** Satoshis per 1000 virtual bytes. */
  readonly minFeeRate: number;
  readonly minRelayFeeRate: number;
  readonly incrementalFeeRate: number;
  readonly unbroadcastCount: number;
}

/** What came of an offered transaction. */
export interface PoolVerdict {
  /** Null when it was (or would be) taken. */
  readonly reject: Reject | null;
  /** The fee was above the caller's limit; the transaction was not kept. */
  readonly feeExceeded: boolean;
  /** Base fee in satoshis and BIP-0141 virtual size; 0 when rejected. */
  readonly fee: number;
  readonly vsize: number;
}

/** How a transaction is offered. */
export interface PoolOffer {
  /** Only check. */
  readonly testOnly: boolean;
  /** Base fee that must not be exceeded, null for any. */
  readonly maxFeeSats: number | null;
}

/** The pool as RPC sees it. */
export interface PoolAccess {
  get(txid: Uint8Array): PoolEntry | undefined;
  /** All txids at this moment, internal order, in Core's listing order (ancestor count, then mining score). */
  txids(): Uint8Array[];
  /** All ancestors in the pool, the transaction itself left out. */
  ancestors(txid: Uint8Array): Uint8Array[];
  descendants(txid: Uint8Array): Uint8Array[];
  /** Whether a transaction of the pool spends this outpoint, 36 bytes. */
  isSpent(outpoint: Uint8Array): boolean;
  /** Additions and removals so far, for mempool_sequence. */
  sequence(): number;
  info(): PoolInfo;
  accept(tx: TxView, offer: PoolOffer): Promise<PoolVerdict>;
  /** Announces again what is already here. */
  announce(txid: Uint8Array): void;
  prioritise(txid: Uint8Array, feeDeltaSats: number): void;
}

/** Where every transaction of the best chain is, when -txindex is on. */
export interface TxIndexAccess {
  /** Whether it has caught up with the tip. */
  synced(): boolean | Promise<boolean>;
  find(txid: Uint8Array): Promise<{ tx: TxView; blockHash: Uint8Array } | undefined>;
}

/** Templates for the methods that build blocks, and for getblocktemplate calls that reach the node thread in a batch. */
export interface TemplateAccess {
  /** A getblocktemplate reply's result; long polls end early when the signal fires. */
  getBlockTemplate(request: TemplateRequest, signal: AbortSignal | undefined): Promise<RawJson>;
  /** A whole block on the tip without proof of work, its coinbase paying the script; `empty` leaves the pool out. */
  buildBlock(script: Uint8Array, options: { empty: boolean }): Promise<Uint8Array>;
  /** Weight and transaction count (without coinbase) of the last block assembled, null before the first. */
  lastAssembled(): { weight: number; transactions: number } | null;
}

/** Searches a nonce; null when none of the first maxTries nonces (from 0) meets the target. */
export interface GrindAccess {
  grind(header: Uint8Array, target: bigint, maxTries: number, signal?: AbortSignal): Promise<{ nonce: number } | null>;
}

/** What the network room knows. */
export interface NetworkAccess {
  connections(): { in: number; out: number };
  peers(): readonly PeerInfo[];
  totals(): { received: number; sent: number };
  readonly subversion: string;
  readonly protocolVersion: number;
  readonly localServices: bigint;
  readonly serviceNames: readonly string[];
  readonly active: boolean;
  readonly relays: boolean;
  /** ipv4, ipv6, onion, as getnetworkinfo lists them. */
  readonly networks: readonly NetworkInfo[];
  timeOffset(): number;
}

/** One of getnetworkinfo's networks, members in wire order. */
export interface NetworkInfo {
  readonly name: string;
  readonly limited: boolean;
  readonly reachable: boolean;
  readonly proxy: string;
  readonly proxy_randomize_credentials: boolean;
}

/** A peer as getpeerinfo shows it; members in order, already in wire form. */
export type PeerInfo = Readonly<Record<string, string | number | boolean | null>>;

/** The mock clock and the scheduler that tests move. */
export interface ClockControl extends Clock {
  /** Sets the mock time in seconds; 0 ends it. */
  setMockTime(seconds: number): void;
  /** Runs what is due in the next seconds now. */
  advanceScheduler(seconds: number): void;
}

/** Log categories. */
export interface LogControl {
  /** Names in Core's order with whether they are on. */
  categories(): readonly (readonly [name: string, on: boolean])[];
  /** False when there is no category of that name. */
  enable(name: string): boolean;
  disable(name: string): boolean;
  /** The log file's full path. */
  readonly path: string;
}

/** Everything a node method may use. */
export interface NodeContext {
  readonly params: ChainParams;
  readonly crypto: Crypto;
  readonly clock: ClockControl;
  readonly chain: ChainAccess;
  /** Deployment states by period, one per header tree. */
  readonly versionBits: VersionBitsCache;
  readonly mempool: PoolAccess;
  /** Null without -txindex. */
  readonly txIndex: TxIndexAccess | null;
  readonly templates: TemplateAccess;
  readonly grinder: GrindAccess;
  readonly network: NetworkAccess;
  readonly log: LogControl;
  /** Compressed or uncompressed public key of a private key; null when the key is out of range. */
  publicKey(secret: Uint8Array, compressed: boolean): Uint8Array | null;
  /** Resolves when every event up to now reached wallet, notifiers and indexes. */
  settle(): Promise<void>;
  /** Bytes of block and undo files. */
  sizeOnDisk(): number | Promise<number>;
  /** Warnings of the node, empty when there are none. */
  warnings(): string;
  /** Begins the end of the process, after the reply is out. */
  stop(waitMs: number): void;
  /** Fires when the node begins to stop. */
  readonly stopping: AbortSignal;
  /** Calls under way: method and start on the monotonic clock. */
  activeCommands(): readonly { method: string; startedMs: number }[];
  /** Start of the process, seconds since 1970. */
  readonly startedSeconds: number;
}
