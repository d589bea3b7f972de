// What one acceptance learns from step to step, after Core's MemPoolAccept. A step reads what earlier steps filled in,
// fills in its own fields, and answers with a verdict; none of them changes the pool.
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
  /** Judge only; nothing is kept. */
  readonly testOnly?: boolean;
  /** No fee rules and no trimming: for transactions that come back from a block. */
  readonly bypassLimits?: boolean;
  /** For one that comes back from a block that left. */
  readonly returning?: ReturnPlace;
  /** When it came, in seconds, for one that was saved; now when absent. */
  readonly time?: number;
  /** Above this base fee the transaction is judged but not kept. */
  readonly maxFeeSats?: number;
  /** Above this rate of the modified fee it is refused; satoshis per 1,000 virtual bytes. */
  readonly maxFeeRate?: number;
  /**
   * Part of a package (accept/package): no carve-out, no trimming, tells nothing about fees. apart: on its own two feet
   * all the same. together: fee rates are judged for all of them, by the caller. test: nothing may be replaced.
   */
  readonly inPackage?: 'apart' | 'together' | 'test';
  /** Earlier ones of its package by key of their txid, whose outputs it may spend. */
  readonly earlier?: ReadonlyMap<string, TxView>;
}

/** Where what comes back from a block is judged. */
export interface ReturnPlace {
  readonly tip: HeaderContext;
  /** What came back together with it: of rows these alone count for the limits on relatives. */
  readonly rows: ReadonlySet<number>;
  /** Of the block that another row is still in on that tip; undefined when it is in none. */
  heightOf(row: number): number | undefined;
}

/** The surroundings of one pass of synchronous checks. */
export interface AcceptContext {
  readonly pool: TxPool;
  readonly eviction: Eviction;
  readonly options: MempoolOptions;
  readonly tip: HeaderContext;
  readonly coins: CoinSource;
  /** Script flags of the block after the tip. */
  readonly nextFlags: number;
}

/** What sets of rows are until there is a row in them: most transactions have none, and a set costs more than a check. */
const NO_ROWS: ReadonlySet<number> = new Set();

export class Workspace {
  /** What was judged before its turn, on this tip: rules on the transaction and on the coins that it names need not run again. */
  ahead: { readonly work: Workspace; readonly tip: HeaderContext } | null = null;
  /** Coin of each input, from the pool or the chain. */
  spent: Coin[] = [];
  /** Whether all these coins were found, in the chain. */
  confirmed = false;
  fee = 0;
  modifiedFee = 0;
  /** Negative until it is counted. */
  sigopCost = -1;
  /** Sigop-adjusted virtual size. */
  size = 0;
  spendsCoinbase = false;
  /** Those of its relative locks that count. */
  locks: LockPoints | null = null;
  /** Rows that spend one of its outpoints. */
  conflicts: ReadonlySet<number> = NO_ROWS;
  /** Among the conflicts is one that only stands beside it (accept/truc.ts). */
  evictsSibling = false;
  ancestors: ReadonlySet<number> = NO_ROWS;
  /** The conflicts and all that depends on them: what would be replaced. */
  replaced: ReadonlySet<number> = NO_ROWS;
  /** Clusters that it changes, when their diagrams decide about the replacement. */
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
