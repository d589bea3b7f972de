// Keeps the mempool in step with the chain. Confirmed transactions and their conflicts leave immediately. Transactions
// of disconnected blocks are accepted again, oldest block first. Then every transaction that does not fit the new tip
// leaves. Source: Core 0.21's removeForBlock, DisconnectedBlockTransactions, UpdateMempoolForReorg and removeForReorg.
//
// Accepting transactions again needs coins and scripts, so this part continues after the tip change. A caller that
// needs the end of it awaits settled(). See docs/decisions/0011-readmit-transactions-after-a-reorganisation.md.

import { setTimeout } from 'node:timers/promises';
import { hashKey } from '../consensus/bytes/hex.js';
import type { Coin } from '../consensus/coin.js';
import type { HeaderContext } from '../consensus/header-context.js';
import { COINBASE_MATURITY, LOCKTIME_THRESHOLD } from '../consensus/limits.js';
import { sequenceLocksMet } from '../consensus/rules/locks.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { ListenerGuard } from '../lib/listener-guard.js';
import { TimeSlice } from '../lib/time-slice.js';
import type { Logger } from '../log/logger.js';
import { VerifierBusyError } from '../parallel/verifier.js';
import type { Acceptor, AcceptResult } from './accept/acceptor.js';
import { lockPoints } from './accept/pre-checks.js';
import type { AcceptOptions } from './accept/workspace.js';
import { poolCoin, RowViews } from './entry.js';
import type { Eviction } from './eviction.js';
import type { FeeEstimator } from './fees/fee-estimator.js';
import type { MempoolOptions } from './options.js';
import { collectDescendants } from './relatives.js';
import { FLAG, NO_ROW } from './rows.js';
import type { ChainChange, MempoolChain } from './source.js';
import { type NewLink, tooMany } from './trim-clusters.js';
import type { TxPool } from './tx-pool.js';
import { entryUsage } from './usage.js';

/** Limit in bytes of memory for returning transactions. Above the limit the newest transactions are dropped. */
const MAX_RETURNING_BYTES = 20_000_000;

/**
 * Number of blocks disconnected by an operator whose transactions return to the mempool. The transactions of further
 * blocks are dropped: an operator who disconnects so many blocks chooses another history and does not correct a mistake.
 */
const MAX_RETURNING_BLOCKS = 10;

/** Wait in milliseconds before another attempt while the verifier is busy; a few verifier jobs take that long. */
const BUSY_WAIT_MS = 20;

interface Returning {
  readonly tx: TxView;
  readonly key: string;
  readonly bytes: number;
  /** Height of the block that contained the transaction. */
  readonly height: number;
  readonly batch: Batch;
}

/**
 * Transactions that Core re-adds together: those of one block disconnected by an operator, or those of all blocks that
 * a reorganisation disconnected.
 */
interface Batch {
  /** Rows of transactions that have returned. */
  readonly rows: Set<number>;
  /**
   * Tip on which the batch and the mempool are checked: the parent of the disconnected block, or, in a reorganisation,
   * the first tip that was better than the old one.
   */
  tip: HeaderContext;
}

/** One stage of bringing the mempool up to the newest tip. */
interface Stage {
  /** Rows that returned before this stage. The stage begins by linking them to their children. */
  readonly rows: number[];
  /** Tips that the mempool must fit in this stage. */
  readonly tips: HeaderContext[];
  /** Rows that return in later stages, with the heights of their blocks, which count as connected in this stage. */
  readonly waiting: ReadonlyMap<number, number>;
}

export interface ReorgDeps {
  readonly pool: TxPool;
  readonly eviction: Eviction;
  readonly acceptor: Acceptor;
  readonly chain: MempoolChain;
  readonly log: Logger;
  readonly fees: FeeEstimator;
  readonly guard: ListenerGuard;
  readonly limits: Pick<MempoolOptions, 'limitClusterCount' | 'limitClusterSize'>;
}

export class ReorgFollower {
  readonly #deps: ReorgDeps;
  /** Transactions that are returning, oldest block first, in block order. */
  #returning: Returning[] = [];
  /** Returned transactions that are not linked to their children yet, by key of the txid. */
  readonly #returned = new Map<string, Returning>();
  /** Batches since the mempool last fitted the tip, in order. */
  #batches: Batch[] = [];
  /**
   * Batch of a reorganisation whose blocks are disconnected but whose new branch is not connected yet. The next change
   * brings the connected blocks.
   */
  #underWay: Batch | null = null;
  /** Rows of each connected block, set by `confirming` for applyTipChange. */
  #confirming: number[][] = [];
  #work: Promise<void> | null = null;
  /** True if removing transactions that do not fit the tip failed after the last reorganisation. */
  #hasUnfit = false;

  constructor(deps: ReorgDeps) {
    this.#deps = deps;
  }

  /** Resolves when the mempool fits the tip and no transaction is returning. */
  settled(): Promise<void> {
    return this.#work ?? Promise.resolve();
  }

  /** True if settled() has anything to wait for. */
  get returning(): boolean {
    return this.#work !== null;
  }

  /**
   * True if every transaction is known to fit the next block: its lock times are met, its coins exist, and it is linked
   * to its parents.
   */
  get fits(): boolean {
    return this.#work === null && !this.#hasUnfit;
  }

  /** Returning transactions that are not in the mempool yet, parents before children. */
  get returningTxs(): TxView[] {
    const { pool } = this.#deps;
    const found: TxView[] = [];
    for (const { tx } of this.#returning) if (!tx.isCoinbase && pool.records.find(tx.txid) === NO_ROW) found.push(tx);
    return found;
  }

  /**
   * Notifies followers of rows that the transactions confirmed by a change leave. applyTipChange completes their
   * removal in the same event-loop tick. Must only be called while no transaction is returning.
   * @returns false if conflicting transactions still have to leave
   */
  confirming({ connected }: ChainChange): boolean {
    const { pool } = this.#deps;
    let rivals = false;
    this.#confirming = connected.map(({ block }) => {
      const rows = this.#takeOut(block.txs);
      rivals ||= rows.some((row, i) => row === NO_ROW && pool.hasConflicts(block.txs[i]));
      return rows;
    });
    return !rivals;
  }

  /**
   * Begins the removal of confirmed transactions.
   * @returns the row of each transaction; NO_ROW if it is not in the mempool
   */
  #takeOut(txs: readonly TxView[]): number[] {
    const { pool } = this.#deps;
    const rows = txs.map((tx) => pool.records.find(tx.txid));
    pool.confirming(rows.filter((row) => row !== NO_ROW));
    return rows;
  }

  /**
   * Applies the synchronous part of a tip change. Must be called in the event-loop tick in which the chain changes its
   * tip.
   */
  applyTipChange(change: ChainChange): void {
    const { pool, eviction } = this.#deps;
    const { invalidatedBefore } = change;
    let batch = invalidatedBefore === undefined ? this.#underWay : null;
    for (const [i, { block, node }] of change.disconnected.entries()) {
      pool.bumpCounter();
      // For an operator, Core disconnects block by block, and each block's transactions return before the next block is
      // disconnected. When they return, their children are in the mempool and their parents are still confirmed, so the
      // limits on relatives apply within one block only.
      if (batch === null || invalidatedBefore !== undefined) {
        batch = { rows: new Set(), tip: node.prev as HeaderContext };
        this.#batches.push(batch);
      }
      if (invalidatedBefore !== undefined && invalidatedBefore + i >= MAX_RETURNING_BLOCKS) {
        for (const tx of block.txs) pool.removeRecursive(tx, 'reorg');
        continue;
      }
      const place = { height: node.height, batch };
      const back = block.txs.map((tx) => ({ tx, key: hashKey(tx.txid), bytes: entryUsage(tx), ...place }));
      this.#returning = [...back, ...this.#returning];
    }
    const { tip } = this.#deps.chain;
    this.#underWay = null;
    if (batch !== null && invalidatedBefore === undefined) {
      batch.tip = tip;
      if (change.connected.length === 0) this.#underWay = batch;
    }
    let height = tip.height - change.connected.length;
    const confirming = this.#confirming;
    this.#confirming = [];
    for (const [i, { block }] of change.connected.entries()) {
      this.#removeForBlock(block.txs, confirming[i] ?? this.#takeOut(block.txs), ++height);
      eviction.blockConnected();
      pool.bumpCounter();
    }
    if (change.disconnected.length === 0) return;
    this.#dropExcess();
    this.#work ??= this.#bringBack();
  }

  /** @param rows from #takeOut */
  #removeForBlock(txs: readonly TxView[], rows: readonly number[], height: number): void {
    const { pool, fees, guard } = this.#deps;
    const here = rows.filter((row) => row !== NO_ROW);
    pool.eviction.removeAll(here);
    guard.run('fee estimator', () =>
      fees.block(
        height,
        here.map((row) => pool.records.entry(row)),
      ),
    );
    for (let i = 0; i < txs.length; i++) {
      const tx = txs[i];
      const row = rows[i];
      // If the confirmed transaction is in the mempool, no other mempool transaction spends the same outputs. Only if
      // it is not there, look for conflicts.
      if (row !== NO_ROW) pool.confirm(row, tx);
      else if (!tx.isCoinbase) pool.removeConflicts(tx);
      pool.deltas.clear(tx.txid);
    }
    if (this.#returning.length === 0 && this.#returned.size === 0) return;
    const confirmed = new Set(txs.map((tx) => hashKey(tx.txid)));
    for (const key of confirmed) this.#returned.delete(key);
    this.#returning = this.#returning.filter(({ key }) => !confirmed.has(key));
  }

  #dropExcess(): void {
    let bytes = 0;
    for (const item of this.#returning) bytes += item.bytes;
    while (bytes > MAX_RETURNING_BYTES) {
      const last = this.#returning.pop() as Returning;
      bytes -= last.bytes;
      this.#deps.pool.removeRecursive(last.tx, 'reorg');
    }
  }

  async #bringBack(): Promise<void> {
    const { pool, eviction, log } = this.#deps;
    // Acceptance and templates wait for this loop, so use a time slice of its own instead of the queue of long calls.
    const slices = new TimeSlice('chain');
    try {
      // Let the other listeners of the tip run first.
      await slices.next();
      do {
        for (let next = this.#returning[0]; next !== undefined; next = this.#returning[0]) {
          const item = next;
          if (!item.tx.isCoinbase) await this.#accept(item);
          const at = this.#returning.indexOf(item);
          // Skip a transaction that a block has confirmed during the wait.
          if (at < 0) continue;
          const row = pool.records.find(item.tx.txid);
          // Blocks below were disconnected during the wait, and this transaction may spend their outputs. Check it
          // again after their transactions.
          if (at > 0 && row === NO_ROW) continue;
          // Usually the item is the first one, and splice would move all others.
          if (at === 0) this.#returning.shift();
          else this.#returning.splice(at, 1);
          if (row === NO_ROW) {
            pool.removeRecursive(item.tx, 'reorg');
          } else {
            item.batch.rows.add(row);
            this.#returned.set(item.key, item);
          }
          if (slices.over) await slices.next();
        }
        await this.#fit();
      } while (this.#returning.length > 0);
      this.#hasUnfit = false;
      eviction.limit();
    } catch (error) {
      this.#hasUnfit = true;
      // Without coins no transaction can be checked. The returning transactions are lost, as after a restart.
      log.error(`Could not return the transactions of disconnected blocks to the mempool: ${(error as Error).message}`);
      for (const { tx } of this.#returning.splice(0)) pool.removeRecursive(tx, 'reorg');
      for (const stage of this.#stages()) this.#linkReturned(stage);
    } finally {
      // Reset in the tick in which the list became empty, so that a later disconnected block starts another run.
      this.#work = null;
    }
  }

  /**
   * Yields the stages in order. Core accepts a batch of returned transactions, and then checks its whole mempool, on
   * the tip of that moment: before it disconnects the next block or connects the rest of a better branch. Each stage
   * repeats one of these checks.
   */
  *#stages(): Generator<Stage> {
    const { pool } = this.#deps;
    const returned = [...this.#returned.values()];
    this.#returned.clear();
    const batches = this.#batches;
    this.#batches = [];
    this.#underWay = null;
    // A returned transaction that has left again without being confirmed may have unlinked children in the mempool.
    // These children must leave too.
    for (const { tx } of returned) if (pool.records.find(tx.txid) === NO_ROW) pool.removeRecursive(tx, 'reorg');
    const waiting = new Map<number, number>();
    const rowsOf = new Map<Batch, number[]>();
    for (const { tx, batch, height } of returned) {
      const row = pool.records.find(tx.txid);
      if (row === NO_ROW) continue;
      waiting.set(row, height);
      const rows = rowsOf.get(batch);
      if (rows === undefined) rowsOf.set(batch, [row]);
      else rows.push(row);
    }
    let stage: Stage = { rows: [], tips: [], waiting };
    // Consecutive tips without returned transactions between them form one stage, because each stage scans the whole
    // mempool.
    for (const batch of batches) {
      const rows = rowsOf.get(batch);
      if (rows !== undefined) {
        yield stage;
        for (const row of rows) waiting.delete(row);
        stage = { rows, tips: [], waiting };
      }
      stage.tips.push(batch.tip);
    }
    yield stage;
  }

  #linkReturned({ rows, waiting }: Stage): void {
    const { pool, limits } = this.#deps;
    const here = (row: number): boolean => pool.rows.isHere(row) && !waiting.has(row);
    const back = rows.filter(here);
    const ofBlock = new Set(back);
    // Children that returned earlier were linked when they were accepted, but in Core they are linked to this parent
    // only now, so include these links.
    const links: NewLink[] = [];
    const parents: number[] = [];
    for (const row of back) {
      for (const child of pool.links.children(row)) if (here(child) && !ofBlock.has(child)) links.push([row, child]);
      const unlinked = pool.unlinkedChildren(row);
      for (const child of unlinked) links.push([row, child]);
      if (unlinked.length > 0) parents.push(row);
    }
    pool.remove(tooMany(pool, back, links, here, limits), 'sizelimit');
    pool.linkChildren(parents.filter(here));
  }

  /**
   * Accepts a returning transaction. Waits if the verifier's queue is full, because the transaction was valid before
   * and must not be lost.
   */
  async #accept({ tx, batch: { tip, rows } }: Returning): Promise<AcceptResult> {
    const { pool } = this.#deps;
    const heightOf = (row: number): number | undefined => this.#returned.get(hashKey(pool.records.entry(row).txid))?.height;
    const options: AcceptOptions = { bypassLimits: true, returning: { tip, rows, heightOf } };
    for (;;) {
      try {
        return await this.#deps.acceptor.accept(tx, options);
      } catch (error) {
        if (!(error instanceof VerifierBusyError)) throw error;
        await setTimeout(BUSY_WAIT_MS);
      }
    }
  }

  /**
   * Links returned transactions to their children, shrinks clusters that are too large, and removes transactions that
   * the next block cannot contain: lock time not reached, or a spent coinbase not mature.
   */
  async #fit(): Promise<void> {
    const { pool, chain } = this.#deps;
    for (;;) {
      const { tip, coins } = chain;
      const wanted: Uint8Array[] = [];
      for (const row of pool.rows.here()) if (this.#needsCoins(row)) wanted.push(...this.#chainOutpoints(row));
      if (wanted.length > 0) await coins.prefetch(wanted);
      // More blocks were disconnected, so coins of their transactions are missing now. The caller runs #fit again when
      // those transactions have returned.
      if (this.#returning.length > 0) return;
      if (chain.tip !== tip || wanted.some((outpoint) => !coins.isKnown(outpoint))) continue;
      for (const stage of this.#stages()) {
        this.#linkReturned(stage);
        this.#removeUnfit(stage);
      }
      return;
    }
  }

  #removeUnfit(stage: Stage): void {
    const { pool } = this.#deps;
    const { tips, waiting } = stage;
    if (tips.length === 0) return;
    const height = Math.min(...tips.map((tip) => tip.height)) + 1;
    const time = Math.min(...tips.map((tip) => tip.medianTimePast()));
    const unfit = new Set<number>();
    for (const row of pool.rows.here()) {
      if (waiting.has(row)) continue;
      // The column is 0 if the lock time does not apply.
      const lock = pool.rows.lockTime[row];
      const final = lock === 0 || lock < (lock < LOCKTIME_THRESHOLD ? height : time);
      const fits = final && (!this.#needsCoins(row) || this.#coinsFit(row, stage, height));
      if (!fits) collectDescendants(pool.links, row, unfit);
    }
    pool.remove(unfit, 'reorg');
  }

  #needsCoins(row: number): boolean {
    return this.#deps.pool.rows.has(row, FLAG.spendsCoinbase | FLAG.sequenceLock);
  }

  #chainOutpoints(row: number): Uint8Array[] {
    const { pool } = this.#deps;
    const tx = pool.records.tx(row);
    const found: Uint8Array[] = [];
    for (let i = 0; i < tx.inputCount; i++) if (pool.records.find(tx.buffer, tx.outpointAt(i)) === NO_ROW) found.push(tx.outpoint(i));
    return found;
  }

  /**
   * Returns whether coinbase maturity and relative locks allow a row's transaction in the next block.
   * @param height of the block after the lowest of the tips
   */
  #coinsFit(row: number, { tips, waiting }: Stage, height: number): boolean {
    const { pool, chain } = this.#deps;
    const { coins } = chain;
    // If a coin was not prefetched, the transaction was accepted while the prefetch ran. Its acceptance has checked
    // this tip.
    if (this.#chainOutpoints(row).some((outpoint) => !coins.isKnown(outpoint))) return true;
    const tx = pool.records.tx(row);
    const parents = new RowViews(pool.records);
    const spent: Coin[] = [];
    for (let i = 0; i < tx.inputCount; i++) {
      const parent = pool.records.find(tx.buffer, tx.outpointAt(i));
      // A parent that returns in a later stage was still confirmed on these tips.
      const coin = parent === NO_ROW ? coins.get(tx.outpoint(i)) : poolCoin(parents.of(parent), tx.prevIndex(i), waiting.get(parent));
      if (coin === undefined) return false;
      if (coin.coinbase && height - coin.height < COINBASE_MATURITY) return false;
      spent.push(coin);
    }
    return this.#locksMet(row, spent, tips);
  }

  /**
   * Returns whether the relative locks of a row were met on each tip, in order. If the block of the locks is not an
   * ancestor of a tip, that block was disconnected before. The locks are then computed again for that tip, and the
   * result also applies to the following tips.
   */
  #locksMet(row: number, spent: readonly Coin[], tips: readonly HeaderContext[]): boolean {
    const { pool } = this.#deps;
    const tx = pool.records.tx(row);
    let locks = pool.records.locks.get(row);
    if (locks === undefined) return true;
    for (const tip of tips) {
      if (tip.ancestor(locks.block.height) !== locks.block) locks = lockPoints(tx, spent, tip) ?? locks;
      if (!sequenceLocksMet(locks, tip)) return false;
    }
    pool.records.locks.set(row, locks);
    return true;
  }
}
