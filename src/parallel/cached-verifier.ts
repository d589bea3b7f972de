// A Verifier that skips transactions in the script cache. node wraps it around the pooled verifier; chain and mempool share it.

import { countChecks } from '../jobs/slab.js';
import type { ScriptCache } from './script-cache.js';
import {
  PASSED_BEFORE,
  type TxJob,
  type Verifier,
  VerifierFaultError,
  type VerifierStats,
  type VerifyBatch,
  type VerifyClass,
  type VerifyResult,
} from './verifier.js';

/** Verifies transactions that are not in the cache. Adds them to the cache if the whole batch passed, except those of blocks. */
export class CachedVerifier implements Verifier {
  readonly cache: ScriptCache;
  readonly #inner: Verifier;

  constructor(inner: Verifier, cache: ScriptCache) {
    this.#inner = inner;
    this.cache = cache;
  }

  get size(): number {
    return this.#inner.size;
  }

  canAcceptWork(klass: VerifyClass): boolean {
    return this.#inner.canAcceptWork(klass);
  }

  verifyTxs(batch: VerifyBatch): VerifyResult | Promise<VerifyResult> {
    const { flags } = batch;
    const open: TxJob[] = [];
    const positions: number[] = [];
    for (let i = 0; i < batch.txs.length; i++) {
      const job = batch.txs[i];
      if (job.onlyInput === undefined && this.cache.has(job.tx.wtxid, flags)) continue;
      open.push(job);
      positions.push(i);
    }
    return open.length === 0 ? PASSED_BEFORE : this.#verify(batch, open, positions);
  }

  /** @param positions of the open transactions in the batch */
  async #verify(batch: VerifyBatch, open: readonly TxJob[], positions: readonly number[]): Promise<VerifyResult> {
    const { flags } = batch;
    const result = await this.#inner.verifyTxs({ ...batch, txs: open });
    if (!result.ok) return result.failedTx < 0 ? result : { ...result, failedTx: positions[result.failedTx] };
    // Make sure that all checks ran before the transactions enter the cache: a cached transaction is never verified again.
    if (result.checked !== countChecks(open)) throw new VerifierFaultError(new Error('A batch passed with checks that did not run'));
    // Do not cache transactions of a block: a block is connected once (Core's fCacheResults), and its transactions would
    // displace those of the next blocks.
    if (batch.klass === 'block') return result;
    for (const { tx, onlyInput } of open) {
      if (onlyInput === undefined) this.cache.insert(tx.wtxid, flags);
    }
    return result;
  }

  stats(): VerifierStats {
    const { bytes, hits, misses } = this.cache;
    return { ...this.#inner.stats(), cacheBytes: bytes, cacheHits: hits, cacheMisses: misses };
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
