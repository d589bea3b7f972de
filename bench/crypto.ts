// Measures the cryptographic primitives of each backend on one thread. All other figures depend on these.
//
//   node build/bench/crypto.js [--json]

import { randomBytes } from 'node:crypto';
import type { Crypto, Hashes } from '../src/crypto/crypto.js';
import { loadDirectHashes } from '../src/crypto/native/direct-hashes.js';
import { createNodeHashes } from '../src/crypto/native/hashes.js';
import { createPureHashes } from '../src/crypto/pure.js';
import { backends } from '../test/framework/backends.js';
import { testKey, testTaggedHash } from '../test/framework/keys.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { timeInTurn } from './harness/samples.js';

const ROUNDS = { warmup: 3, rounds: 20 };

/** Measures the time of `count` calls per round for each function. Samples are in microseconds per call. */
async function cases(runs: Record<string, () => unknown>, count: number): Promise<BenchCase[]> {
  const loops = Object.fromEntries(
    Object.entries(runs).map(([name, run]) => [
      name,
      () => {
        for (let i = 0; i < count; i++) run();
      },
    ]),
  );
  const samples = await timeInTurn(loops, ROUNDS);
  return Object.keys(runs).map((name) => ({ name, unit: 'us', better: 'lower', samples: samples[name].map((ms) => (ms * 1_000) / count) }));
}

function hashRuns(name: string, hashes: Hashes): Record<string, () => unknown> {
  const level = new Uint8Array(32_000);
  const [key, header, preimage, large] = [33, 80, 182, 100_000].map((size) => new Uint8Array(randomBytes(size)));
  return {
    [`sha256d, 80 bytes (header), ${name}`]: () => hashes.sha256d(header),
    [`sha256d, 182 bytes (BIP-0143), ${name}`]: () => hashes.sha256d(preimage),
    [`hash160, 33 bytes, ${name}`]: () => hashes.hash160(key),
    [`taggedHash, 182 bytes, ${name}`]: () => hashes.taggedHash('TapSighash', preimage),
    [`sha256d, 1,000 pairs of a hash tree, ${name}`]: () => hashes.sha256dPairs(large, 0, 1_000, level, 0),
    [`sha256d, 100 kB, ${name}`]: () => hashes.sha256d(large),
  };
}

function curveRuns(name: string, crypto: Crypto): Record<string, () => unknown> {
  const key = testKey(1);
  const message = testTaggedHash('bench');
  const [ecdsa, schnorr] = [key.signEcdsa(message), key.signSchnorr(message)];
  const root = testTaggedHash('root');
  const output = key.taprootOutput(root);
  const tweak = testTaggedHash('TapTweak', key.xonly, root);
  return {
    [`ECDSA check, ${name}`]: () => crypto.ecdsaVerify(ecdsa, key.publicKey, message),
    [`Schnorr check, ${name}`]: () => crypto.schnorrVerify(schnorr, key.xonly, message),
    [`taproot tweak check, ${name}`]: () => crypto.tapTweakCheck(output.key, output.parity, key.xonly, tweak),
  };
}

await runBench({
  name: 'crypto',
  protects: 'every hash and signature check of the node; a slower backend shows here first',
  run: async () => {
    const node = createNodeHashes();
    const direct = loadDirectHashes(node);
    const hashes = { 'OpenSSL (direct)': direct, 'node:crypto': node, '@noble/hashes': createPureHashes() };
    const all: BenchCase[] = [];
    for (const [name, implementation] of Object.entries(hashes)) {
      if (implementation !== null) all.push(...(await cases(hashRuns(name, implementation), 200)));
    }
    for (const { crypto } of backends()) {
      if (crypto === null) continue;
      const { ecdsa, schnorr } = crypto.backend;
      all.push(...(await cases(curveRuns(ecdsa === schnorr ? ecdsa : `${ecdsa} / ${schnorr}`, crypto), 100)));
    }
    return { cases: all };
  },
});
