// What the node thread's methods need of the rest of the node: small interfaces that chain, mempool, template and the
// others implement and that node/wiring fills in. Hashes are 32 bytes in internal order, amounts satoshis, times seconds.
import type { BlockView } from '../../consensus/block/block-view.js';
import type { Coin } from '../../consensus/coin.js';
import type { ChainParams } from '../../consensus/params/types.js';
import type { Reject, Verdict } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Crypto } from '../../crypto/crypto.js';
import type { Clock } from '../../lib/clock.js';
import type { TemplateRequest } from '../front/template-request.js';
import type { RawJson } from '../wire/values.js';

/** A header of the tree; chain's HeaderNode. */
export interface HeaderInfo {
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
  medianTimePast(): number;
  ancestor(height: number): HeaderInfo | null;
}

/** How far a block got. `valid` means connected at least once, `failed` that it or an ancestor broke a rule. */
export interface BlockState {
  readonly failed: boolean;
  readonly hasData: boolean;
  readonly hasUndo: boolean;
  readonly valid: boolean;
}

/** What came of a block that was handed in. */
export interface BlockOutcome {
  readonly kind: 'accepted' | 'duplicate' | 'inconclusive' | 'invalid';
  readonly reject?: Reject | null;
  readonly isNew?: boolean;
}

/** Facts of the unspent set, from one pinned state. */
export interface CoinsStats {
  readonly height: number;
  readonly bestBlock: Uint8Array;
  readonly transactions: number;
  readonly outputs: number;
  readonly bogoSize: number;
  /** Only when asked for. */
  readonly hashSerialized: Uint8Array | null;
  readonly diskSize: number;
  readonly totalSats: number;
}

/** State of one versionbits deployment for the block after the tip. */
export interface DeploymentState {
  readonly name: string;
  readonly bit: number;
  readonly status: 'defined' | 'started' | 'locked_in' | 'active' | 'failed';
  readonly startTime: bigint | number;
  readonly timeout: bigint | number;
  readonly since: number;
  readonly minActivationHeight: number;
  readonly statistics?: {
    readonly period: number;
    readonly threshold: number;
    readonly elapsed: number;
    readonly count: number;
    readonly possible: boolean;
  };
}

/** The chain as RPC sees it. */
export interface ChainAccess {
  readonly params: ChainParams;
  readonly tip: HeaderInfo;
  readonly genesis: HeaderInfo;
  readonly bestHeader: HeaderInfo;
  node(hash: Uint8Array | string): HeaderInfo | null | undefined;
  /** The block of the best chain at a height. */
  atHeight(height: number): HeaderInfo | null | undefined;
  /** Whether the header is in the best chain. */
  contains(node: HeaderInfo): boolean;
  blockState(node: HeaderInfo): BlockState;
  isInitialBlockDownload(): boolean;
  submitBlock(bytes: Uint8Array, options?: { force?: boolean }): Promise<BlockOutcome>;
  submitHeader(bytes: Uint8Array): Promise<Verdict>;
  testBlockValidity(block: BlockView, options: { checkPow: boolean; checkMerkle: boolean }): Promise<Verdict>;
  invalidateBlock(node: HeaderInfo): Promise<Verdict>;
  reconsiderBlock(node: HeaderInfo): Promise<Verdict>;
  preciousBlock(node: HeaderInfo): Promise<Verdict>;
  readBlock(node: HeaderInfo): Promise<BlockView>;
  /** Spent coins per non-coinbase transaction of the block, in block order. */
  readUndo(node: HeaderInfo): Promise<Coin[][]>;
  /** An unspent output; the argument is txid and little-endian index, 36 bytes. */
  coin(outpoint: Uint8Array): Promise<Coin | undefined>;
  coinsStats(options: { hashSerialized: boolean }): Promise<CoinsStats>;
  /** Heads of all branches. */
  tips(): HeaderInfo[];
  verifyChain(level: number, blocks: number): Promise<boolean>;
  /** Bytes of block and undo files. */
  sizeOnDisk(): number | Promise<number>;
  deployments(): DeploymentState[];
  /** Warnings of the node, empty when there are none. */
  warnings(): string;
  /** Calls back after each change of the tip; returns the way to stop. */
  onTipChange(listener: (tip: HeaderInfo) => void): () => void;
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

/** What came of an offered transaction. `missingInputs` is the class that Core answers with -25. */
export interface PoolVerdict {
  readonly reject: Reject | null;
  /** Base fee and BIP-0141 virtual size, known when accepted. */
  readonly fee: number;
  readonly vsize: number;
}

/** The pool as RPC sees it. */
export interface PoolAccess {
  get(txid: Uint8Array): PoolEntry | undefined;
  /** All txids at this moment, internal order, in Core's listing order (depth, then score). */
  txids(): Uint8Array[];
  /** All in-pool ancestors, the transaction itself left out. */
  ancestors(txid: Uint8Array): Uint8Array[];
  descendants(txid: Uint8Array): Uint8Array[];
  info(): PoolInfo;
  /** Checks, and keeps the transaction unless testOnly. */
  accept(tx: TxView, options: { testOnly: boolean }): Promise<PoolVerdict>;
  /** Announces again what is already here. */
  announce(txid: Uint8Array): void;
  prioritise(txid: Uint8Array, feeDeltaSats: number): void;
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
  timeOffset(): number;
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
  readonly mempool: PoolAccess;
  readonly templates: TemplateAccess;
  readonly grinder: GrindAccess;
  readonly network: NetworkAccess;
  readonly log: LogControl;
  /** Compressed or uncompressed public key of a private key; null when the key is out of range. */
  publicKey(secret: Uint8Array, compressed: boolean): Uint8Array | null;
  /** Resolves when every event up to now reached wallet, notifiers and indexes. */
  settle(): Promise<void>;
  /** Begins the end of the process, after the reply is out. */
  stop(waitMs: number): void;
  /** Fires when the node begins to stop. */
  readonly stopping: AbortSignal;
  /** Calls under way: method and start on the monotonic clock. */
  activeCommands(): readonly { method: string; startedMs: number }[];
  /** Start of the process, milliseconds since 1970. */
  readonly startedSeconds: number;
}
