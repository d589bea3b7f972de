// Keeps the transactions of declared mining jobs, so that an eviction from the mempool does not prevent building a
// job's block. The number of jobs, their bytes and the time are limited. A pin ends two blocks after it was made,
// because the job then builds on an outdated block.

import { hashKey } from '../consensus/bytes/hex.js';
import type { Wtxid } from '../consensus/ids.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';

/** Largest number of pinned jobs. A new one replaces the oldest. */
const MOST_JOBS = 64;
/** Largest total size of pinned transactions in bytes. A transaction counts once for each job. */
const MOST_BYTES = 64_000_000;
const PIN_BLOCKS = 2;

interface Job {
  /** Transactions by key of the wtxid. */
  readonly txs: Map<string, TxView>;
  bytes: number;
  until: number;
  height: number;
}

export class JobPins {
  /** Oldest first. */
  readonly #jobs = new Map<string, Job>();
  #bytes = 0;

  get figures(): { readonly jobs: number; readonly bytes: number } {
    return { jobs: this.#jobs.size, bytes: this.#bytes };
  }

  /**
   * Pins transactions for a job, in addition to those pinned already.
   * @param now seconds
   * @param height of the tip
   * @returns number of pinned transactions of the job; fewer than given if the job alone exceeds the limit
   */
  pin(name: string, txs: readonly TxView[], options: { readonly now: number; readonly seconds: number; readonly height: number }): number {
    this.expire(options.now, options.height);
    const job = this.#jobs.get(name) ?? { txs: new Map<string, TxView>(), bytes: 0, until: 0, height: 0 };
    job.until = options.now + options.seconds;
    job.height = options.height;
    this.#jobs.delete(name);
    this.#jobs.set(name, job);
    for (const tx of txs) {
      const key = hashKey(tx.wtxid);
      if (job.txs.has(key)) continue;
      if (job.bytes + tx.totalSize > MOST_BYTES) break;
      // Copy, because a view of a block's transaction would keep the whole block in memory.
      job.txs.set(key, parseTx(tx.bytes.slice(), tx.hashes));
      job.bytes += tx.totalSize;
      this.#bytes += tx.totalSize;
    }
    for (const oldest of this.#jobs.keys()) {
      if (this.#jobs.size <= MOST_JOBS && this.#bytes <= MOST_BYTES) break;
      this.#drop(oldest);
    }
    return job.txs.size;
  }

  /** @param wtxid internal order */
  get(wtxid: Wtxid): TxView | undefined {
    const key = hashKey(wtxid);
    for (const { txs } of this.#jobs.values()) {
      const tx = txs.get(key);
      if (tx !== undefined) return tx;
    }
    return undefined;
  }

  /**
   * Ends expired pins.
   * @param now seconds
   * @param height of the tip
   */
  expire(now: number, height: number): void {
    for (const [name, job] of this.#jobs) if (job.until <= now || height >= job.height + PIN_BLOCKS) this.#drop(name);
  }

  #drop(name: string): void {
    this.#bytes -= this.#jobs.get(name)?.bytes ?? 0;
    this.#jobs.delete(name);
  }
}
