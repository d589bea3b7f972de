// Key arithmetic: against other code (node's own Hmac, @noble/hashes, tiny-secp256k1), and nulls instead of throws for
// what does not exist.
import { createHmac } from 'node:crypto';
import t from 'tap';
import * as tiny from 'tiny-secp256k1';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { fc } from '../../framework/fast-check.js';

fc.configureGlobal({ seed: 47, numRuns: 200 });

const math = createKeyMath();
const ORDER = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex');
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const secret = bytes32.filter((key) => tiny.isPrivate(key));
const same = (a: Uint8Array | null, b: Uint8Array | null): boolean => (a === null || b === null ? a === b : Buffer.compare(a, b) === 0);

t.test('computes HMAC-SHA512 for keys and data of any size', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 200 }), (key, data) =>
      same(math.hmacSha512(key, data), createHmac('sha512', key).update(data).digest()),
    ),
  );
  t.equal(math.hmacSha512(new Uint8Array(3), new Uint8Array(3)).constructor, Uint8Array, 'no Buffer');
});

t.test('adds and multiplies keys as tiny-secp256k1 does', async (t) => {
  fc.assert(
    fc.property(secret, secret, (a, b) => {
      const [keyA, keyB] = [math.publicKey(a, true), math.publicKey(b, true)];
      if (keyA === null || keyB === null) return false;
      return (
        same(keyA, tiny.pointFromScalar(a, true)) &&
        same(math.publicKey(a, false), tiny.pointFromScalar(a, false)) &&
        same(math.addToSecret(a, b), tiny.privateAdd(a, b)) &&
        same(math.addToPublic(keyA, b), tiny.pointAddScalar(keyA, b, true)) &&
        same(math.addToPublic(math.publicKey(a, false) as Uint8Array, b), tiny.pointAddScalar(keyA, b, true)) &&
        same(math.multiplyPublic(keyA, b), tiny.pointMultiply(keyA, b, true)) &&
        same(math.sumPublic([keyA, keyB]), tiny.pointAdd(keyA, keyB, true))
      );
    }),
  );
  t.pass();
});

t.test('returns null for invalid keys, zero and the point at infinity', async (t) => {
  const one = new Uint8Array(32);
  one[31] = 1;
  const key = math.publicKey(one, true) as Uint8Array;
  const minusOne = Uint8Array.from(ORDER);
  minusOne[31] -= 1;
  for (const bad of [new Uint8Array(32), Uint8Array.from(ORDER), new Uint8Array(32).fill(255), new Uint8Array(31), new Uint8Array(33)]) {
    t.equal(math.publicKey(bad, true), null);
    t.equal(math.signRecoverable(bad, one), null);
  }
  t.equal(math.addToSecret(one, minusOne), null, 'zero');
  t.equal(math.addToPublic(key, minusOne), null, 'the point at infinity');
  t.equal(math.addToPublic(key, Uint8Array.from(ORDER)), null);
  t.equal(math.sumPublic([]), null);
  const negated = Uint8Array.from(key);
  negated[0] ^= 1;
  t.equal(math.sumPublic([key, negated]), null);
  for (const broken of [new Uint8Array(0), new Uint8Array(33), new Uint8Array(33).fill(2, 0, 1).fill(255, 1), new Uint8Array(65)]) {
    t.equal(math.isPoint(broken), false);
    t.equal(math.addToPublic(broken, one), null);
    t.equal(math.multiplyPublic(broken, one), null);
    t.equal(math.sumPublic([key, broken]), null);
  }
  const kept = Uint8Array.from(one);
  math.addToSecret(one, one);
  t.same(one, kept, 'arguments stay as they are');
});

t.test('recovers public keys from signatures, and rejects invalid ones', async (t) => {
  fc.assert(
    fc.property(secret, bytes32, fc.boolean(), (key, message, compressed) => {
      const signed = math.signRecoverable(key, message);
      if (signed === null) return false;
      return same(math.recover(signed.signature, signed.recovery, message, compressed), math.publicKey(key, compressed));
    }),
  );
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 64, maxLength: 64 }),
      fc.integer({ min: -1, max: 5 }),
      bytes32,
      (signature, recovery, message) => {
        const key = math.recover(signature, recovery, message, true);
        return key === null || math.isPoint(key);
      },
    ),
  );
  t.equal(math.recover(new Uint8Array(63), 0, new Uint8Array(32), true), null);
});
