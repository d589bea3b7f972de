// The set of unconfirmed transactions that the node would mine. Callers: RPC, templates, peers; the chain tells it of every tip.
// Acceptance is in accept/, the structure in tx-pool.ts, what happens with blocks in reorg.ts; this class joins them.
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../log/logger.js';
import type { Verifier } from '../parallel/verifier.js';
import { Acceptor, type AcceptResult } from './accept/acceptor.js';
import type { AcceptOptions } from './accept/workspace.js';
import { compareEntryIds, type MempoolEntry } from './entry.js';
import { Eviction } from './eviction.js';
import { FeeEstimator } from './fees/fee-estimator.js';
import { DEFAULT_MEMPOOL, type MempoolOptions } from './options.js';
import type { SavedPool } from './persist/mempool-file.js';
import { collectAncestors, collectDescendants } from './relatives.js';
import { ReorgFollower } from './reorg.js';
import type { ChainChange, MempoolChain } from './source.js';
import { bytesOfKey } from './tx-keys.js';
import { type PoolListener, TxPool } from './tx-pool.js';

export interface MempoolDeps {
  readonly chain: MempoolChain;
  readonly verifier: Verifier;
  readonly clock: Clock;
  readonly log: Logger;
  /** As saved by the last process; a fresh one when absent. */
  readonly fees?: FeeEstimator;
  /** Whether blocks come as they are found: not in initial download, not far behind. Only then fees are learnt from. Default: always. */
  readonly blocksAreCurrent?: () => boolean;
  /** Called with what each acceptance took. */
  readonly observe?: (name: 'mempool_accept', seconds: number, labels: { readonly result: 'accepted' | 'rejected' }) => void;
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
  /** What enters now, satoshis per 1,000 virtual bytes: the larger of rolling minimum and relay minimum. */
  readonly minFeeRate: number;
  readonly minRelayFeeRate: number;
  readonly incrementalFeeRate: number;
  readonly unbroadcast: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly replaced: number;
}

export class Mempool {
  readonly options: MempoolOptions;
  /** What fees got transactions confirmed, and how fast. */
  readonly fees: FeeEstimator;
  /** Whether a saved pool is back, or none is wanted; set by who loads it. */
  loaded = false;
  readonly #deps: MempoolDeps;
  readonly #pool = new TxPool();
  readonly #eviction: Eviction;
  readonly #acceptor: Acceptor;
  readonly #reorg: ReorgFollower;
  #unbroadcast = 0;
  #accepted = 0;
  #rejected = 0;
  #replaced = 0;

  constructor(options: Partial<MempoolOptions>, deps: MempoolDeps) {
    this.options = { ...DEFAULT_MEMPOOL, ...options };
    this.#deps = deps;
    const pool = this.#pool;
    this.#eviction = new Eviction(pool, this.options, deps.clock);
    const fees = deps.fees ?? new FeeEstimator();
    this.fees = fees;
    const blocksAreCurrent = deps.blocksAreCurrent ?? (() => true);
    this.#acceptor = new Acceptor(this.options, { pool, eviction: this.#eviction, ...deps, fees, blocksAreCurrent });
    this.#reorg = new ReorgFollower({ pool, eviction: this.#eviction, acceptor: this.#acceptor, chain: deps.chain, log: deps.log, fees });
    for (let i = startingCounter(deps.chain.tip.height); i > 0; i--) pool.bumpCounter();
    pool.listen({
      added() {},
      changed() {},
      removed: (entry) => {
        if (entry.unbroadcast) this.#unbroadcast--;
        entry.unbroadcast = false;
        fees.leave(entry);
      },
    });
  }

  /** Number of transactions. */
  get size(): number {
    return this.#pool.size;
  }
  /** Transactions-updated counter, uint32. */
  get counter(): number {
    return this.#pool.counter;
  }
  /** Calls back at every step of the counter: fronts read it from shared memory. One listener. */
  onCounter(listener: (counter: number) => void): void {
    this.#pool.onCounter = listener;
    listener(this.#pool.counter);
  }
  /** Core's mempool sequence number, for getrawmempool. */
  get sequence(): number {
    return this.#pool.sequence;
  }

  /**
   * Judges a transaction and keeps it unless told otherwise. Waits until transactions of disconnected blocks are back.
   * Never rejects the promise for a bad transaction; only for faults of storage or verifier.
   */
  async accept(tx: TxView, options: AcceptOptions = {}): Promise<AcceptResult> {
    const started = this.#deps.clock.monotonicMs();
    await this.#reorg.settled();
    const result = await this.#acceptor.accept(tx, options);
    if (result.reject !== null) this.#rejected++;
    else if (result.entry !== null) {
      this.#accepted++;
      this.#replaced += result.replaced;
    }
    const seconds = (this.#deps.clock.monotonicMs() - started) / 1000;
    this.#deps.observe?.('mempool_accept', seconds, { result: result.reject === null ? 'accepted' : 'rejected' });
    return result;
  }

  /**
   * Announces transactions that will be offered next, in this order (as these very objects): their coins are read and their scripts run
   * ahead, so that the verdicts are there when each has its turn. Changes no verdict. Resolves when all are with the verifier.
   */
  foresee(txs: readonly TxView[]): Promise<void> {
    return this.#acceptor.foresee(txs);
  }

  /** The chain moved. Synchronous; see settled for the rest. */
  onTip(_tip: unknown, change: ChainChange): void {
    this.#reorg.follow(change);
  }

  /** Resolves when nothing is on its way back from disconnected blocks; at once when there was no reorganisation. */
  settled(): Promise<void> {
    return this.#reorg.settled();
  }

  /** Transactions of disconnected blocks are on their way back. */
  get returning(): boolean {
    return this.#reorg.returning;
  }

  /** The node shuts down: long polls see another counter. */
  bumpCounter(): void {
    this.#pool.bumpCounter();
  }

  /** Hears of every entry that comes, goes or changes rank. */
  listen(listener: PoolListener): void {
    this.#pool.listen(listener);
  }

  /** @param txid 32 bytes, internal order */
  get(txid: Uint8Array): MempoolEntry | undefined {
    return this.#pool.get(txid);
  }
  has(txid: Uint8Array): boolean {
    return this.#pool.get(txid) !== undefined;
  }
  /** Who spends an outpoint (36 bytes) here. */
  spender(outpoint: Uint8Array): MempoolEntry | undefined {
    return this.#pool.spender(outpoint);
  }
  entries(): IterableIterator<MempoolEntry> {
    return this.#pool.entries();
  }

  /** All entries as getrawmempool lists them: fewer ancestors first, then the higher base fee rate, then the larger txid. */
  sorted(): MempoolEntry[] {
    return [...this.#pool.entries()].sort(byDepthAndScore);
  }

  /** Everything the transaction depends on here, by txid. */
  ancestors(entry: MempoolEntry): MempoolEntry[] {
    return [...collectAncestors(entry)].sort(compareEntryIds);
  }
  /** Everything that depends on it, by txid. */
  descendants(entry: MempoolEntry): MempoolEntry[] {
    const found = new Set<MempoolEntry>();
    collectDescendants(entry, found);
    found.delete(entry);
    return [...found].sort(compareEntryIds);
  }

  /** prioritisetransaction. @param txid internal order @param deltaSats added to what was given before */
  prioritise(txid: Uint8Array, deltaSats: number): void {
    this.#pool.prioritise(txid, deltaSats);
  }
  /** Every prioritisation that is not zero, by txid in internal order. */
  prioritised(): { txid: Uint8Array; delta: number; entry: MempoolEntry | undefined }[] {
    return [...this.#pool.deltas]
      .filter(([, delta]) => delta !== 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, delta]) => ({ txid: bytesOfKey(key), delta, entry: this.#pool.getByKey(key) }));
  }

  /** What a restart should bring back, as it is now. */
  saved(): SavedPool {
    return {
      txs: this.sorted().map(({ tx, time, fee, modifiedFee }) => ({ tx, time, delta: modifiedFee - fee })),
      deltas: [...this.#pool.deltas]
        .filter(([key]) => this.#pool.getByKey(key) === undefined)
        .map(([key, delta]) => [bytesOfKey(key), delta]),
      unbroadcast: [...this.#pool.entries()].filter((entry) => entry.unbroadcast).map(({ txid }) => txid),
    };
  }

  /** The node ends: what waits in the pool will have waited in vain. Before the estimates are saved. */
  forgetFees(): void {
    for (const entry of this.#pool.entries()) this.fees.leave(entry);
  }

  /** Sum of the prioritisations of a txid. */
  feeDelta(txid: Uint8Array): number {
    return this.#pool.delta(txid);
  }

  /** Marks a transaction as not yet announced to anyone (it came from RPC, not from a peer). */
  addUnbroadcast(txid: Uint8Array): void {
    const entry = this.#pool.get(txid);
    if (entry === undefined) return;
    if (!entry.unbroadcast) {
      entry.unbroadcast = true;
      this.#unbroadcast++;
    }
    this.onBroadcast(entry);
  }
  /** Told of transactions that the node itself wants known, each time it says so. */
  onBroadcast: (entry: MempoolEntry) => void = () => {};
  /** A peer has asked for it. */
  removeUnbroadcast(txid: Uint8Array): void {
    const entry = this.#pool.get(txid);
    if (entry === undefined || !entry.unbroadcast) return;
    entry.unbroadcast = false;
    this.#unbroadcast--;
  }

  stats(): MempoolStats {
    const { policy, maxUsageBytes } = this.options;
    return {
      transactions: this.#pool.size,
      bytes: this.#pool.bytes,
      usageBytes: this.#pool.usageBytes,
      maxUsageBytes,
      totalFees: this.#pool.totalFees,
      minFeeRate: Math.max(this.#eviction.minFeeRate(), policy.minRelayFeeRate),
      minRelayFeeRate: policy.minRelayFeeRate,
      incrementalFeeRate: policy.incrementalFeeRate,
      unbroadcast: this.#unbroadcast,
      accepted: this.#accepted,
      rejected: this.#rejected,
      replaced: this.#replaced,
    };
  }
}

function byDepthAndScore(a: MempoolEntry, b: MempoolEntry): number {
  if (a.ancestorCount !== b.ancestorCount) return a.ancestorCount - b.ancestorCount;
  const left = a.fee * b.size;
  const right = b.fee * a.size;
  return left === right ? compareEntryIds(b, a) : right - left;
}

/** Where Core's counter stands when it begins to serve: its pool was cleared twice, and a fresh chain has just connected its genesis. */
function startingCounter(tipHeight: number): number {
  return tipHeight === 0 ? 3 : 2;
}
