// Measures the script verification of single transactions for the mempool: many callers at the same time, each of which
// waits for the result of its own transaction.
//
//   node build/bench/verify-transactions.js [--json]      THREADS=n, BACKEND=packages as for verify-block

import os from 'node:os';
import { STANDARD_SCRIPT_FLAGS } from '../src/consensus/script/flags.js';
import { createNativeCrypto } from '../src/crypto/native/index.js';
import { WorkPool } from '../src/parallel/pool.js';
import { PooledVerifier } from '../src/parallel/pooled-verifier.js';
import { signedSpend } from '../test/framework/signed-spends.js';
import { BareChecks } from './harness/bare-checks.js';
import { runBench } from './harness/bench.js';
import { timeInTurn } from './harness/samples.js';

const TXS = 2_000;
/** Number of callers: as many calls as a busy front has in progress. */
const CALLERS = 64;
const ROUNDS = { warmup: 3, rounds: 15 };
/** Goal of this bench. sendrawtransaction should reach this rate, so verification alone must be well above it. */
const GOAL_PER_SECOND = 13_000;
const threads = Number(process.env.THREADS ?? os.availableParallelism());
const prefer = process.env.BACKEND === 'packages' ? 'packages' : 'system';

await runBench({
  name: 'parallel/verify-bundle',
  protects: 'transactions per second that the mempool can take, scripts only',
  run: async () => {
    const crypto = createNativeCrypto({ prefer });
    const pool = new WorkPool({ threads, prefer });
    const bare = new BareChecks(TXS, { threads, prefer });
    const verifier = new PooledVerifier(pool);
    await Promise.all([pool.start(), bare.start()]);
    const txs = Array.from({ length: TXS }, (_, serial) => signedSpend('p2wpkh', { serial }, crypto));
    const verifyAll = async (callers: number): Promise<void> => {
      let next = 0;
      const caller = async (): Promise<void> => {
        while (next < TXS) {
          const result = await verifier.verifyTxs({ txs: [txs[next++]], flags: STANDARD_SCRIPT_FLAGS, klass: 'transaction' });
          if (!result.ok) throw new Error('a transaction did not verify');
        }
      };
      await Promise.all(Array.from({ length: callers }, caller));
    };
    const samples = await timeInTurn({ many: () => verifyAll(CALLERS), one: () => verifyAll(1), bare: () => bare.run('ecdsa') }, ROUNDS);
    const perSecond = (ms: number): number => (TXS * 1_000) / ms;
    const limit = { name: bare.name, samples: samples.bare.map(perSecond) };
    const goal = { text: `over ${GOAL_PER_SECOND.toLocaleString('en-US')}`, reached: (p50: number) => p50 > GOAL_PER_SECOND };
    await Promise.all([pool.close(), bare.close()]);
    return {
      cases: [
        { name: `p2wpkh, ${CALLERS} callers`, unit: 'tx/s', better: 'higher', samples: samples.many.map(perSecond), limit, goal },
        { name: 'p2wpkh, one caller', unit: 'tx/s', better: 'higher', samples: samples.one.map(perSecond), limit },
      ],
      notes: [`${threads} script threads, ECDSA by ${crypto.backend.ecdsa}`],
    };
  },
});
