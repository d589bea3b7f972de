// Measures the script verification of a block with 4,000 unseen inputs. It decides how soon the node has work on top of
// a block whose transactions were not in the mempool.
//
//   node build/bench/verify-block.js [--json]      THREADS=n for the number of script threads, BACKEND=packages without the system's library

import os from 'node:os';
import { CONSENSUS_SCRIPT_FLAGS } from '../src/consensus/script/flags.js';
import { createNativeCrypto } from '../src/crypto/native/index.js';
import { WorkPool } from '../src/parallel/pool.js';
import { PooledVerifier } from '../src/parallel/pooled-verifier.js';
import type { TxJob } from '../src/parallel/verifier.js';
import { SPEND_KINDS, type SpendKind, signedSpend } from '../test/framework/signed-spends.js';
import { BareChecks } from './harness/bare-checks.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { timeInTurn } from './harness/samples.js';

const INPUTS = 4_000;
const INPUTS_PER_TX = 2;
const ROUNDS = { warmup: 3, rounds: 15 };
/**
 * Highest ratio to the bare checks. In Core's master the verification took 27 to 29 us and the bare checks 19 us per
 * input.
 */
const GOAL_RATIO = 1.45;
const threads = Number(process.env.THREADS ?? os.availableParallelism());
const prefer = process.env.BACKEND === 'packages' ? 'packages' : 'system';

function makeBlock(kind: SpendKind, crypto: ReturnType<typeof createNativeCrypto>): TxJob[] {
  return Array.from({ length: INPUTS / INPUTS_PER_TX }, (_, i) => signedSpend(kind, { serial: i, inputs: INPUTS_PER_TX }, crypto));
}

async function verifyBlock(verifier: PooledVerifier, txs: TxJob[]): Promise<void> {
  const result = await verifier.verifyTxs({ txs, flags: CONSENSUS_SCRIPT_FLAGS, klass: 'block' });
  if (!result.ok || result.checked !== INPUTS) throw new Error('the block did not verify');
}

await runBench({
  name: 'parallel/pooled-verifier',
  protects: `time from a foreign block of ${INPUTS} unseen inputs to work on top of it, scripts only`,
  run: async () => {
    const crypto = createNativeCrypto({ prefer });
    const pool = new WorkPool({ threads, prefer });
    const bare = new BareChecks(INPUTS, { threads, prefer });
    const verifier = new PooledVerifier(pool);
    await Promise.all([pool.start(), bare.start()]);
    const cases: BenchCase[] = [];
    const perInput = (ms: number): number => (ms * 1_000) / INPUTS;
    for (const kind of SPEND_KINDS) {
      const txs = makeBlock(kind, crypto);
      const runs = {
        block: () => verifyBlock(verifier, txs),
        bare: () => bare.run(kind === 'p2tr' ? 'schnorr' : 'ecdsa'),
      };
      const samples = await timeInTurn(runs, ROUNDS);
      cases.push({
        name: kind,
        unit: 'us per input',
        better: 'lower',
        samples: samples.block.map(perInput),
        limit: { name: bare.name, samples: samples.bare.map(perInput) },
        goal: { text: `at most ${GOAL_RATIO} x the limit`, reached: (_, ratio) => ratio !== null && ratio <= GOAL_RATIO },
      });
    }
    await Promise.all([pool.close(), bare.close()]);
    return { cases, notes: [`${threads} script threads, ECDSA by ${crypto.backend.ecdsa}, Schnorr by ${crypto.backend.schnorr}`] };
  },
});
