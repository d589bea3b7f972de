// Measures how the cost of a mempool change grows when the mempool is ten times as large, by the policy of newer Core:
// additions, replacements, a block of 4,000, additions to a full mempool. The smaller mempool is the limit. A ratio
// near 1 means that the cost depends only on the transactions that a change touches.
//
//   node build/bench/mempool-cost.js [--json]      ROUNDS=n LARGE=n
import type { TxView } from '../src/consensus/tx/tx-view.js';
import type { Mempool } from '../src/mempool/mempool.js';
import { DEFAULT_POLICY, NEW_RULES } from '../src/policy/options.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { createBenchPool, fillPool, Payments } from './harness/bench-pool.js';
import { timeMs } from './harness/samples.js';

const NEW = { ...DEFAULT_POLICY, ...NEW_RULES };
const SMALL = 10_000;
const LARGE = Number(process.env.LARGE ?? 100_000);
const CHANGES = 1_000;
const BLOCK = 4_000;
const ROUNDS = Number(process.env.ROUNDS ?? 9);
const WARMUP = 2;
/**
 * Highest allowed ratio. The larger mempool is a little slower per change in any case, because its maps and heaps miss
 * the processor's caches more often, and heaps have a few more levels.
 */
const MOST = 3;

const WORKS = { add: 'addition', replace: 'replacement', confirm: `transaction of a block of ${BLOCK}`, evict: 'addition that evicts' };
type Work = keyof typeof WORKS;

async function acceptAll(pool: Mempool, txs: readonly TxView[]): Promise<void> {
  for (const tx of txs) {
    const { reject } = await pool.accept(tx);
    if (reject !== null) throw new Error(`refused: ${reject.reason} ${reject.debug}`);
  }
}

/** Two mempools of one size, one of them full, with the measured microseconds per change. */
class Measured {
  readonly samples: Record<Work, number[]> = { add: [], replace: [], confirm: [], evict: [] };
  readonly #size: number;
  readonly #payments: Payments;
  readonly #pool = createBenchPool({ policy: NEW });
  #full = this.#pool;
  #extraFee = 30_000;

  constructor(size: number) {
    this.#size = size;
    this.#payments = new Payments(size);
  }

  async fill(): Promise<void> {
    await fillPool(this.#pool, this.#payments, this.#size);
    this.#full = createBenchPool({ policy: NEW, maxUsageBytes: this.#pool.stats().usageBytes });
    await fillPool(this.#full, new Payments(this.#size), this.#size);
  }

  /**
   * Makes every kind of change once. The mempools have their old sizes afterwards. @param keep whether the figures
   * count
   */
  async round(keep: boolean): Promise<void> {
    const pool = this.#pool;
    const measure = async (work: Work, count: number, run: () => unknown): Promise<void> => {
      const ms = await timeMs(run);
      if (keep) this.samples[work].push((ms * 1_000) / count);
    };
    const fresh = Array.from({ length: CHANGES }, () => this.#payments.next());
    await measure('add', CHANGES, () => acceptAll(pool, fresh));
    const rivals = fresh.map((tx) => this.#payments.rival(tx, 50_000));
    await measure('replace', CHANGES, () => acceptAll(pool, rivals));
    // In the snapshot parents precede their children.
    const snapshot = await pool.snapshot();
    const block = { txs: Array.from({ length: BLOCK }, (_, i) => snapshot.at(i).tx) };
    snapshot.release();
    await measure('confirm', BLOCK, () => pool.onTip(null, { disconnected: [], connected: [{ block }] }));
    await fillPool(pool, this.#payments, this.#size - pool.size);

    // Payments with higher fees than all earlier ones, so that each evicts another transaction.
    const better = Array.from({ length: CHANGES }, () => this.#payments.next(null, this.#extraFee));
    this.#extraFee += 30_000;
    const before = this.#full.size;
    await measure('evict', CHANGES, () => acceptAll(this.#full, better));
    if (Math.abs(this.#full.size - before) > CHANGES / 2) throw new Error('the full pool did not keep its size');
  }
}

await runBench({
  name: 'mempool/tx-pool',
  protects: 'the node thread from changes that cost more as the mempool grows',
  run: async () => {
    const small = new Measured(SMALL);
    const large = new Measured(LARGE);
    await small.fill();
    await large.fill();
    for (let round = 0; round < WARMUP + ROUNDS; round++) {
      await small.round(round >= WARMUP);
      await large.round(round >= WARMUP);
    }
    return {
      cases: (Object.keys(WORKS) as Work[]).map(
        (work): BenchCase => ({
          name: WORKS[work],
          unit: 'us',
          better: 'lower',
          samples: large.samples[work],
          limit: { name: `the same in a pool of ${SMALL}`, samples: small.samples[work] },
          goal: { text: `at most ${MOST} x`, reached: (_, ratio) => ratio !== null && ratio <= MOST },
        }),
      ),
      notes: [`pool of ${LARGE}; scripts count as checked`],
    };
  },
});
