// MuHash3072 against Bitcoin Core's published value, against its laws, and ChaCha20 against RFC 8439.
import t from 'tap';
import { chacha20Words, MuHash } from '../../../src/crypto/muhash.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

const hashes = createNativeCrypto();
const shown = (bytes: Uint8Array): string => Buffer.from(bytes).reverse().toString('hex');
/** 32 bytes that begin with one number. */
const element = (first: number): Uint8Array => {
  const bytes = new Uint8Array(32);
  bytes[0] = first;
  return bytes;
};

t.test('computes the ChaCha20 key stream of RFC 8439 A.1', async (t) => {
  const words = new Uint32Array(32);
  chacha20Words(new Uint8Array(32), words);
  // Test vectors 1 and 2 are counters 0 and 1 under the zero key.
  t.equal(
    Buffer.from(words.buffer).toString('hex'),
    '76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586' +
      '9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f',
  );
});

t.test('computes the published MuHash value of Core', async (t) => {
  const set = new MuHash(hashes);
  set.insert(element(0));
  set.insert(element(1));
  set.remove(element(2));
  t.equal(shown(set.digest()), '10d312b100cbd32ada024a6646e40d3482fcff103668d2625f10002a607d5863');
});

t.test('does not depend on the order of insertions and removals, also after decoding', async (t) => {
  const random = pseudoRandom(7);
  const empty = shown(new MuHash(hashes).digest());
  for (let round = 0; round < 20; round++) {
    const moves: [boolean, number][] = [];
    const members = new Set<number>();
    for (let i = 0; i < 12; i++) {
      const value = Math.floor(random() * 8);
      moves.push([!members.has(value), value]);
      if (!members.delete(value)) members.add(value);
    }
    let set = new MuHash(hashes);
    for (const [insert, value] of moves) {
      if (insert) set.insert(element(value));
      else set.remove(element(value));
      if (random() < 0.3) set = MuHash.decode(set.encode(), hashes) as MuHash;
      if (random() < 0.3) set.digest();
    }
    const plain = new MuHash(hashes);
    for (const value of [...members].reverse()) plain.insert(element(value));
    t.equal(shown(set.digest()), shown(plain.digest()), `members ${[...members]}`);
    if (members.size > 0) t.not(shown(set.digest()), empty);
  }
});

t.test('rejects encoded states that no set has', async (t) => {
  t.equal(MuHash.decode(new Uint8Array(767), hashes), null);
  t.equal(MuHash.decode(new Uint8Array(768), hashes), null, 'zero has no inverse');
  const prime = new Uint8Array(768).fill(0xff);
  prime.set([0x9b, 0x28, 0xef], 0); // 2^3072 - 1103717, little-endian
  t.equal(MuHash.decode(prime, hashes), null, 'the prime is zero');
});
