// State of one acceptance, after Core's MemPoolAccept. A step reads fields that earlier steps filled in, fills in other
// fields, and returns a reject or null. No step changes the mempool.
import type { Coin } from '../../consensus/coin.js';
import type { HeaderContext } from '../../consensus/header-context.js';
import type { Reject } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { LockPoints } from '../entry.js';
import type { Eviction } from '../eviction.js';
import type { Clusters } from '../feerate-diagram.js';
import type { MempoolOptions } from '../options.js';
import type { CoinSource } from '../source.js';
import type { TxPool } from '../tx-pool.js';

export interface AcceptOptions {
  /** Check only; do not add the transaction. */
  readonly testOnly?: boolean;
  /** Skip fee rules and eviction. Set for transactions that return from a disconnected block. */
  readonly bypassLimits?: boolean;
  /** Set for a transaction that returns from a disconnected block. */
  readonly returning?: ReturnPlace;
  /** Time of entry in seconds, for a saved transaction. Default: now. */
  readonly time?: number;
  /** Largest base fee in satoshis; above it the transaction is checked but not added. */
  readonly maxFeeSats?: number;
  /** Largest rate of the modified fee, in satoshis per 1,000 virtual bytes; above it the transaction is refused. */
  readonly maxFeeRate?: number;
  /**
   * Set for a transaction of a package: no carve-out, no eviction, no fee estimation. 'apart': the transaction must pay
   * for itself. 'together': the caller checks the fee rate of all transactions together. 'test': no transaction may be
   * replaced.
   */
  readonly inPackage?: 'apart' | 'together' | 'test';
  /** Earlier transactions of the package by key of the txid. This transaction may spend their outputs. */
  readonly earlier?: ReadonlyMap<string, TxView>;
}

/** Context in which a returning transaction is checked. */
export interface ReturnPlace {
  readonly tip: HeaderContext;
  /** Rows that returned in the same batch. Only these count for the limits on relatives. */
  readonly rows: ReadonlySet<number>;
  /**
   * Returns the height of the block that contains the transaction of another row at that tip; undefined if none does.
   */
  heightOf(row: number): number | undefined;
}

/** Context of one pass of synchronous checks. */
export interface AcceptContext {
  readonly pool: TxPool;
  readonly eviction: Eviction;
  readonly options: MempoolOptions;
  readonly tip: HeaderContext;
  readonly coins: CoinSource;
  /** Script flags of the block after the tip. */
  readonly nextFlags: number;
}

/** Shared empty set: most transactions have no relatives, and a set for each would cost more than a check. */
const NO_ROWS: ReadonlySet<number> = new Set();

export class Workspace {
  /**
   * Prefetched checks and their tip. At the same tip, the checks of the transaction and its coins need not run again.
   */
  ahead: { readonly work: Workspace; readonly tip: HeaderContext } | null = null;
  /** Coin of each input, from the mempool or the chain. */
  spent: Coin[] = [];
  /** True if all coins were found in the chain. */
  confirmed = false;
  fee = 0;
  modifiedFee = 0;
  /** Signature operation cost; negative until it is counted. */
  sigopCost = -1;
  /** Sigop-adjusted virtual size. */
  size = 0;
  spendsCoinbase = false;
  /** Relative locks that apply; null for none. */
  locks: LockPoints | null = null;
  /** Rows that spend an outpoint of the new transaction, and a sibling to be evicted (accept/truc.ts). */
  conflicts: ReadonlySet<number> = NO_ROWS;
  /** True if a conflict is only a sibling to be evicted (accept/truc.ts). */
  evictsSibling = false;
  ancestors: ReadonlySet<number> = NO_ROWS;
  /** Rows that would be replaced: the conflicts and their descendants. */
  replaced: ReadonlySet<number> = NO_ROWS;
  /**
   * Clusters that the new transaction changes, if their fee-rate diagrams decide about the replacement; null otherwise.
   */
  touched: Clusters | null = null;

  constructor(
    readonly tx: TxView,
    readonly accept: AcceptOptions,
  ) {}

  addConflict(row: number): void {
    if (this.conflicts === NO_ROWS) this.conflicts = new Set([row]);
    else (this.conflicts as Set<number>).add(row);
  }
}

/** One step of acceptance. */
export type Step = (work: Workspace, context: AcceptContext) => Reject | null;
