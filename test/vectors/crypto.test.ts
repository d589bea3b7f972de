// Runs the crypto vectors, and the curve vectors of the taproot folder, on every backend this machine has.
// VECTORS names the folder (../shared/vectors by default); without it the suites are skipped.

import t from 'tap';
import { hasLowS, isStrictDer, parseLaxDer } from '../../src/consensus/script/der.js';
import type { Crypto } from '../../src/crypto/crypto.js';
import { createNativeHashes } from '../../src/crypto/native/hashes.js';
import { createKeyMath } from '../../src/crypto/native/key-math.js';
import { createSigner } from '../../src/crypto/native/sign.js';
import { createPureHashes } from '../../src/crypto/pure.js';
import type { Signer } from '../../src/crypto/schnorr-signer.js';
import { sipHash24, sipKey } from '../../src/crypto/siphash.js';
import { backends } from '../framework/backends.js';
import { hex, unhex } from '../framework/hex.js';
import { TestKey } from '../framework/keys.js';
import { fileSuite, readJson, type Tap, tally } from '../framework/vector-suite.js';

/** A suite over one file. */
const suite = <T>(path: string, run: (t: Tap, rows: T) => void): void => fileSuite(path, (t) => run(t, readJson<T>(path)));

const all = backends();
for (const { name, skip } of all) if (skip) t.pass(`backend ${name}`, { skip });
const cryptos: [string, Crypto][] = all.flatMap(({ name, crypto }) => (crypto === null ? [] : [[name, crypto] as [string, Crypto]]));

const signers: [string, Signer][] = cryptos.map(([name]) => [name, createSigner({ prefer: name === 'packages' ? 'packages' : 'system' })]);

interface HashVectors {
  hashes: { hex: string; hash160: string; hash256: string }[];
  taggedHash: { tag: string; hex: string; result: string }[];
}
suite<HashVectors>('crypto/hashes_bitcoinjs.json', (t, { hashes, taggedHash }) => {
  for (const [name, h] of [
    ['native', createNativeHashes()],
    ['pure', createPureHashes()],
  ] as const) {
    for (const row of hashes) {
      t.equal(hex(h.hash160(unhex(row.hex))), row.hash160, name);
      t.equal(hex(h.sha256d(unhex(row.hex))), row.hash256, name);
    }
    for (const row of taggedHash) t.equal(hex(h.taggedHash(row.tag, unhex(row.hex))), row.result, name);
  }
});

suite<{ key: [string, string]; input: string[]; expected: { siphash24: string } }[]>('crypto/siphash.json', (t, rows) => {
  const failures = rows.flatMap(({ key, input, expected }) => {
    const keyBytes = Uint8Array.from([...unhex(key[0]).reverse(), ...unhex(key[1]).reverse()]);
    const [low, high] = sipHash24(sipKey(keyBytes), unhex(input.join('')));
    const got = high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
    return got === expected.siphash24 ? [] : [`${input.join('')}: ${got}`];
  });
  tally(t, 'siphash24', failures, rows.length);
});

suite<{ d: string; m: string; signature: string }[]>('crypto/ecdsa_sign_rfc6979.json', (t, rows) => {
  for (const [name, crypto] of cryptos) {
    const failures = rows.flatMap((row) => {
      const key = new TestKey(unhex(row.d));
      const message = unhex(row.m);
      const wrong = message.slice();
      wrong[31] ^= 1;
      const good =
        crypto.ecdsaVerify(unhex(row.signature), key.publicKey, message) && !crypto.ecdsaVerify(unhex(row.signature), key.publicKey, wrong);
      return good && hex(key.signEcdsa(message)) === row.signature ? [] : [`${row.d} ${row.m}`];
    });
    tally(t, name, failures, rows.length);
  }
});

suite<Record<string, string>[]>('crypto/ecdsa_extra_entropy.json', (t, rows) => {
  for (const [name, crypto] of cryptos) {
    for (const row of rows) {
      const key = new TestKey(unhex(row.d));
      const fields = Object.keys(row).filter((field) => field === 'signature' || field.startsWith('extraEntropy'));
      t.equal(fields.length, 6);
      for (const field of fields) t.ok(crypto.ecdsaVerify(unhex(row[field]), key.uncompressed, unhex(row.m)), `${name}: ${field}`);
    }
  }
});

suite<
  { description: string; Q: string; m: string; signature: string; strict?: boolean }[]
>('crypto/ecdsa_verify_invalid.json', (t, rows) => {
  for (const [name, crypto] of cryptos) {
    for (const row of rows) {
      // `strict` rows are high S, which the curve accepts and BIP-0062's rule refuses.
      const verified = crypto.ecdsaVerify(unhex(row.signature), unhex(row.Q), unhex(row.m));
      t.equal(verified, row.strict === true, `${name}: ${row.description}`);
    }
  }
});

interface Wycheproof {
  tcId: number;
  comment: string;
  publicKey: string;
  msg: string;
  sig: string;
  result: 'valid' | 'invalid';
}
suite<Wycheproof[]>('crypto/ecdsa_verify_wycheproof.json', (t, rows) => {
  for (const [name, crypto] of cryptos) {
    const failures = rows.flatMap((row) => {
      // The file's rule is policy's: strict DER and low S. Our DER reader wants the hash type behind the signature.
      const withHashType = unhex(`${row.sig}01`);
      const compact = isStrictDer(withHashType) && hasLowS(withHashType) ? parseLaxDer(withHashType, withHashType.length - 1) : null;
      const verified = compact !== null && crypto.ecdsaVerify(compact, unhex(row.publicKey), crypto.sha256(unhex(row.msg)));
      return verified === (row.result === 'valid') ? [] : [`${row.tcId} ${row.comment}`];
    });
    tally(t, name, failures, rows.length);
  }
});

suite<{ op: string; P: string; expected: boolean }[]>('crypto/points.json', (t, rows) => {
  const points = rows.filter((row) => row.op === 'isPoint');
  for (const [name, crypto] of cryptos) {
    const failures = points.flatMap((row) => (crypto.isPoint(unhex(row.P)) === row.expected ? [] : [row.P]));
    tally(t, name, failures, points.length);
  }
});

suite<{ op: string; P: string; d: string; expected: string | null }[]>('crypto/points.json', (t, rows) => {
  // P + d G is what a taproot output is made by, when P has an even y.
  const sums = rows.filter((row) => row.op === 'pointAddScalar' && row.P.startsWith('02') && row.expected !== null);
  for (const [name, crypto] of cryptos) {
    const failures = sums.flatMap((row) => {
      const [internal, tweak, sum] = [unhex(row.P).slice(1), unhex(row.d), unhex(row.expected as string)];
      const parity = sum[0] & 1;
      const good =
        crypto.tapTweakCheck(sum.slice(1), parity, internal, tweak) && !crypto.tapTweakCheck(sum.slice(1), 1 - parity, internal, tweak);
      return good ? [] : [`${row.P} + ${row.d}`];
    });
    tally(t, name, failures, sums.length);
  }
});

suite<{ op: string; d: string; expected: string }[]>('crypto/points.json', (t, rows) => {
  const keys = rows.filter((row) => row.op === 'pointFromScalar');
  const failures = keys.flatMap((row) => (hex(new TestKey(unhex(row.d)).publicKey) === row.expected ? [] : [row.d]));
  tally(t, 'public keys of test keys', failures, keys.length);
});

/** Operations of the rows in adit; null if the operands or the result are not points. */
const keys = createKeyMath();
const compressed = (point: string): string => {
  const at = unhex(point);
  return at.length === 33 ? point : hex(Uint8Array.from([2 + (at[64] as number & 1), ...at.subarray(1, 33)]));
};
const shown = (point: Uint8Array | null): string | null => (point === null ? null : compressed(hex(point)));
interface PointRow {
  op: string;
  P: string;
  Q: string;
  d: string;
  expected: string | boolean | null;
}
const OPERATIONS: Record<string, (row: PointRow) => string | boolean | null> = {
  isPoint: ({ P }) => keys.isPoint(unhex(P)),
  pointFromScalar: ({ d }) => shown(keys.publicKey(unhex(d), true)),
  pointAdd: ({ P, Q }) => shown(keys.sumPublic([unhex(P), unhex(Q)])),
  pointAddScalar: ({ P, d }) => shown(keys.addToPublic(unhex(P), unhex(d))),
  pointMultiply: ({ P, d }) => shown(keys.multiplyPublic(unhex(P), unhex(d))),
};
/** Scalars that are negated and points that change their form: adit does neither. */
const NOT_HERE = ['pointCompress', 'pointNegate', 'privateAdd', 'privateSub', 'isPrivate', 'isPointCompressed'];
suite<PointRow[]>('crypto/points.json', (t, rows) => {
  const judged = rows.filter(({ op }) => !NOT_HERE.includes(op));
  const failures = judged.flatMap((row) => {
    const operation = OPERATIONS[row.op];
    if (operation === undefined) return [`there is no ${row.op} here`];
    const got = operation(row);
    const wanted = typeof row.expected === 'string' ? compressed(row.expected) : row.expected;
    return got === wanted ? [] : [`${row.op} ${row.P ?? ''} ${row.Q ?? ''} ${row.d ?? ''}: ${got}, not ${wanted}`];
  });
  tally(t, 'arithmetic of keys', failures, judged.length);
  t.comment(`${rows.length - judged.length} rows of ${NOT_HERE.join(', ')} are left out: adit has no such operation`);
});

interface Bip340Row {
  index: number;
  secretKey?: string;
  publicKey: string;
  auxRand?: string;
  message: string;
  signature: string;
  valid: boolean;
}
suite<Bip340Row[]>('taproot/bip340_schnorr.json', (t, rows) => {
  for (const [name, crypto] of cryptos) {
    for (const row of rows) {
      const message = unhex(row.message);
      if (message.length !== 32 && name === 'packages') {
        t.comment(`${name}: row ${row.index} left out, tiny-secp256k1 takes messages of 32 bytes only, as consensus does`);
        continue;
      }
      t.equal(crypto.schnorrVerify(unhex(row.signature), unhex(row.publicKey), message), row.valid, `${name}: row ${row.index}`);
    }
  }
  for (const row of rows) {
    const message = unhex(row.message);
    if (!row.secretKey || message.length !== 32) continue;
    const signature = new TestKey(unhex(row.secretKey)).signSchnorr(message, unhex(row.auxRand ?? ''));
    t.equal(hex(signature), row.signature.toLowerCase(), `signing row ${row.index}`);
    for (const [name, signer] of signers) {
      const made = signer.signSchnorr(unhex(row.secretKey), message, null, unhex(row.auxRand ?? ''));
      t.equal(made && hex(made), row.signature.toLowerCase(), `${name}: signing row ${row.index}`);
    }
  }
});

suite<{ pubkey: string; tweak: string; parity: number; result: string | null }[]>('taproot/xonly_tweak_add.json', (t, rows) => {
  for (const [name, crypto] of cryptos) {
    const failures = rows.flatMap((row) => {
      const [key, tweak] = [unhex(row.pubkey), unhex(row.tweak)];
      if (row.result === null) {
        // No output key exists; whatever is claimed to be one must be refused.
        return crypto.tapTweakCheck(key, 0, key, tweak) || crypto.tapTweakCheck(key, 1, key, tweak) ? [row.pubkey] : [];
      }
      const output = unhex(row.result);
      const good = crypto.tapTweakCheck(output, row.parity, key, tweak) && !crypto.tapTweakCheck(output, 1 - row.parity, key, tweak);
      return good ? [] : [row.pubkey];
    });
    tally(t, name, failures, rows.length);
  }
});
