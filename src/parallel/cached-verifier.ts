// A Verifier that skips what the script cache remembers. Wired by node around the pooled verifier, shared by chain and
// mempool.

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

/** Asks the cache first, verifies the rest, and remembers it when all of it passed, unless it is a block's. */
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

  async verifyTxs(batch: VerifyBatch): Promise<VerifyResult> {
    const { flags } = batch;
    if (batch.bulk === true) return this.#inner.verifyTxs(batch);
    const open: TxJob[] = [];
    const positions: number[] = [];
    for (let i = 0; i < batch.txs.length; i++) {
      const job = batch.txs[i];
      if (job.onlyInput === undefined && this.cache.has(job.tx.wtxid, flags)) continue;
      open.push(job);
      positions.push(i);
    }
    if (open.length === 0) return PASSED_BEFORE;
    const result = await this.#inner.verifyTxs({ ...batch, txs: open });
    if (!result.ok) return result.failedTx < 0 ? result : { ...result, failedTx: positions[result.failedTx] };
    // What is remembered is never run again, so the count is asked for once more.
    if (result.checked !== countChecks(open)) throw new VerifierFaultError(new Error('A batch passed with checks that did not run'));
    // A block is connected once (Core's fCacheResults): its transactions would push out what the next blocks will hold.
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
