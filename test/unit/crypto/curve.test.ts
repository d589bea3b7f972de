// Curve checks on every backend: right answers for good and broken input, never a throw, and the same answers
// everywhere.

import t from 'tap';
import type { Curve } from '../../../src/crypto/crypto.js';
import { createNativeCrypto, cryptoWarning } from '../../../src/crypto/native/index.js';
import { isHighS } from '../../../src/crypto/native/low-s.js';
import { loadSystemCurve } from '../../../src/crypto/native/system-curve.js';
import { backends } from '../../framework/backends.js';
import { fc } from '../../framework/fast-check.js';
import { testKey, testTaggedHash } from '../../framework/keys.js';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

function to32Bytes(value: bigint): Uint8Array {
  return Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'));
}

/** The same signature with the other S. */
function otherS(signature: Uint8Array): Uint8Array {
  const flipped = signature.slice();
  flipped.set(to32Bytes(ORDER - toNumber(signature.subarray(32))), 32);
  return flipped;
}

function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length + 3)).subarray(3);
  copy.set(bytes);
  return copy;
}

const key = testKey(1);
const other = testKey(2);
const message = testTaggedHash('message');

for (const { name, crypto, skip } of backends()) {
  t.test(`${name}: verifies ECDSA signatures, and rejects altered and malformed ones`, { skip }, async (t) => {
    const { ecdsaVerify } = crypto as Curve;
    const signature = key.signEcdsa(message);
    for (const [form, publicKey] of Object.entries({ compressed: key.publicKey, uncompressed: key.uncompressed, hybrid: key.hybrid })) {
      t.ok(ecdsaVerify(signature, publicKey, message), form);
      t.ok(ecdsaVerify(otherS(signature), publicKey, message), `${form}, high S`);
      t.ok(ecdsaVerify(shared(signature), shared(publicKey), shared(message)), `${form}, shared memory`);
    }
    const wrongHybrid = key.hybrid;
    wrongHybrid[0] ^= 1;
    t.notOk(ecdsaVerify(signature, wrongHybrid, message), 'hybrid with the wrong parity');
    t.notOk(ecdsaVerify(signature, other.publicKey, message), 'another key');
    t.notOk(ecdsaVerify(signature, key.publicKey, testTaggedHash('other')), 'another message');
    for (const at of [0, 31, 32, 63]) {
      const broken = signature.slice();
      broken[at] ^= 1;
      t.notOk(ecdsaVerify(broken, key.publicKey, message), `byte ${at} changed`);
    }
    t.ok(ecdsaVerify(signature, key.publicKey, message), 'still right after all that');
    t.notOk(ecdsaVerify(new Uint8Array(64), key.publicKey, message), 'zero r and s');
    t.notOk(ecdsaVerify(Uint8Array.from([...signature.subarray(0, 32), ...to32Bytes(ORDER)]), key.publicKey, message), 's is the order');
    t.notOk(ecdsaVerify(signature.subarray(1), key.publicKey, message), 'short signature');
    t.notOk(ecdsaVerify(signature, key.publicKey.subarray(0, 32), message), 'short key');
    t.notOk(ecdsaVerify(signature, new Uint8Array(0), message), 'no key');
    t.notOk(ecdsaVerify(signature, key.publicKey, message.subarray(1)), 'short message');
    const lowR = key.signEcdsa(message, true);
    t.ok(lowR[0] < 0x80 && ecdsaVerify(lowR, key.publicKey, message), 'low R');
  });

  t.test(`${name}: verifies ECDSA signatures of zero and of messages above the order`, { skip }, async (t) => {
    const { ecdsaVerify } = crypto as Curve;
    const zero = new Uint8Array(32);
    t.ok(ecdsaVerify(key.signEcdsa(zero), key.publicKey, zero), 'zero');
    const high = new Uint8Array(32).fill(0xff);
    t.ok(ecdsaVerify(key.signEcdsa(high), key.publicKey, high), 'a message above the order is reduced');
  });

  t.test(`${name}: verifies Schnorr signatures, and rejects altered and malformed ones`, { skip }, async (t) => {
    const { schnorrVerify } = crypto as Curve;
    const signature = key.signSchnorr(message);
    t.ok(schnorrVerify(signature, key.xonly, message));
    t.ok(schnorrVerify(shared(signature), shared(key.xonly), shared(message)), 'shared memory');
    t.notOk(schnorrVerify(signature, other.xonly, message), 'another key');
    for (const at of [0, 31, 32, 63]) {
      const broken = signature.slice();
      broken[at] ^= 1;
      t.notOk(schnorrVerify(broken, key.xonly, message), `byte ${at} changed`);
    }
    t.notOk(schnorrVerify(signature, new Uint8Array(32).fill(0xff), message), 'x above the field');
    t.notOk(schnorrVerify(signature, to32Bytes(5n), message), 'x not on the curve');
    t.notOk(schnorrVerify(signature.subarray(1), key.xonly, message), 'short signature');
    t.notOk(schnorrVerify(new Uint8Array(65), key.xonly, message), 'long signature');
    t.notOk(schnorrVerify(signature, key.publicKey, message), 'key of 33 bytes');
  });

  t.test(`${name}: checks taproot tweaks, and rejects wrong parity, tweak and keys`, { skip }, async (t) => {
    const { tapTweakCheck, schnorrVerify } = crypto as Curve;
    const root = testTaggedHash('root');
    for (let n = 0; n < 8; n++) {
      const internal = testKey(n);
      const tweak = testTaggedHash('TapTweak', internal.xonly, root);
      const output = internal.taprootOutput(root);
      t.ok(tapTweakCheck(output.key, output.parity, internal.xonly, tweak), `key ${n}, parity ${output.parity}`);
      t.notOk(tapTweakCheck(output.key, 1 - output.parity, internal.xonly, tweak), 'wrong parity');
      t.notOk(tapTweakCheck(output.key, output.parity, internal.xonly, root), 'wrong tweak');
      t.notOk(tapTweakCheck(output.key, output.parity, testKey(99).xonly, tweak), 'wrong internal key');
      t.ok(schnorrVerify(internal.signTaproot(message, root), output.key, message), 'key path signature');
    }
    t.notOk(tapTweakCheck(key.xonly, 0, key.xonly, to32Bytes(ORDER)), 'tweak is the order');
    t.notOk(tapTweakCheck(key.xonly, 0, new Uint8Array(32).fill(0xff), root), 'internal key above the field');
    t.notOk(tapTweakCheck(key.publicKey, 0, key.xonly, root), 'output key of 33 bytes');
  });

  // Parsed keys are cached by the last bytes of x. Keys that share these bytes must not be confused.
  t.test(`${name}: distinguishes cached keys that share the last bytes of x`, { skip }, async (t) => {
    const { ecdsaVerify, schnorrVerify, tapTweakCheck, isPoint } = crypto as Curve;
    const [ecdsa, schnorr] = [key.signEcdsa(message), key.signSchnorr(message)];
    const root = testTaggedHash('root');
    const tweak = testTaggedHash('TapTweak', key.xonly, root);
    const output = key.taprootOutput(root);
    const negated = key.publicKey.slice();
    negated[0] ^= 1;
    const [points, offs]: Uint8Array[][] = [[], []];
    for (let first = 0; first < 32; first++) {
      const changed = key.publicKey.slice();
      changed[1] = first;
      (isPoint(changed) ? points : offs).push(changed);
    }
    t.ok(points.length > 3 && offs.length > 3, 'half of all x are of points');
    const others = [negated, ...points.filter((point) => point[1] !== key.publicKey[1]), ...offs];
    for (const other of [...others, ...others]) {
      t.ok(ecdsaVerify(ecdsa, key.publicKey, message) && ecdsaVerify(ecdsa, key.uncompressed, message));
      t.ok(schnorrVerify(schnorr, key.xonly, message) && tapTweakCheck(output.key, output.parity, key.xonly, tweak));
      t.notOk(ecdsaVerify(ecdsa, other, message));
      t.equal(isPoint(other), !offs.includes(other));
      if (other === negated) continue;
      t.notOk(schnorrVerify(schnorr, other.subarray(1), message));
      t.notOk(tapTweakCheck(output.key, output.parity, other.subarray(1), tweak));
    }
  });

  // WebAssembly that is left by an exception lost some of its stack each time, until it refused everything.
  t.test(`${name}: still works after thousands of keys that are not on the curve`, { skip }, async (t) => {
    const { schnorrVerify, tapTweakCheck } = crypto as Curve;
    const schnorr = key.signSchnorr(message);
    const root = testTaggedHash('root');
    const tweak = testTaggedHash('TapTweak', key.xonly, root);
    const output = key.taprootOutput(root);
    const none = to32Bytes(5n);
    let accepted = 0;
    for (let i = 0; i < 4_000; i++) {
      if (schnorrVerify(schnorr, none, message)) accepted++;
      if (tapTweakCheck(output.key, output.parity, none, tweak)) accepted++;
      if (tapTweakCheck(none, output.parity, key.xonly, tweak)) accepted++;
      if (schnorrVerify(new Uint8Array(64).fill(255), key.xonly, message)) accepted++;
      if (tapTweakCheck(output.key, output.parity, key.xonly, to32Bytes(ORDER))) accepted++;
    }
    t.equal(accepted, 0);
    t.ok(schnorrVerify(schnorr, key.xonly, message));
    t.ok(tapTweakCheck(output.key, output.parity, key.xonly, tweak));
  });

  t.test(`${name}: recognises encoded points, and rejects malformed ones`, { skip }, async (t) => {
    const { isPoint } = crypto as Curve;
    t.ok(isPoint(key.publicKey));
    t.ok(isPoint(key.uncompressed));
    t.ok(isPoint(key.hybrid));
    t.notOk(isPoint(key.xonly));
    t.notOk(isPoint(new Uint8Array(33)));
    t.notOk(isPoint(new Uint8Array(0)));
    const off = key.uncompressed.slice();
    off[64] ^= 1;
    t.notOk(isPoint(off), 'y changed');
  });
}

t.test('backends agree on mangled input', { skip: backends()[1].skip }, async () => {
  const [packages, system] = backends().map((backend) => backend.crypto as Curve);
  const mangle = fc.record({ key: fc.nat(3), at: fc.nat(200), by: fc.integer({ min: 0, max: 255 }), form: fc.nat(2) });
  fc.assert(
    fc.property(mangle, ({ key: n, at, by, form }) => {
      const signer = testKey(n);
      const publicKey = [signer.publicKey, signer.uncompressed, signer.hybrid][form].slice();
      const parts = [signer.signEcdsa(message), publicKey, message.slice()];
      let rest = at;
      for (const part of parts) {
        if (rest < part.length) {
          part[rest] ^= by;
          break;
        }
        rest -= part.length;
      }
      const [signature, changedKey, digest] = parts;
      if (packages.ecdsaVerify(signature, changedKey, digest) !== system.ecdsaVerify(signature, changedKey, digest))
        throw new Error('ecdsa');
      if (packages.isPoint(changedKey) !== system.isPoint(changedKey)) throw new Error('point');
      const schnorr = signer.signSchnorr(message);
      schnorr[at % 64] ^= by;
      if (packages.schnorrVerify(schnorr, signer.xonly, digest) !== system.schnorrVerify(schnorr, signer.xonly, digest))
        throw new Error('schnorr');
      const output = signer.taprootOutput(digest);
      const tweak = testTaggedHash('TapTweak', signer.xonly, digest);
      output.key[at % 32] ^= by;
      const ours = packages.tapTweakCheck(output.key, output.parity, signer.xonly, tweak);
      if (ours !== system.tapTweakCheck(output.key, output.parity, signer.xonly, tweak)) throw new Error('tweak');
    }),
    { numRuns: 300 },
  );
});

t.test('distinguishes high from low S at half of the order', async (t) => {
  const signature = (s: bigint): Uint8Array => Uint8Array.from([...to32Bytes(1n), ...to32Bytes(s)]);
  t.notOk(isHighS(signature(1n)));
  t.notOk(isHighS(signature(ORDER >> 1n)));
  t.ok(isHighS(signature((ORDER >> 1n) + 1n)));
  t.ok(isHighS(signature(ORDER - 1n)));
});

t.test('chooses the system library if present, and warns when it uses the npm packages', async (t) => {
  t.equal(loadSystemCurve(['libno-such-library.so.77']), null, 'nothing found is no error');
  const packages = createNativeCrypto({ prefer: 'packages' });
  t.match(packages.backend, { ecdsa: 'secp256k1 (npm)', schnorr: 'tiny-secp256k1 (WebAssembly)' });
  t.match(cryptoWarning(packages.backend), /libsecp256k1-1|brew install secp256k1/, 'the warning names the package');
  const system = backends()[1].crypto;
  if (system !== null) {
    t.match(system.backend.schnorr, /^libsecp256k1.* \(system\)$/);
    t.equal(cryptoWarning(system.backend), null);
  }
});
