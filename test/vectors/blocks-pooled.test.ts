// The real blocks with spent outputs on worker threads: every script passes, and a changed signature is found where it
// is, also when two are changed. What the scripts themselves accept is blocks-scripts' matter.

import { join } from 'node:path';
import t from 'tap';
import { parseBlock } from '../../src/consensus/block/block-view.js';
import { parseTx } from '../../src/consensus/tx/tx-view.js';
import { createNativeHashes } from '../../src/crypto/native/hashes.js';
import { WorkPool } from '../../src/parallel/pool.js';
import { PooledVerifier } from '../../src/parallel/pooled-verifier.js';
import type { TxJob } from '../../src/parallel/verifier.js';
import { unhex } from '../framework/hex.js';
import { readJson, readVector, VECTORS, vectorNames, vectorPath } from '../framework/vector-suite.js';

const FOLDER = 'blocks/with-spent-outputs';
const P2SH = 1 << 0;
const SEGWIT_ERA = P2SH | (1 << 2) | (1 << 4) | (1 << 9) | (1 << 10) | (1 << 11);
const TAPROOT_ERA = SEGWIT_ERA | (1 << 17);
const hashes = createNativeHashes();

interface Facts {
  network: 'main' | 'test';
  height: number;
  time: number;
  spent: [number, string, ...unknown[]][];
}

/**
 * Fewer rules than a block's own would hide failures only; blocks before segwit get P2SH, those before P2SH nothing.
 */
function flagsOf({ network, height, time }: Facts): number {
  if (network === 'test') return SEGWIT_ERA;
  if (height >= 709_632) return TAPROOT_ERA;
  if (height >= 481_824) return SEGWIT_ERA;
  return time >= 1_333_238_400 ? P2SH : 0;
}

/**
 * The job with one byte changed in the signature of its last input, or null when that input has none of the usual
 * kinds.
 */
function spoiled(job: TxJob): TxJob | null {
  const input = job.tx.inputCount - 1;
  const scriptSig = job.tx.scriptSig(input);
  const signature =
    job.tx.witness(input)[0] ?? (scriptSig.length > 100 && scriptSig[0] > 64 && scriptSig[0] < 74 ? scriptSig.subarray(1) : null);
  if (signature === null || signature.length < 64) return null;
  const bytes = new Uint8Array(job.tx.bytes);
  bytes[signature.byteOffset - job.tx.bytes.byteOffset + 50] ^= 1;
  return { tx: parseTx(bytes, hashes, { exact: true }), spent: job.spent };
}

const names = vectorNames(FOLDER, /^(?!index\.json$).*\.json$/);

t.test('verifies real blocks on the verify pool', { skip: names.length === 0 && `${join(VECTORS, FOLDER)} is not there` }, async (t) => {
  const pools = [new WorkPool({ threads: 1 }), new WorkPool({ threads: 2 })];
  t.teardown(() => Promise.all(pools.map((pool) => pool.close())));
  const verifiers = pools.map((pool) => new PooledVerifier(pool));
  let changes = 0;
  for (const name of names) {
    const stem = name.slice(0, name.indexOf('.json'));
    if (vectorPath(`${FOLDER}/${stem}.bin`) === null) {
      t.pass(stem, { skip: 'its block is not there' });
      continue;
    }
    const bytes = readVector(`${FOLDER}/${stem}.bin`);
    const facts = readJson<Facts>(`${FOLDER}/${name}`);
    const flags = flagsOf(facts);
    let at = 0;
    const txs: TxJob[] = parseBlock(bytes, hashes, { exact: true })
      .txs.slice(1)
      .map((tx) => {
        const rows = facts.spent.slice(at, at + tx.inputCount);
        at += tx.inputCount;
        return { tx, spent: rows.map(([value, script]) => ({ value, script: unhex(script) })) };
      });
    for (const verifier of verifiers) {
      const result = await verifier.verifyTxs({ txs, flags, klass: 'block' });
      t.match(result, { ok: true, checked: at, failedTx: -1 }, `${stem}: ${at} inputs, ${verifier.size} threads`);
    }
    const spoilable = txs.flatMap((job, index) => {
      const bad = spoiled(job);
      return bad === null ? [] : [{ index, bad }];
    });
    if (spoilable.length < 2) continue;
    // One in the middle and one near the end: the earlier one is to be named.
    const [early, late] = [spoilable[spoilable.length >> 1], spoilable[spoilable.length - 1]];
    const broken = txs.slice();
    broken[early.index] = early.bad;
    broken[late.index] = late.bad;
    changes++;
    for (const verifier of verifiers) {
      const result = await verifier.verifyTxs({ txs: broken, flags, klass: 'block' });
      const expected = { ok: false, failedTx: early.index, failedInput: early.bad.tx.inputCount - 1 };
      t.match(result, expected, `${stem}: a changed signature, ${verifier.size} threads`);
    }
  }
  t.comment(`${changes} blocks were changed`);
});
