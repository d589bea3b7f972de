// Thread entry of bare-signing.ts: makes and verifies signatures with low R, and does nothing else.

import { workerData } from 'node:worker_threads';
import { createNativeCrypto, type NativeCryptoOptions } from '../../src/crypto/native/index.js';
import { createKeyMath } from '../../src/crypto/native/key-math.js';
import { createSigner } from '../../src/crypto/native/sign.js';

const crypto = createNativeCrypto(workerData as NativeCryptoOptions);
const signer = createSigner(workerData as NativeCryptoOptions);
const secret = new Uint8Array(32).fill(7);
const publicKey = createKeyMath().publicKey(secret, true) as Uint8Array;
const message = new Uint8Array(32);
let counter = 0;

/** @returns the number of valid signatures */
export function sign({ count }: { count: number }): number {
  let good = 0;
  for (let i = 0; i < count; i++) {
    new DataView(message.buffer).setUint32(0, counter++);
    const signature = signer.signLowR(secret, message);
    if (signature && crypto.ecdsaVerify(signature, publicKey, message)) good++;
  }
  return good;
}

export function describe(): string {
  return crypto.backend.ecdsa;
}
