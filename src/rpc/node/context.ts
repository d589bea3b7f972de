// What the node thread's methods need of the rest of the node: small interfaces that chain, mempool, template and the
// others implement and that node/wiring fills in. Hashes are 32 bytes in internal order, amounts satoshis, times
// seconds.

import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { KnownTransactions } from '../../chain/known-block.js';
import type { SnapshotFile, SnapshotHead } from '../../chain/snapshot-file.js';
import type { BlockView } from '../../consensus/block/block-view.js';
import type { HeaderView } from '../../consensus/block/header-view.js';
import type { Coin } from '../../consensus/coin.js';
import type { HeaderContext } from '../../consensus/header-context.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import type { VersionBitsCache } from '../../consensus/rules/versionbits.js';
import type { Reject, Verdict } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Crypto } from '../../crypto/crypto.js';
import type { RecoverableSignatures } from '../../crypto/key-math.js';
import type { Signer } from '../../crypto/schnorr-signer.js';
import type { Clock } from '../../lib/clock.js';
import type { Semaphore } from '../../lib/semaphore.js';
import type { PackageResult } from '../../mempool/package/package-acceptor.js';
import type { Compat } from '../../policy/compat.js';
import type { SigningThreads } from '../../signing/sign-transaction.js';
import type { TemplateService } from '../../template/service.js';
import type { ExternalSigner } from '../../wallet/external-signer.js';
import type { WalletManager } from '../../wallet/manage/wallet-manager.js';
import type { SpendTools } from '../../wallet/spend/payment.js';
import type { Wallet } from '../../wallet/wallet.js';
import type { Run } from '../dispatch.js';
import type { TemplateRequest } from '../front/template-request.js';
import type { Amount, RawBytes, RawJson } from '../wire/values.js';

/** A header of the tree; chain's HeaderNode is one. */
export interface HeaderInfo extends HeaderContext {
  readonly hash: Uint8Array;
  readonly hashHex: string;
  readonly prev: HeaderInfo | null;
  readonly height: number;
  readonly version: number;
  readonly merkleRoot: Uint8Array;
  readonly time: number;
  /** The largest time of this block and all before it. */
  readonly maxTime: number;
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

/** How far a block got: `valid` means connected at least once, `failed` that it or an ancestor broke a rule. */
export interface BlockState {
  readonly failed: boolean;
  readonly valid: boolean;
}

/** Facts of the unspent set, from one pinned state. */
export interface CoinsStats {
  readonly height: number;
  /** Hash in internal order. */
  readonly bestBlock: Uint8Array;
  readonly transactions: number;
  readonly outputs: number;
  readonly bogoSize: number;
  /** Only when asked for. */
  readonly hashSerialized: Uint8Array | null;
  /** Only when asked for. */
  readonly muhash: Uint8Array | null;
  readonly diskSize: number;
  readonly totalSats: number;
}

/** Who looks at all coins; chain/walk-coins.ts. */
export interface CoinVisitor {
  /** Scripts looked for. */
  readonly scripts: readonly Uint8Array[];
  /** A coin with one of them, or, rarely, another. @param outpoint txid and little-endian index, 36 bytes */
  visit(outpoint: Uint8Array, coin: Coin): void;
  /** So many more coins were gone over, up to this one. */
  passed(coins: number, outpoint: Uint8Array): void;
  /** True ends the walk at the next slice. */
  stopped(): boolean;
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
  /** Memory for coins, and for the caches of their database (-dbcache). */
  readonly coinsCacheBytes: number;
  verificationProgress(node: HeaderInfo): number;
  known(hash: Uint8Array): KnownBlock;
  /** The block with the coinbase's witness nonce filled in where a miner left it out. */
  withWitnessReserved(block: BlockView): BlockView;
  submitBlock(block: Uint8Array | BlockView, options?: { force?: boolean }): Promise<BlockOutcome>;
  submitHeader(bytes: Uint8Array): Promise<Verdict>;
  testBlockValidity(block: BlockView, options: { checkPow: boolean; checkMerkle: boolean }): Promise<Verdict>;
  /** Whether a block of such transactions is valid on the tip, but for its proof of work; false: not known. */
  isKnownValid(header: HeaderView, coinbase: TxView, known: KnownTransactions): Promise<boolean>;
  invalidateBlock(node: HeaderInfo): Promise<Verdict>;
  reconsiderBlock(node: HeaderInfo): Promise<Verdict>;
  preciousBlock(node: HeaderInfo): Promise<Verdict>;
  /** Whether the block's bytes are stored. */
  hasBlock(node: HeaderInfo): boolean;
  /** Whether they were, and were deleted for want of room. */
  isPruned(node: HeaderInfo): boolean;
  /** Whether that ever happened to a block. */
  readonly havePruned: boolean;
  /** How old blocks are deleted (infinite bytes: by hand only), null when they never are. */
  readonly pruneSettings: { readonly targetBytes: number; readonly afterHeight: number } | null;
  /** The lowest block from which on all blocks up to the tip are stored. */
  readonly lowestStored: HeaderInfo;
  /** Deletes files whose every block is at a height or below it, and far enough below the tip. */
  pruneUpTo(height: number): Promise<void>;
  /** Number of the file that the block's bytes lie in, and where in it; null while they are not stored. */
  blockPlace(node: HeaderInfo): { readonly file: number; readonly pos: number } | null;
  readBlock(node: HeaderInfo): Promise<BlockView>;
  readBlockBytes(node: HeaderInfo): Promise<Uint8Array>;
  /** Whether it is known what the block spent: it was connected once, and its undo data was not deleted. */
  hasUndo(node: HeaderInfo): boolean;
  /** Spent coins of each transaction after the coinbase, per input. */
  readUndo(node: HeaderInfo): Promise<Coin[][]>;
  /** An unspent output; the argument is txid and little-endian index, 36 bytes. */
  coin(outpoint: Uint8Array): Promise<Coin | undefined>;
  /** The same of several, in order. */
  coinsAt(outpoints: readonly Uint8Array[]): Promise<(Coin | undefined)[]>;
  /** The same, with the tip at which they were looked up. */
  coinsAtTip(outpoints: readonly Uint8Array[]): Promise<{ readonly tip: HeaderInfo; readonly coins: readonly (Coin | undefined)[] }>;
  /** Any unspent output of a transaction. */
  anyCoinOf(txid: Uint8Array): Promise<Coin | undefined>;
  coinsStats(options: { hashSerialized: boolean; muhash?: boolean }): Promise<CoinsStats>;
  /**
   * Writes all coins to a file that does not exist; null while another such dump is written. Rejects with the system's
   * error.
   */
  dumpCoins(path: string, form: '0.21' | '28'): Promise<{ tip: HeaderInfo; coins: number; hash: Uint8Array | null } | null>;
  /**
   * Goes over every coin at the tip, in the order of txid and index, on the pool's threads, and shows those with
   * certain scripts.
   */
  walkCoins(visitor: CoinVisitor): Promise<{ tip: HeaderInfo; complete: boolean }>;
  /** The block of the snapshot that the chain was begun with, as long as that matters. */
  readonly snapshot: { readonly base: HeaderInfo; readonly validated: boolean } | null;
  /** The blocks below it that are validated in the background; null for none. */
  readonly history: { readonly tip: HeaderInfo; readonly base: HeaderInfo; readonly coinsCacheBytes: number } | null;
  /** Begins the chain with the coins of a file. @throws SnapshotError when it is refused */
  loadSnapshot(file: SnapshotFile, head: SnapshotHead, poolSize: () => number): Promise<HeaderInfo>;
  /** Heads of all branches, highest first. */
  tips(): HeaderInfo[];
  blockState(node: HeaderInfo): BlockState;
  verifyChain(level: number, blocks: number): Promise<boolean>;
  /** Bytes of block and undo files. */
  sizeOnDisk(): number;
  /** Deployment states by period. */
  readonly versionBits: VersionBitsCache;
  /** Calls back after each change of the tip; returns the way to stop. */
  onTip(listener: (tip: HeaderInfo) => void): () => void;
}

/**
 * A transaction of the pool with its place among the others; sums include itself, fees in sums are modified fees. To be
 * read at once, or from a list that is held.
 */
export interface PoolEntry {
  readonly txid: Uint8Array;
  readonly wtxid: Uint8Array;
  /** Read anew at each access. */
  readonly tx: TxView;
  readonly fee: number;
  readonly modifiedFee: number;
  /** Sigop-adjusted virtual size. */
  readonly size: number;
  readonly weight: number;
  readonly time: number;
  readonly height: number;
  readonly descendantCount: number;
  readonly descendantSize: number;
  readonly descendantFees: number;
  readonly ancestorCount: number;
  readonly ancestorSize: number;
  readonly ancestorFees: number;
  /** BIP-0125: the transaction itself opts in. */
  readonly signalsReplacement: boolean;
  readonly parents: readonly PoolEntry[];
  readonly children: readonly PoolEntry[];
  readonly unbroadcast: boolean;
}

/** Entries that may be read over pauses until they are released, also when some leave the pool meanwhile. */
export interface PoolList {
  readonly length: number;
  at(i: number): PoolEntry;
  release(): void;
}

/** Figures of the pool; rates in satoshis per 1000 virtual bytes. */
export interface PoolStats {
  readonly transactions: number;
  readonly bytes: number;
  readonly usageBytes: number;
  readonly maxUsageBytes: number;
  readonly minFeeRate: number;
  readonly minRelayFeeRate: number;
  readonly incrementalFeeRate: number;
  readonly unbroadcast: number;
  /** Base fees in satoshis. */
  readonly totalFees: number;
  readonly permitBareMultisig: boolean;
  readonly dataCarrierBytes: number;
  /** Infinite where there is no limit; sizes in virtual bytes. */
  readonly limitClusterCount: number;
  readonly limitClusterSize: number;
}

/** What came of an offered transaction. */
export interface PoolVerdict {
  /** Null when it was (or would be) taken. */
  readonly reject: Reject | null;
  /** Base fee in satoshis and BIP-0141 virtual size. */
  readonly fee: number;
  readonly vsize: number;
  /** With what prioritisetransaction added. */
  readonly modifiedFee: number;
  /** Sigop-adjusted virtual size, when it came to that. */
  readonly size: number;
}

/** What became of a transaction that is not in the pool; mempool/recent-fates.ts. */
export interface PoolFate {
  readonly kind: 'refused' | 'left';
  readonly reason: string;
  readonly debug: string;
  readonly time: number;
  readonly rivals: readonly Uint8Array[];
}

/** What of a saved pool counts besides its transactions. */
export interface PoolImport {
  /** They come now, not when the file says. */
  readonly currentTime: boolean;
  readonly feeDeltas: boolean;
  readonly unbroadcast: boolean;
}

/** How a transaction is offered. */
export interface PoolOffer {
  /** Only check. */
  readonly testOnly?: boolean;
  /** Above this base fee it is not kept. */
  readonly maxFeeSats?: number;
}

/** A run of fee rate buckets; mempool/fees has the meaning of each. */
export interface FeeRangeInfo {
  readonly start: number;
  readonly end: number;
  readonly withinTarget: number;
  readonly totalConfirmed: number;
  readonly inMempool: number;
  readonly leftMempool: number;
}

/**
 * What transactions should pay; mempool/fees/fee-estimator.ts is one. Rates in satoshis per 1000 virtual bytes, 0 for
 * no answer.
 */
export interface FeeAccess {
  /** Longest target of a horizon, in blocks. */
  highestTarget(horizon: 'short' | 'medium' | 'long'): number;
  smart(target: number, conservative: boolean): { readonly feeRate: number; readonly blocks: number };
  raw(
    target: number,
    share: number,
    horizon: 'short' | 'medium' | 'long',
  ): {
    readonly feeRate: number;
    readonly decay: number;
    readonly scale: number;
    readonly pass: FeeRangeInfo;
    readonly fail: FeeRangeInfo;
  };
}

/** The pool as RPC sees it; mempool/mempool.ts is one. */
export interface PoolAccess {
  readonly size: number;
  /** Core's mempool sequence number. */
  readonly sequence: number;
  get(txid: Uint8Array): PoolEntry | undefined;
  /** Who spends an outpoint, 36 bytes. */
  spender(outpoint: Uint8Array): PoolEntry | undefined;
  /** Everything, in Core's listing order, as it is at the call. */
  snapshot(breathe?: () => unknown): Promise<PoolList>;
  /** These, in this order. */
  hold(entries: readonly PoolEntry[]): PoolList;
  /** Relatives by the bytes of their txids, the entry itself left out. */
  ancestors(entry: PoolEntry): PoolEntry[];
  descendants(entry: PoolEntry): PoolEntry[];
  /**
   * The cluster of an entry, cut into what is mined as one, best first. Modified fees in satoshis, sigop-adjusted
   * weights.
   */
  cluster(entry: PoolEntry): { readonly fee: number; readonly weight: number; readonly entries: readonly PoolEntry[] }[];
  stats(): PoolStats;
  accept(tx: TxView, offer: PoolOffer): Promise<PoolVerdict>;
  /** A child with its unconfirmed parents. */
  acceptPackage(txs: readonly TxView[], options: { readonly maxFeeRate?: number }): Promise<PackageResult>;
  /** The same question about several, one after the other, nothing is kept. */
  testPackage(txs: readonly TxView[]): Promise<PackageResult>;
  /** Announces what will be offered next, in this order, so that scripts run ahead. */
  foresee(txs: readonly TxView[]): Promise<void>;
  /** A copy of the transaction with this wtxid; undefined when it is not here. */
  byWtxid(wtxid: Uint8Array): TxView | undefined;
  /** A block's transactions, when all of them are here. @param wtxids 32 bytes each, one after the other */
  known(wtxids: Uint8Array): KnownTransactions | null;
  /** Why a transaction that is not here was refused or left, as far as that is remembered. */
  fate(txid: Uint8Array): PoolFate | undefined;
  /** Marks it for announcement until a peer has asked for it. */
  addUnbroadcast(txid: Uint8Array): void;
  /** Tells peers of it once. */
  announce(txid: Uint8Array): void;
  prioritise(txid: Uint8Array, feeDeltaSats: number): void;
  /** Whether it is here and must not pay a fee. */
  hasFixedFee(txid: Uint8Array): boolean;
  /** Prioritisations that are not zero, by txid in internal order. */
  prioritised(): readonly { readonly txid: Uint8Array; readonly delta: number; readonly entry: PoolEntry | undefined }[];
  /** Whether a saved pool is back, or none was to be loaded. */
  readonly loaded: boolean;
  readonly fees: FeeAccess;
  /** Resolves when nothing is on its way back from disconnected blocks. */
  settled(): Promise<void>;
}

/** Where every transaction of the best chain is, when -txindex is on. */
export interface TxIndexAccess {
  /** Whether it has caught up with the tip. */
  synced(): boolean | Promise<boolean>;
  find(txid: Uint8Array): Promise<{ tx: TxView; blockHash: Uint8Array } | undefined>;
}

/** What spends every output that the best chain spends, when -txospenderindex is on. */
export interface SpenderIndexAccess {
  /** Whether it has caught up with the tip. */
  synced(): boolean | Promise<boolean>;
  /** @param outpoint txid and little-endian index, 36 bytes */
  find(outpoint: Uint8Array): Promise<{ tx: TxView; blockHash: Uint8Array } | undefined>;
}

/** How far an index came. */
export interface IndexState {
  readonly name: string;
  /** Whether it reached the tip since the node started. */
  readonly synced: boolean;
  /** Height of its last block, 0 at the beginning. */
  readonly height: number;
  /** Waits until it has every block of the chain. False at once while it is still being built. */
  settle(): Promise<boolean>;
}

/** Filters of BIP-0158 by block, when -blockfilterindex is on. */
export interface FilterIndexAccess {
  readonly state: IndexState;
  /** @param blockHash internal order */
  find(blockHash: Uint8Array): Promise<{ filter: Uint8Array; header: Uint8Array } | undefined>;
  /**
   * Prepares a search: of blocks (hashes in internal order) it says whether they may hold one of the scripts, undefined
   * where there is no filter.
   */
  search(scripts: readonly Uint8Array[]): (blockHashes: readonly Uint8Array[]) => Promise<readonly (boolean | undefined)[]>;
  /** Filter headers of many blocks, undefined where there is no filter. @param blockHashes internal order */
  heads(blockHashes: readonly Uint8Array[]): Promise<readonly ({ readonly header: Uint8Array } | undefined)[]>;
}

/** Sums over all coins, in satoshis; those but `outputs`, `bogoSize` and `amount` run over the whole history. */
export interface CoinTotals {
  readonly outputs: number;
  readonly bogoSize: number;
  readonly amount: bigint;
  readonly unspendable: bigint;
  readonly prevoutSpent: bigint;
  readonly newOutputsExCoinbase: bigint;
  readonly coinbase: bigint;
  readonly unspendableGenesis: bigint;
  readonly unspendableBip30: bigint;
  readonly unspendableScripts: bigint;
  readonly unclaimedRewards: bigint;
}

/** Figures of the unspent set after any block, when -coinstatsindex is on. */
export interface CoinStatsAccess {
  readonly state: IndexState;
  find(node: HeaderInfo): Promise<{ totals: CoinTotals; before: CoinTotals; muhash: Uint8Array } | undefined>;
}

/**
 * Templates for the methods that build blocks, and for getblocktemplate calls that reach the node thread in a batch.
 */
export interface TemplateAccess {
  /** A getblocktemplate reply's result; long polls end early when the signal fires. */
  getBlockTemplate(request: TemplateRequest, signal: AbortSignal | undefined): Promise<RawJson | RawBytes>;
  /** A whole block on the tip without proof of work, its coinbase paying the script; `empty` leaves the pool out. */
  buildBlock(script: Uint8Array, options: { empty: boolean }): Promise<Uint8Array>;
  /**
   * Transactions of a template that was given out without them, in block order; null when its workid is unknown or too
   * old.
   */
  pinned(workId: string): readonly TxView[] | null;
  /** Why a transaction (internal order) is or is not in the template of the tip; null while there is none. */
  verdict(txid: Uint8Array): ReturnType<TemplateService['verdict']>;
  /** The facts of the block after the tip, without a template; time and target as of now. */
  next(): ReturnType<TemplateService['next']>;
  /** A client brought a block with this coinbase: the operator is warned if its next ones may be invalid. */
  coinbaseSubmitted(client: string, coinbase: TxView, height: number): void;
  /** Satoshis per 1,000 virtual bytes below which nothing enters a template. */
  readonly minFeeRate: number;
  /** Whether every cluster of the mempool is known to be in the best order there is. */
  isOptimal(): boolean;
  /** Weight and transaction count (without coinbase) of the last block assembled, null before the first. */
  lastAssembled(): { weight: number; transactions: number } | null;
}

/** The Stratum V2 template provider; node/sv2.ts. */
export interface Sv2Access {
  /** The authority's public key as pools write it. */
  readonly authorityKey: string;
  /** `host:port`, empty before it listens. */
  readonly addresses: readonly string[];
  /** What the serving thread counts. */
  figures(): Sv2Figures;
  /** What came of blocks that clients found. */
  solutions(): Readonly<Record<'accepted' | 'duplicate' | 'lost' | 'invalid' | 'fault' | 'resubmitted', number>>;
  clients(): Promise<readonly Sv2ClientInfo[]>;
}

/** Counters and gauges of the serving thread; sv2/serve/counters.ts has more of them. */
export type Sv2Figures = Readonly<
  Record<
    | 'connectionsOpen'
    | 'clientsOpen'
    | 'handshakes'
    | 'templatesEmpty'
    | 'templatesFull'
    | 'templatesStaged'
    | 'activated'
    | 'solutionsRead'
    | 'solutionsUnknown'
    | 'solutionsBad'
    | 'bytesSent'
    | 'bytesReceived',
    number
  >
>;

/** A client of the provider. */
export interface Sv2ClientInfo {
  readonly id: number;
  readonly address: string;
  readonly vendor: string;
  readonly firmware: string;
  /** Since 1970. */
  readonly connectedMs: number;
  readonly constraints: { readonly maxAdditionalSize: number; readonly maxAdditionalSigops: number } | null;
  readonly templatesSent: number;
  readonly solutions: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

/** Holds transactions of declared jobs for a while. */
export interface JobAccess {
  pin(name: string, txs: readonly TxView[], options: { readonly now: number; readonly seconds: number; readonly height: number }): number;
  get(wtxid: Uint8Array): TxView | undefined;
}

/** Searches nonces from 0 in the pool; parallel/grinder.ts. */
export interface GrindAccess {
  grind(header: Uint8Array, target: bigint, options: { maxTries: number }): Promise<{ nonce: number | null }>;
}

/** -privatebroadcast: transactions that are sent through Tor. */
export interface PrivateBroadcastAccess {
  /** Whether there is a way to Tor. */
  readonly reachable: boolean;
  /** False when too many wait. */
  add(tx: TxView): boolean;
  /** Gives up all with this txid or wtxid. */
  abort(id: Uint8Array): readonly TxView[];
  /** Times in seconds. */
  list(): readonly {
    readonly tx: TxView;
    readonly addedAt: number;
    readonly attemptsLeft: number;
    readonly sends: readonly { readonly address: string; readonly sentAt: number; readonly confirmedAt: number | null }[];
  }[];
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
  /** Seconds that most peers are ahead of us. */
  timeOffset(): number;
  /** Where others are told to reach us, and how sure we are. */
  localAddresses(): readonly { readonly address: string; readonly port: number; readonly score: number }[];
  /** -maxuploadtarget: bytes a day and what is left of it. */
  /** Transactions outside the mempool that may be in a block (-blockreconstructionextratxn), by key of the wtxid. */
  extraTransactions(): ReadonlyMap<string, TxView>;
  /** Transactions that wait for their parents, by wtxid, with the ids of the peers that announced them. */
  orphans(): readonly { readonly tx: TxView; readonly from: readonly number[] }[];
  /** Null without -privatebroadcast. */
  privately(): PrivateBroadcastAccess | null;
  upload(): { target: number; reached: boolean; historicalReached: boolean; bytesLeft: number; secondsLeft: number };
  readonly control: NetworkControl;
}

/** Connections that the node makes by itself. */
export type FoundType = 'outbound-full-relay' | 'block-relay-only' | 'addr-fetch' | 'feeler';

/** What RPC may change about the network. */
export interface NetworkControl {
  /**
   * Tries to connect once; whether it worked shows in getpeerinfo.
   * @param encrypted whether BIP-0324 is tried; undefined: as the options say
   */
  connectOnce(node: string, encrypted?: boolean): Promise<void>;
  /**
   * The same for a peer that counts as one we found by ourselves. False when there are as many of its type as may be.
   */
  openConnection(node: string, type: FoundType, encrypted: boolean): Promise<boolean>;
  /** Keeps a connection to a peer. False when it does so already. @param encrypted as for connectOnce */
  addNode(node: string, encrypted?: boolean): boolean;
  /** Whether there are encrypted connections at all. */
  encrypts(): boolean;
  /** False when it did not. */
  removeNode(node: string): boolean;
  /** What addNode keeps, in wire form. */
  addedNodes(): Promise<{ addednode: string; connected: boolean; addresses: { address: string; connected: 'inbound' | 'outbound' }[] }[]>;
  /** Ends a connection. False when there is none such. */
  disconnectAddress(address: string): boolean;
  disconnectId(id: number): boolean;
  pingAll(): void;
  /** Asks a peer for a block; why not, null when it was asked. @param hash internal order */
  fetchBlock(hash: Uint8Array, peer: number): string | null;
  setActive(active: boolean): void;
  /** Whether the text names an address or subnet. */
  isSubnet(text: string): boolean;
  /** Of an address: whether any ban covers it; of a subnet: whether exactly it is banned. */
  isBanned(text: string): boolean;
  /** @param seconds from now, 0 for the default; with `absolute` seconds since 1970 */
  ban(text: string, seconds: number, absolute: boolean): void;
  unban(text: string): boolean;
  bans(): readonly { readonly address: string; readonly until: number; readonly createdAt: number }[];
  clearBans(): void;
  /**
   * Some of the known addresses; 0 for all. Services as a number, since they are shown as one.
   * @param network by name; absent: all of them
   */
  knownAddresses(
    count: number,
    network?: string,
  ): readonly { time: number; services: number; address: string; port: number; network: string }[];
  /** All addresses known now by their places in the tables, each made when it is read; a place is `bucket/position`. */
  addressTables(): Readonly<Record<'new' | 'tried', Iterable<readonly [string, KnownNode]>>>;
  /** Known addresses by network, those that were connected to and the others. */
  addressCounts(): ReadonlyMap<string, { readonly new: number; readonly tried: number }>;
  /** False when it is none, or known. */
  addAddress(address: string, port: number): boolean;
}

/** What is known of an address; systems are 0 without a map. */
export interface KnownNode {
  readonly address: string;
  readonly network: string;
  readonly system: number;
  readonly port: number;
  readonly services: number;
  readonly time: number;
  readonly source: { readonly address: string; readonly network: string; readonly system: number };
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
export type PeerInfo = Readonly<
  Record<string, string | number | boolean | null | Amount | readonly string[] | readonly number[] | Readonly<Record<string, number>>>
>;

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
  /** A line for the operator. */
  info(line: string): void;
}

/** Everything a node method may use. */
export interface NodeContext {
  /** Which Bitcoin Core it speaks and acts like. */
  readonly compat: Compat;
  /** -deprecatedrpc */
  readonly deprecated: ReadonlySet<string>;
  /** The network's data folder, an absolute path: where relative paths of calls start. */
  readonly folder: string;
  /** What is published by ZeroMQ; absent when nothing can be. */
  readonly zmq?: readonly { readonly topic: string; readonly address: string; readonly highWaterMark: number }[];
  readonly params: ChainParams;
  readonly crypto: Crypto;
  readonly clock: ClockControl;
  readonly chain: ChainAccess;
  readonly mempool: PoolAccess;
  /** Writes the pool to its file. Rejects when that fails. @returns the file's path */
  savePool(): Promise<string>;
  /**
   * Offers a saved pool's transactions to the pool.
   * @returns whether the file was read to its end; why not, the log says
   */
  importPool(file: string, options: PoolImport): Promise<boolean>;
  /** Bytes of the map of autonomous systems in use; null without -asmap. */
  readAsmap(): Promise<Uint8Array | null>;
  /** Null without -txindex. */
  readonly txIndex: TxIndexAccess | null;
  /** Null without -txospenderindex. */
  readonly spenderIndex: SpenderIndexAccess | null;
  /** Null without -blockfilterindex. */
  readonly filterIndex: FilterIndexAccess | null;
  /** Null without -coinstatsindex. */
  readonly coinStatsIndex: CoinStatsAccess | null;
  /** Indexes that are on, in getindexinfo's order. */
  readonly indexes: readonly IndexState[];
  readonly templates: TemplateAccess;
  /** Transactions of declared jobs; mempool/job-pins.ts. */
  readonly jobs: JobAccess;
  /** Null without -sv2. */
  readonly sv2: Sv2Access | null;
  readonly heavy: Semaphore;
  readonly grinder: GrindAccess;
  readonly network: NetworkAccess;
  readonly log: LogControl;
  /** Null with -disablewallet. */
  readonly wallets: WalletManager | null;
  /** The command of -signer; absent without one. */
  readonly externalSigner?: ExternalSigner | undefined;
  /** What payments of wallets are made with; null with -disablewallet. */
  readonly spend: SpendTools | null;
  /** What descriptors are read with, key arithmetic among it. */
  readonly descriptors: DescriptorContext;
  /** For signed messages. */
  readonly recoverable: RecoverableSignatures;
  /** For signed transactions. */
  readonly signer: Signer;
  /** What large transactions are signed on; absent where there is one thread. */
  readonly signingThreads?: SigningThreads | undefined;
  /**
   * Resolves when every event up to now reached wallets, notifiers and indexes; undefined when all of them have.
   * @param only of the wallets
   */
  settle(only?: Wallet): Promise<unknown> | undefined;
  /** Warnings of the node, empty when there are none. */
  warnings(): readonly string[];
  /** Begins the end of the process, after the reply is out. */
  stop(waitMs: number): void;
  /** Fires when the node begins to stop. */
  readonly stopping: AbortSignal;
  /** Calls under way: method and start on the monotonic clock. */
  activeCommands(): readonly { method: string; startedMs: number }[];
  /** Start of the process, seconds since 1970. */
  readonly startedSeconds: number;
}

/** A run function of the node thread. */
export type NodeRun = Run<NodeContext>;
