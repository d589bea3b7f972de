// Known-answer tests that a curve library must pass before it is used. A file with the right name and functions may be
// another library, or a broken build. The tests run once per thread and take well under a millisecond.

import type { Curve } from '../crypto.js';

const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

/** Generator point: the public key of the private key 1. */
const G = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

/** Test vectors 0 and 1 of BIP-0340: public key, message, signature. */
const SCHNORR = [
  [
    'f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9',
    '0000000000000000000000000000000000000000000000000000000000000000',
    'e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca821525f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0',
  ],
  [
    'dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659',
    '243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89',
    '6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de33418906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a',
  ],
].map((row) => row.map((hex) => fromHex(hex))) as [Uint8Array, Uint8Array, Uint8Array][];

/** Signature with nonce 1 and key 1 of the message z: s = z + r mod n, so it can be made without a library. */
const MESSAGE = fromHex('0000000000000000000000000000000000000000000000000000000000000001');
const SIGNATURE = fromHex(
  '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'.concat(
    '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81799',
  ),
);

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice();
  copy[at] ^= 1;
  return copy;
}

/** Returns whether a library verifies ECDSA signatures and points. */
export function passesEcdsaTests({ ecdsaVerify, isPoint }: Pick<Curve, 'ecdsaVerify' | 'isPoint'>): boolean {
  const key = fromHex(G);
  return (
    ecdsaVerify(SIGNATURE, key, MESSAGE) &&
    !ecdsaVerify(flipped(SIGNATURE, 63), key, MESSAGE) &&
    !ecdsaVerify(SIGNATURE, key, flipped(MESSAGE, 0)) &&
    isPoint(key) &&
    // No point has this x coordinate.
    !isPoint(fromHex(`02${'00'.repeat(31)}05`))
  );
}

/** Returns whether a library verifies BIP-0340 signatures and taproot tweaks. */
export function passesSchnorrTests({ schnorrVerify, tapTweakCheck }: Pick<Curve, 'schnorrVerify' | 'tapTweakCheck'>): boolean {
  const signatures = SCHNORR.every(
    ([key, message, signature]) => schnorrVerify(signature, key, message) && !schnorrVerify(flipped(signature, 40), key, message),
  );
  // G + 1 * G is 2 * G, whose y is even.
  const [one, two] = [fromHex(G.slice(2)), fromHex('c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5')];
  return signatures && tapTweakCheck(two, 0, one, MESSAGE) && !tapTweakCheck(two, 1, one, MESSAGE) && !tapTweakCheck(one, 0, one, MESSAGE);
}
