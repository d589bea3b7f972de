// A library that does not know the curve is found out before it judges a signature.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import koffi from 'koffi';
import t from 'tap';
import type { Curve } from '../../../src/crypto/crypto.js';
import { passesEcdsaTests, passesSchnorrTests } from '../../../src/crypto/native/known-answers.js';
import { loadSystemCurve, type SystemCurve } from '../../../src/crypto/native/system-curve.js';
import { backends } from '../../framework/backends.js';

const pick = ({
  ecdsaVerify,
  isPoint,
  schnorrVerify,
  tapTweakCheck,
}: Curve): Pick<Curve, 'ecdsaVerify' | 'isPoint' | 'schnorrVerify' | 'tapTweakCheck'> => ({
  ecdsaVerify,
  isPoint,
  schnorrVerify,
  tapTweakCheck,
});

t.test('accepts every real backend by the known-answer tests', (t) => {
  for (const { name, crypto } of backends()) {
    if (crypto === null) continue;
    t.equal(passesEcdsaTests(crypto), true, name);
    t.equal(passesSchnorrTests(crypto), true, name);
  }
  t.end();
});

t.test('rejects a backend in which one function always gives the same answer', (t) => {
  for (const { name, crypto } of backends()) {
    if (crypto === null) continue;
    for (const answer of [true, false]) {
      const stuck = () => answer;
      for (const part of ['ecdsaVerify', 'isPoint'] as const)
        t.equal(passesEcdsaTests({ ...pick(crypto), [part]: stuck }), false, `${name} ${part} ${answer}`);
      for (const part of ['schnorrVerify', 'tapTweakCheck'] as const)
        t.equal(passesSchnorrTests({ ...pick(crypto), [part]: stuck }), false, `${name} ${part} ${answer}`);
    }
  }
  t.end();
});

/**
 * The low 64 bits of the generator's x as tables of its multiples hold them: the least significant byte first, where
 * the first table of them begins.
 */
const GENERATOR_X = Buffer.from('9817f8165b81f259', 'hex');
/** Its odd multiples follow, as x and y; a check uses a few of the first 8,192. */
const POINTS = 8000;
const POINT_BYTES = 64;

/** The system's library with other points in place of the generator's multiples; null where there is none. */
function damagedLibrary(): { system: SystemCurve; bytes: Buffer } | null {
  const system = loadSystemCurve();
  if (system === null || process.platform !== 'linux') return null;
  // Loaded libraries are mapped; the last column is their path.
  const file = fs
    .readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .map((line) => line.slice(line.indexOf('/')))
    .find((one) => one.includes('libsecp256k1'));
  if (file === undefined) return null;
  const bytes = fs.readFileSync(file);
  const table = bytes.indexOf(GENERATOR_X);
  for (let i = 0; table >= 0 && i < POINTS; i++) bytes[table + i * POINT_BYTES] ^= 1;
  return table < 0 ? null : { system, bytes };
}

const damaged = damagedLibrary();
t.test(
  'does not use a system library that fails the known-answer tests',
  { skip: damaged === null ? 'no libsecp256k1 with Schnorr on this system' : false },
  (t) => {
    const { system, bytes } = damaged!;
    const { name } = system;
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-curve-'));
    t.teardown(() => fs.rmSync(folder, { recursive: true }));
    const file = path.join(folder, 'libsecp256k1.so');
    fs.writeFileSync(file, bytes);
    t.type(koffi.load(file).func('secp256k1_context_create', 'size_t', ['unsigned int']), 'function', 'it loads');
    t.equal(loadSystemCurve([file]), null);
    t.equal(loadSystemCurve([file, name])?.name, name, 'the next library is used');
    // Until here: once the collector had unloaded it, the damaged one would be found by the name that both have.
    t.equal(passesEcdsaTests(system.ecdsa), true, 'the one that was loaded first stays');
    t.end();
  },
);
