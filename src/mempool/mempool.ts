// The mempool: the unconfirmed transactions that the node would mine. Acceptance is in accept/, the data structure in
// tx-pool.ts, tip changes in reorg.ts. This class connects them.

import type { KnownTransactions } from '../chain/index.js';
import { hashKey, hashToHex } from '../consensus/bytes/hex.js';
import type { Txid, Wtxid } from '../consensus/ids.js';
import type { Reject } from '../consensus/state.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Clock } from '../lib/clock.js';
import { ListenerGuard } from '../lib/listener-guard.js';
import { Listeners } from '../lib/listeners.js';
import type { Logger } from '../log/logger.js';
import type { Verifier } from '../parallel/verifier.js';
import { Acceptor, type AcceptResult } from './accept/acceptor.js';
import { fitsCluster } from './accept/cluster-limits.js';
import { paysNothing } from './accept/ephemeral-dust.js';
import { Judge } from './accept/judge.js';
import type { AcceptOptions } from './accept/workspace.js';
import { bumpFeesOf } from './bump-fees.js';
import type { MempoolEntry } from './entry.js';
import { Eviction } from './eviction.js';
import { chunksOfCluster, connected } from './feerate-diagram.js';
import { FeeEstimator } from './fees/fee-estimator.js';
import { KnownLists, recognise } from './known-transactions.js';
import { DEFAULT_MEMPOOL, type MempoolOptions } from './options.js';
import { sortedRows } from './order.js';
import { PackageAcceptor, type PackageOptions, type PackageResult } from './package/package-acceptor.js';
import type { SavedPool, SavedRecord } from './persist/mempool-file.js';
import type { WholeTables } from './pool-tables.js';
import { MOST_RIVALS, RecentOutcomes, type TxOutcome } from './recent-outcomes.js';
import { collectAncestors, collectDescendants } from './relatives.js';
import { ReorgFollower } from './reorg.js';
import { FLAG, NO_ROW } from './rows.js';
import { PoolSnapshot, type RowSorter } from './snapshot.js';
import type { ChainChange, MempoolChain } from './source.js';
import { type PoolListener, TxPool } from './tx-pool.js';
import type { TxRecords } from './tx-records.js';

export interface MempoolDeps {
  readonly chain: MempoolChain;
  readonly verifier: Verifier;
  readonly clock: Clock;
  readonly log: Logger;
  /** Saved estimator of the last run. Default: a new one. */
  readonly fees?: FeeEstimator;
  /**
   * Returns whether blocks arrive soon after they are mined: the node is neither in the initial block download nor far
   * behind. Fee estimation learns only from such blocks. Default: always true.
   */
  readonly blocksAreCurrent?: () => boolean;
  /** Sorts the mempool for snapshots. Default: on this thread, at once. */
  readonly sortRows?: RowSorter;
  /** Guard that runs the listeners. The mempool creates its own if absent. */
  readonly guard?: ListenerGuard;
}

/** Gauges and counters for /metrics and getmempoolinfo. */
export interface MempoolStats {
  readonly transactions: number;
  /** Sum of virtual sizes. */
  readonly bytes: number;
  readonly usageBytes: number;
  readonly maxUsageBytes: number;
  /** Base fees in satoshis. */
  readonly totalFees: number;
  /**
   * Lowest fee rate that enters now, in satoshis per 1,000 virtual bytes: the larger of the rolling minimum and the
   * relay minimum.
   */
  readonly minFeeRate: number;
  readonly minRelayFeeRate: number;
  readonly incrementalFeeRate: number;
  readonly permitBareMultisig: boolean;
  /** -datacarriersize; 0 if data carriers are not allowed. */
  readonly dataCarrierBytes: number;
  /** Limits of clusters, infinite for none; sizes in virtual bytes. */
  readonly limitClusterCount: number;
  readonly limitClusterSize: number;
  readonly unbroadcast: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly replaced: number;
}

const NO_ROWS: ReadonlySet<number> = new Set();

export class Mempool {
  readonly options: MempoolOptions;
  readonly fees: FeeEstimator;
  /** True once the saved mempool is restored, or if no mempool is to be restored. Set by the code that restores it. */
  loaded = false;
  readonly #deps: MempoolDeps;
  readonly #pool: TxPool;
  readonly #eviction: Eviction;
  readonly #acceptor: Acceptor;
  readonly #packages: PackageAcceptor;
  readonly #reorg: ReorgFollower;
  readonly #recentOutcomes = new RecentOutcomes();
  readonly #known: KnownLists;
  readonly #guard: ListenerGuard;
  readonly #broadcastListeners: Listeners<[entry: MempoolEntry]>;
  #unbroadcast = 0;
  #accepted = 0;
  #rejected = 0;
  #replaced = 0;

  constructor(options: Partial<MempoolOptions>, deps: MempoolDeps) {
    this.options = { ...DEFAULT_MEMPOOL, ...options };
    this.#deps = deps;
    const guard = deps.guard ?? new ListenerGuard(deps.log);
    this.#guard = guard;
    this.#broadcastListeners = new Listeners(guard);
    const pool = new TxPool(this.options.segmentBytes, this.options.evictChunks, guard);
    this.#pool = pool;
    this.#known = new KnownLists(pool);
    this.#eviction = new Eviction(pool, this.options, deps.clock, deps.log);
    const fees = deps.fees ?? new FeeEstimator();
    this.fees = fees;
    const blocksAreCurrent = deps.blocksAreCurrent ?? (() => true);
    const judge = new Judge(this.options, {
      pool,
      eviction: this.#eviction,
      ...deps,
      guard,
      fees,
      blocksAreCurrent,
      returning: () => this.#reorg.returning,
      settled: () => this.#reorg.settled(),
    });
    this.#acceptor = new Acceptor(judge);
    this.#packages = new PackageAcceptor(judge, this.#acceptor);
    this.#reorg = new ReorgFollower({
      ...{ pool, eviction: this.#eviction, acceptor: this.#acceptor, chain: deps.chain, log: deps.log, fees, guard },
      limits: this.options,
    });
    for (let i = startingCounter(deps.chain.tip.height, this.options.policy.clusters); i > 0; i--) pool.bumpCounter();
    pool.listen(
      {
        added: (entry) => {
          if (this.#recentOutcomes.size > 0) this.#recentOutcomes.forgetTransaction(entry.txid);
        },
        removed: (entry, reason) => {
          if (entry.unbroadcast && deps.log.shows('mempool')) {
            const txid = hashToHex(entry.txid);
            deps.log.debug('mempool', `Removed ${txid} from set of unbroadcast txns before confirmation that txn was sent out`);
          }
          this.#setUnbroadcast(entry.row, false);
          // Skip transactions that a block confirmed: they can be thousands, and the chain has a record of them.
          if (reason !== 'block') this.#recentOutcomes.addOutcome(entry.txid, this.#outcomeOf('left', reason, '', []));
        },
        changed() {},
      },
      'mempool records',
    );
    pool.listen({ added() {}, removed: (entry) => fees.leave(entry), changed() {} }, 'fee estimator');
  }

  get size(): number {
    return this.#pool.size;
  }
  /** Transactions-updated counter, uint32. */
  get counter(): number {
    return this.#pool.counter;
  }
  /** Registers a listener of the counter, and calls it with the current value. */
  onCounter(listener: (counter: number) => void): void {
    this.#pool.onCounter(listener, 'mempool counter');
    this.#guard.run('mempool counter', () => listener(this.#pool.counter));
  }
  /** Core's mempool sequence number, for getrawmempool. */
  get sequence(): number {
    return this.#pool.sequence;
  }

  /**
   * Checks a transaction and adds it to the mempool, unless options.testOnly. Returns the result at once if coins and
   * script results are in memory, otherwise a promise. Waits until transactions of disconnected blocks have returned.
   * The promise rejects only for faults of storage or verifier, never for an invalid transaction.
   */
  accept(tx: TxView, options: AcceptOptions = {}): AcceptResult | Promise<AcceptResult> {
    const result = this.#acceptor.accept(tx, options);
    return result instanceof Promise ? result.then((late) => this.#noted(tx, options, late)) : this.#noted(tx, options, result);
  }

  #noted(tx: TxView, options: AcceptOptions, result: AcceptResult): AcceptResult {
    const { reject, entry, replaced } = result;
    if (reject !== null) {
      this.#rejected++;
      if (options.testOnly !== true) this.#noteRefused(tx, reject);
    } else if (entry !== null) {
      this.#accepted++;
      this.#replaced += replaced.length;
      if (replaced.length > 0) this.#noteReplaced(replaced, tx.txid);
    }
    return result;
  }

  /**
   * Accepts a package as Core's ProcessNewPackage does: a child after all its unconfirmed parents, whose fees may count
   * together. The promise does not reject for an invalid package.
   */
  async acceptPackage(txs: readonly TxView[], options: PackageOptions = {}): Promise<PackageResult> {
    await this.#reorg.settled();
    const result = await this.#packages.submit(txs, options);
    for (const tx of txs) {
      const one = result.results.get(hashKey(tx.wtxid));
      if (one?.kind === 'invalid') {
        this.#rejected++;
        this.#noteRefused(tx, one.reject);
      } else if (one?.kind === 'valid') {
        this.#accepted++;
        this.#replaced += one.replaced.length;
        this.#noteReplaced(one.replaced, tx.txid);
      }
    }
    return result;
  }

  /**
   * Returns why a transaction was refused or left the mempool; undefined if no outcome is remembered.
   * @param txid internal order
   */
  recentOutcome(txid: Txid): TxOutcome | undefined {
    return this.#recentOutcomes.get(txid);
  }

  #outcomeOf(kind: TxOutcome['kind'], reason: string, debug: string, rivals: readonly Uint8Array[]): TxOutcome {
    return { kind, reason, debug, time: this.#deps.clock.nowSeconds(), rivals };
  }

  #noteRefused(tx: TxView, { reason, debug }: Reject): void {
    if (this.#pool.records.find(tx.txid) !== NO_ROW) return;
    const rivals = new Set<number>();
    for (let i = 0; i < tx.inputCount && rivals.size < MOST_RIVALS; i++) {
      const rival = this.#pool.records.spender(tx.buffer, tx.outpointAt(i));
      if (rival !== NO_ROW) rivals.add(rival);
    }
    this.#recentOutcomes.addOutcome(
      tx.txid,
      this.#outcomeOf(
        'refused',
        reason,
        debug,
        Array.from(rivals, (row) => this.#pool.records.entry(row).txid),
      ),
    );
  }

  #noteReplaced(replaced: readonly Uint8Array[], by: Uint8Array): void {
    for (const txid of replaced) this.#recentOutcomes.addOutcome(txid, this.#outcomeOf('left', 'replaced', '', [by]));
  }

  /** Checks whether all of these transactions would be accepted, one after the other. Adds none. */
  async testPackage(txs: readonly TxView[]): Promise<PackageResult> {
    await this.#reorg.settled();
    return this.#packages.test(txs);
  }

  /**
   * Announces transactions that the caller will pass to `accept` next, in this order and as these objects. Their coins
   * are read and their scripts run early, so that results are ready for `accept`. Results are the same as without this
   * call. Resolves when all transactions are at the verifier.
   */
  prefetchTransactions(txs: readonly TxView[]): Promise<void> {
    return this.#acceptor.prefetchTransactions(txs);
  }

  /**
   * Returns whether the mempool has more transactions than the blocks of a change can confirm, and no transaction of a
   * disconnected block is returning. Must be called before onTip.
   */
  outlasts({ connected, disconnected, jumpedFrom }: ChainChange): boolean {
    if (disconnected.length > 0 || jumpedFrom !== undefined || this.returning) return false;
    // Coinbases count too. This is harmless: a block without other transactions removes nothing from the mempool.
    return this.size > connected.reduce((sum, { block }) => sum + block.txs.length, 0);
  }

  /**
   * First part of onTip, for a change for which `outlasts` returned true: notifies followers of rows, such as the
   * assembler's mirror, that the confirmed transactions leave. The mempool must not be read until onTip has run in the
   * same event-loop tick.
   * @returns false if onTip will also remove transactions that conflict with the blocks
   */
  confirming(change: ChainChange): boolean {
    return this.#reorg.confirming(change);
  }

  /**
   * Called after a tip change. Synchronous, except that transactions of disconnected blocks return later (`settled`).
   */
  onTip(_tip: unknown, change: ChainChange): void {
    this.#reorg.applyTipChange(change);
    if (change.jumpedFrom !== undefined && this.size > 0) this.#acceptAgain();
  }

  /**
   * Takes out all transactions and accepts them again with their times of entry, as after a restart. Called after a jump
   * of the tip, because the blocks in between, which the mempool did not see, may contain any of them.
   */
  #acceptAgain(): void {
    const { records, rows } = this.#pool;
    const taken = [...rows.here()].sort((a, b) => rows.ancestorCount[a] - rows.ancestorCount[b]);
    const saved = taken.map((row) => ({ tx: parseTx(new Uint8Array(records.bytesOf(row)), records.hashes), time: rows.time[row] }));
    this.#pool.remove(new Set(taken), 'reorg');
    this.#pool.bumpCounter();
    const acceptAll = async (): Promise<void> => {
      for (const { tx, time } of saved) await this.accept(tx, { time });
    };
    acceptAll().catch((error: Error) => this.#deps.log.error(`Transactions of the mempool are lost: ${error.message}`));
  }

  /**
   * Resolves when all transactions of disconnected blocks have returned; immediately if there was no reorganisation.
   */
  settled(): Promise<void> {
    return this.#reorg.settled();
  }

  /** True while transactions of disconnected blocks are returning. */
  get returning(): boolean {
    return this.#reorg.returning;
  }

  /**
   * Increments the transactions-updated counter. Called when the node stops, so that parked long polls are answered.
   */
  bumpCounter(): void {
    this.#pool.bumpCounter();
  }

  /** Registers a listener for added, removed and changed entries. */
  listen(listener: PoolListener, name?: string): void {
    this.#pool.listen(listener, name);
  }

  /**
   * Returns a block's transactions and their figures, if all of them are in the mempool and parents precede children.
   * Null if not, and while a reorganisation is being processed, because the mempool may not fit the tip then.
   * @param wtxids 32 bytes each, internal order, one after the other
   */
  known(wtxids: Uint8Array): KnownTransactions | null {
    return this.#reorg.fits ? this.#known.of(wtxids, this.#deps.chain.tip) : null;
  }

  /** Sets ids and facts of a block's transaction if the mempool has it. */
  recognise(tx: TxView): void {
    recognise(this.#pool, tx);
  }

  /** The rows of the mempool, with records in shared memory. The assembler's mirror is fed from these rows. */
  get records(): TxRecords {
    return this.#pool.records;
  }

  // The entries that the following methods return are views and must be read immediately; see entry.ts.

  /** @param txid 32 bytes, internal order */
  get(txid: Txid): MempoolEntry | undefined {
    return this.#view(this.#pool.records.find(txid));
  }
  getByWtxid(wtxid: Wtxid): MempoolEntry | undefined {
    return this.#view(this.#pool.records.findWitness(wtxid));
  }
  /** Returns a copy of the transaction with this wtxid. */
  byWtxid(wtxid: Wtxid): TxView | undefined {
    return this.getByWtxid(wtxid)?.tx;
  }
  has(txid: Txid): boolean {
    return this.#pool.records.find(txid) !== NO_ROW;
  }
  /** Returns the entry that spends an outpoint (36 bytes). */
  spender(outpoint: Uint8Array): MempoolEntry | undefined {
    return this.#view(this.#pool.records.spender(outpoint));
  }
  /** Yields all entries, in no particular order. Do not await while iterating. */
  *entries(): IterableIterator<MempoolEntry> {
    for (const row of this.#pool.rows.here()) if (this.#pool.rows.isHere(row)) yield this.#pool.records.entry(row);
  }

  /** Returns a snapshot of all current entries in getrawmempool's order, for work with pauses. The caller must release it. */
  snapshot(): Promise<PoolSnapshot> {
    const { sortRows = (pool: TxPool) => sortedRows(pool, this.options.policy.clusters) } = this.#deps;
    return PoolSnapshot.takeSorted(this.#pool, sortRows);
  }

  /** The tables of the mempool, to be read at once or copied. */
  get tables(): WholeTables {
    return this.#pool;
  }

  /** Returns all ancestors in the mempool, ordered by txid. */
  ancestors(entry: MempoolEntry): MempoolEntry[] {
    return this.#views(collectAncestors(this.#pool.links, entry.row));
  }
  /** Returns all descendants in the mempool, ordered by txid. */
  descendants(entry: MempoolEntry): MempoolEntry[] {
    const found = new Set<number>();
    collectDescendants(this.#pool.links, entry.row, found);
    found.delete(entry.row);
    return this.#views(found);
  }
  /** Returns the chunks of an entry's cluster, best first, with modified fees and sigop-adjusted weights. */
  cluster(entry: MempoolEntry): { fee: number; weight: number; entries: MempoolEntry[] }[] {
    const pool = this.#pool;
    return chunksOfCluster(pool, entry.row).map(({ fee, weight, rows }) => ({
      fee,
      weight,
      entries: rows.map((row) => pool.records.entry(row)),
    }));
  }
  /** Returns the number of transactions in an entry's cluster, including itself. */
  clusterCount(entry: MempoolEntry): number {
    return [...connected(this.#pool, entry.row, () => true)].length;
  }
  /** Returns the bump fees of outputs; see bumpFeesOf. */
  bumpFees(outpoints: readonly Uint8Array[], feeRate: number): ReturnType<typeof bumpFeesOf> {
    return bumpFeesOf(this.#pool, outpoints, feeRate);
  }
  /** Returns whether the cluster that a new transaction would join stays within its limits. */
  fitsCluster(tx: TxView): boolean {
    const ancestors = new Set<number>();
    for (let i = 0; i < tx.inputCount; i++) {
      const parent = this.#pool.records.find(tx.buffer, tx.outpointAt(i));
      if (parent !== NO_ROW) ancestors.add(parent);
    }
    return fitsCluster({ count: 1, weight: tx.weight, ancestors, replaced: NO_ROWS }, { pool: this.#pool, options: this.options });
  }
  #view(row: number): MempoolEntry | undefined {
    return row === NO_ROW ? undefined : this.#pool.records.entry(row);
  }
  #views(rows: ReadonlySet<number>): MempoolEntry[] {
    return [...rows].sort(this.#pool.records.compareIds).map((row) => this.#pool.records.entry(row));
  }

  /**
   * Adds to the fee delta of a txid (prioritisetransaction).
   * @param txid internal order
   * @param deltaSats added to the earlier deltas
   */
  prioritise(txid: Txid, deltaSats: number): void {
    this.#pool.prioritise(txid, deltaSats);
  }
  /** Returns all fee deltas, ordered by txid in internal order. */
  prioritised(): { txid: Txid; delta: number; entry: MempoolEntry | undefined }[] {
    return [...this.#pool.deltas]
      .sort((a, b) => Buffer.compare(a.txid, b.txid))
      .map(({ txid, delta }) => ({ txid, delta, entry: this.get(txid) }));
  }

  /**
   * Returns the state that a restart should restore, as of this call, including transactions that are returning from
   * disconnected blocks. The caller must release the state once it is written.
   */
  async saved(): Promise<SavedPool & { release(): void }> {
    const pool = this.#pool;
    const now = this.#deps.clock.nowSeconds();
    // Returning transactions may be parents of transactions in the mempool, so they come first.
    const back = this.#reorg.returningTxs.map((tx): SavedRecord => ({ bytes: tx.bytes, time: now, delta: pool.deltas.of(tx.txid) }));
    const returning = new Set(this.#reorg.returningTxs.map(({ txid }) => hashKey(txid)));
    const prioritised = [...pool.deltas].map(({ txid, delta }) => ({ txid, delta, row: pool.records.find(txid) }));
    const deltas = new Map(prioritised.map(({ delta, row }) => [row, delta]));
    const absent = prioritised
      .filter(({ txid, row }) => row === NO_ROW && !returning.has(hashKey(txid)))
      .map(({ txid, delta }) => [txid, delta] as const);
    const unbroadcast: Uint8Array[] = [];
    if (this.#unbroadcast > 0) for (const entry of this.entries()) if (entry.unbroadcast) unbroadcast.push(entry.txid);
    const snapshot = await this.snapshot();
    function* txs(): Generator<SavedRecord> {
      yield* back;
      for (const { row, time } of snapshot) yield { bytes: pool.records.bytesOf(row), time, delta: deltas.get(row) ?? 0 };
    }
    return { count: back.length + snapshot.length, txs: txs(), deltas: absent, unbroadcast, release: () => snapshot.release() };
  }

  /**
   * Called when the node stops, before the estimates are saved. All transactions in the mempool count as unconfirmed.
   */
  forgetFees(): void {
    for (const entry of this.entries()) this.fees.leave(entry);
  }

  /** Returns the fee delta of a txid in satoshis. */
  feeDelta(txid: Txid): number {
    return this.#pool.deltas.of(txid);
  }

  /** Returns whether the transaction has ephemeral dust, so that its fee (and its fee delta) must stay 0. */
  hasFixedFee(txid: Txid): boolean {
    const row = this.#pool.records.find(txid);
    return row !== NO_ROW && paysNothing(this.#pool.records.tx(row), this.options.policy);
  }

  /** Has a transaction of the mempool announced to peers. */
  announce(txid: Txid): void {
    const row = this.#pool.records.find(txid);
    if (row !== NO_ROW) this.#broadcastListeners.call(this.#pool.records.entry(row));
  }
  /** Marks a transaction as not yet announced to any peer (it came from RPC, not from a peer). */
  addUnbroadcast(txid: Txid): void {
    const row = this.#pool.records.find(txid);
    if (row === NO_ROW) return;
    this.#setUnbroadcast(row, true);
    this.#broadcastListeners.call(this.#pool.records.entry(row));
  }
  /** Registers a listener that is called each time the node itself, rather than a peer, starts the announcement of a transaction. */
  onBroadcast(listener: (entry: MempoolEntry) => void, name: string): void {
    this.#broadcastListeners.add(listener, name);
  }
  /** Marks a transaction as announced. Called when a peer has requested it. */
  removeUnbroadcast(txid: Txid): void {
    const row = this.#pool.records.find(txid);
    if (row !== NO_ROW) this.#setUnbroadcast(row, false);
  }
  #setUnbroadcast(row: number, unbroadcast: boolean): void {
    const { rows } = this.#pool;
    if (rows.has(row, FLAG.unbroadcast) === unbroadcast) return;
    rows.flags[row] ^= FLAG.unbroadcast;
    rows.generation++;
    this.#unbroadcast += unbroadcast ? 1 : -1;
  }

  stats(): MempoolStats {
    const { policy, maxUsageBytes, limitClusterCount, limitClusterSize } = this.options;
    return {
      transactions: this.#pool.size,
      bytes: this.#pool.bytes,
      usageBytes: this.#pool.usageBytes,
      maxUsageBytes,
      totalFees: this.#pool.totalFees,
      minFeeRate: Math.max(this.#eviction.minFeeRate(), policy.minRelayFeeRate),
      minRelayFeeRate: policy.minRelayFeeRate,
      incrementalFeeRate: policy.incrementalFeeRate,
      permitBareMultisig: policy.permitBareMultisig,
      dataCarrierBytes: policy.dataCarrier ? policy.dataCarrierBytes : 0,
      limitClusterCount,
      limitClusterSize,
      unbroadcast: this.#unbroadcast,
      accepted: this.#accepted,
      rejected: this.#rejected,
      replaced: this.#replaced,
    };
  }
}

/**
 * Returns the counter that Core has after its start: Core 0.21 clears its mempool twice, and a new chain has just
 * connected its genesis block.
 */
function startingCounter(tipHeight: number, clusters: boolean): number {
  return (clusters ? 0 : 2) + (tipHeight === 0 ? 1 : 0);
}
