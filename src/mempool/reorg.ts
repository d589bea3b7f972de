// Keeps the pool in step with the chain: confirmed transactions and their rivals leave at once; transactions of
// disconnected blocks come back through acceptance, oldest first, and then whatever no longer fits the new tip leaves.
// Core 0.21's removeForBlock, DisconnectedBlockTransactions, UpdateMempoolForReorg and removeForReorg.
//
// The second part needs coins and scripts, so it goes on after the tip has moved: a caller that must see its end
// awaits settled().

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

/** Memory for transactions on their way back; the newest beyond it are dropped. */
const MAX_RETURNING_BYTES = 20_000_000;

/**
 * Blocks taken off by hand whose transactions come back; beyond that a rollback is no correction but another history.
 */
const MAX_RETURNING_BLOCKS = 10;

/** A few verify jobs long. */
const BUSY_WAIT_MS = 20;

interface Returning {
  readonly tx: TxView;
  readonly key: string;
  readonly bytes: number;
  /** Of its block. */
  readonly height: number;
  readonly batch: Batch;
}

/** What Core brings back at once: from one block that was taken off by hand, or from all that a reorganisation left. */
interface Batch {
  /** Those that are back. */
  readonly rows: Set<number>;
  /** On which they and the pool are judged: the block below, or the first one that the reorganisation ended on. */
  tip: HeaderContext;
}

/** A part of the way that the tip took. */
interface Stage {
  /** What came back before it, and meets its children first. */
  readonly rows: number[];
  /** What the pool has to fit next. */
  readonly tips: HeaderContext[];
  /** Rows that came back in later parts, with the heights of the blocks that they are still in. */
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
  /** Oldest block first, in block order. */
  #returning: Returning[] = [];
  /** Back in the pool and not linked to their children yet, by key of the txid. */
  readonly #returned = new Map<string, Returning>();
  /** Since the pool was last made to fit, in order. */
  #batches: Batch[] = [];
  /** That of a reorganisation of which nothing is known but the blocks that left: the rest is another change. */
  #underWay: Batch | null = null;
  /** Rows of the blocks whose removal has begun. */
  #confirming: number[][] = [];
  #work: Promise<void> | null = null;
  /** What does not fit the tip was not looked for after the last reorganisation. */
  #unsifted = false;

  constructor(deps: ReorgDeps) {
    this.#deps = deps;
  }

  /** Resolves when the pool fits the tip: no transaction is on its way back. */
  settled(): Promise<void> {
    return this.#work ?? Promise.resolve();
  }

  /** Whether settled() has anything to wait for. */
  get returning(): boolean {
    return this.#work !== null;
  }

  /**
   * Whether every transaction here is sure to fit the next block: by its locks, its coins, and its links to what it
   * spends.
   */
  get fits(): boolean {
    return this.#work === null && !this.#unsifted;
  }

  /** Transactions that are on their way back and not in the pool yet, parents before their children. */
  get returningTxs(): TxView[] {
    const { pool } = this.#deps;
    const found: TxView[] = [];
    for (const { tx } of this.#returning) if (!tx.isCoinbase && pool.find(tx.txid) === NO_ROW) found.push(tx);
    return found;
  }

  /**
   * Those who follow rows take what the blocks of a change confirm for gone, before `follow` does the rest in the same
   * turn. Only where nothing comes back.
   * @returns false when rivals are still to leave
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

  /** @returns the row of each transaction, NO_ROW for those that are not here */
  #takeOut(txs: readonly TxView[]): number[] {
    const { pool } = this.#deps;
    const rows = txs.map((tx) => pool.find(tx.txid));
    pool.confirming(rows.filter((row) => row !== NO_ROW));
    return rows;
  }

  /** Synchronous part. Call inside the chain's apply step. */
  applyTipChange(change: ChainChange): void {
    const { pool, eviction } = this.#deps;
    const { invalidatedBefore } = change;
    let batch = invalidatedBefore === undefined ? this.#underWay : null;
    for (const [i, { block, node }] of change.disconnected.entries()) {
      pool.bumpCounter();
      // By hand Core goes down block by block, each one's transactions coming back before the next leaves: what spends
      // them is here by that time, what they spend is still confirmed, and so the limits on relatives bind within one
      // block only.
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
    pool.confirmed(here);
    guard.run('fee estimator', () =>
      fees.block(
        height,
        here.map((row) => pool.entry(row)),
      ),
    );
    for (let i = 0; i < txs.length; i++) {
      const tx = txs[i];
      const row = rows[i];
      // What is here spends the outputs alone.
      if (row !== NO_ROW) pool.confirm(row, tx);
      else if (!tx.isCoinbase) pool.removeConflicts(tx);
      pool.clearDelta(tx.txid);
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
    // Acceptance and templates wait for this: it doesn't queue behind long calls.
    const turns = new TimeSlice();
    try {
      // The other listeners of the tip run first.
      await turns.next();
      do {
        for (let next = this.#returning[0]; next !== undefined; next = this.#returning[0]) {
          const item = next;
          if (!item.tx.isCoinbase) await this.#accept(item);
          const at = this.#returning.indexOf(item);
          // A block that came meanwhile may have taken it: then nothing is left to do for it.
          if (at < 0) continue;
          const row = pool.find(item.tx.txid);
          // Older blocks left meanwhile, and it may spend what is on its way back from them: it is judged again after
          // that.
          if (at > 0 && row === NO_ROW) continue;
          // The first mostly: splice would move all the others.
          if (at === 0) this.#returning.shift();
          else this.#returning.splice(at, 1);
          if (row === NO_ROW) {
            pool.removeRecursive(item.tx, 'reorg');
          } else {
            item.batch.rows.add(row);
            this.#returned.set(item.key, item);
          }
          if (turns.over) await turns.next();
        }
        await this.#fit();
      } while (this.#returning.length > 0);
      this.#unsifted = false;
      eviction.limit();
    } catch (error) {
      this.#unsifted = true;
      // Without coins nothing can be judged; what waited is lost to the pool, as after a restart.
      log.error(`Transactions of disconnected blocks were not returned to the mempool: ${(error as Error).message}`);
      for (const { tx } of this.#returning.splice(0)) pool.removeRecursive(tx, 'reorg');
      for (const stage of this.#stages()) this.#linkReturned(stage);
    } finally {
      // In the turn in which nothing was left: what leaves later begins anew.
      this.#work = null;
    }
  }

  /**
   * Core brings a batch back, and judges its pool on the tip of that moment, before the chain goes on: down by one more
   * block taken off by hand, or up to the rest of a branch that is better already.
   */
  *#stages(): Generator<Stage> {
    const { pool } = this.#deps;
    const returned = [...this.#returned.values()];
    this.#returned.clear();
    const batches = this.#batches;
    this.#batches = [];
    this.#underWay = null;
    // Gone again, and not into a block: children that were not linked to it yet are still here and go too.
    for (const { tx } of returned) if (pool.find(tx.txid) === NO_ROW) pool.removeRecursive(tx, 'reorg');
    const waiting = new Map<number, number>();
    const rowsOf = new Map<Batch, number[]>();
    for (const { tx, batch, height } of returned) {
      const row = pool.find(tx.txid);
      if (row === NO_ROW) continue;
      waiting.set(row, height);
      const rows = rowsOf.get(batch);
      if (rows === undefined) rowsOf.set(batch, [row]);
      else rows.push(row);
    }
    let stage: Stage = { rows: [], tips: [], waiting };
    // Where nothing came back in between, the tips are one part: each costs a look at the whole pool.
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
    // What came back earlier was linked when it was accepted; in Core it meets its parent only here.
    const links = back.flatMap((row) => {
      const linked = pool.links.children(row).filter((child) => here(child) && !ofBlock.has(child));
      return [...linked, ...pool.unlinkedChildren(row)].map((child): NewLink => [row, child]);
    });
    pool.remove(tooMany(pool, back, links, here, limits), 'sizelimit');
    pool.linkChildren(rows.filter(here));
  }

  /** These were valid once and are owed a verdict: a full queue is waited for. */
  async #accept({ tx, batch: { tip, rows } }: Returning): Promise<AcceptResult> {
    const { pool } = this.#deps;
    const heightOf = (row: number): number | undefined => this.#returned.get(hashKey(pool.entry(row).txid))?.height;
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
   * What is back meets its children that were here before; clusters that are too large lose some; and what the next
   * block could no longer hold leaves: locks closed again, coinbases immature again.
   */
  async #fit(): Promise<void> {
    const { pool, chain } = this.#deps;
    for (;;) {
      const { tip, coins } = chain;
      const wanted: Uint8Array[] = [];
      for (const row of pool.rows.here()) if (this.#needsCoins(row)) wanted.push(...this.#chainOutpoints(row));
      if (wanted.length > 0) await coins.prefetch(wanted);
      // More blocks left: coins of their transactions are missing now, and this is asked again when those are back.
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
      // Zero where it doesn't count.
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
    const tx = pool.tx(row);
    const found: Uint8Array[] = [];
    for (let i = 0; i < tx.inputCount; i++) if (pool.find(tx.buffer, tx.outpointAt(i)) === NO_ROW) found.push(tx.outpoint(i));
    return found;
  }

  /** Coinbases and relative locks. @param height of the block after the lowest of the tips */
  #coinsFit(row: number, { tips, waiting }: Stage, height: number): boolean {
    const { pool, chain } = this.#deps;
    const { coins } = chain;
    // What was accepted during the prefetch fits this tip by itself.
    if (this.#chainOutpoints(row).some((outpoint) => !coins.isKnown(outpoint))) return true;
    const tx = pool.tx(row);
    const parents = new RowViews(pool);
    const spent: Coin[] = [];
    for (let i = 0; i < tx.inputCount; i++) {
      const parent = pool.find(tx.buffer, tx.outpointAt(i));
      // One that came back later was confirmed on these tips.
      const coin = parent === NO_ROW ? coins.get(tx.outpoint(i)) : poolCoin(parents.of(parent), tx.prevIndex(i), waiting.get(parent));
      if (coin === undefined) return false;
      if (coin.coinbase && height - coin.height < COINBASE_MATURITY) return false;
      spent.push(coin);
    }
    return this.#locksMet(row, spent, tips);
  }

  /**
   * Whether its relative locks were met on each of the tips. A lock that was counted on one of these, because the block
   * of its coin had just left, is still counted from there on the next.
   */
  #locksMet(row: number, spent: readonly Coin[], tips: readonly HeaderContext[]): boolean {
    const { pool } = this.#deps;
    const tx = pool.tx(row);
    let locks = pool.locks.get(row);
    if (locks === undefined) return true;
    for (const tip of tips) {
      if (tip.ancestor(locks.block.height) !== locks.block) locks = lockPoints(tx, spent, tip) ?? locks;
      if (!sequenceLocksMet(locks, tip)) return false;
    }
    pool.locks.set(row, locks);
    return true;
  }
}
