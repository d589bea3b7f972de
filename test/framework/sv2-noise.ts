// The client's side of Stratum V2's Noise handshake and its encrypted frames, written from the specification with
// node:crypto. Shares no code with the node. Tests can set the keys, for vectors.
import crypto from 'node:crypto';
import { createRequire } from 'node:module';
import { encodingOf, hmac, number, sha256, sharedSecret, xOf } from './v2-codec.js';

const tiny = createRequire(import.meta.url)('tiny-secp256k1') as typeof import('tiny-secp256k1');
const NAME = Buffer.from('Noise_NX_Secp256k1+EllSwift_ChaChaPoly_SHA256');
const NOTHING = Buffer.alloc(0);

function hkdf(ck: Uint8Array, input: Uint8Array): [Buffer, Buffer] {
  const key = hmac(ck, input);
  const first = hmac(key, Buffer.from([1]));
  return [first, hmac(key, first, Buffer.from([2]))];
}

const nonceOf = (n: number): Buffer => {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64LE(BigInt(n), 4);
  return nonce;
};

export function seal(key: Uint8Array, n: number, ad: Uint8Array, plain: Uint8Array): Buffer {
  const cipher = crypto.createCipheriv('chacha20-poly1305', key, nonceOf(n), { authTagLength: 16 });
  cipher.setAAD(ad, { plaintextLength: plain.length });
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error if the bytes were changed */
export function unseal(key: Uint8Array, n: number, ad: Uint8Array, sealed: Uint8Array): Buffer {
  const cipher = crypto.createDecipheriv('chacha20-poly1305', key, nonceOf(n), { authTagLength: 16 });
  cipher.setAAD(ad, { plaintextLength: sealed.length - 16 });
  cipher.setAuthTag(sealed.subarray(sealed.length - 16));
  try {
    return Buffer.concat([cipher.update(sealed.subarray(0, sealed.length - 16)), cipher.final()]);
  } catch {
    throw new Error('MAC failure');
  }
}

/** Returns the x-only key of an authority key's text. */
export function authorityOf(text: string): Buffer {
  let value = 0n;
  for (const digit of text) value = value * 58n + BigInt('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'.indexOf(digit));
  const all = Buffer.from(value.toString(16).padStart(76, '0'), 'hex');
  const check = sha256(sha256(all.subarray(0, 34))).subarray(0, 4);
  if (all.length !== 38 || all.readUInt16LE(0) !== 1 || !check.equals(all.subarray(34))) throw new Error('no authority key');
  return all.subarray(2, 34);
}

/** Fixed keys of a vector. */
export interface FixedKey {
  readonly secret: Uint8Array;
  readonly encoding: Uint8Array;
}

export class NoiseInitiator {
  readonly act1: Buffer;
  readonly #ecdh = crypto.createECDH('secp256k1');
  #h: Buffer;
  #ck: Buffer;
  #key: Buffer = NOTHING;
  #sendKey: Buffer = NOTHING;
  #receiveKey: Buffer = NOTHING;
  #sent = 0;
  #received = 0;

  constructor(fixed?: FixedKey) {
    if (fixed) this.#ecdh.setPrivateKey(fixed.secret);
    else this.#ecdh.generateKeys();
    this.#ck = sha256(NAME);
    this.#h = sha256(this.#ck);
    this.act1 = Buffer.from(fixed?.encoding ?? encodingOf(number(this.#ecdh.getPublicKey(null, 'compressed').subarray(1))));
    this.#mix(this.act1);
    this.#mix(NOTHING);
  }

  #mix(data: Uint8Array): void {
    this.#h = sha256(this.#h, data);
  }

  #agree(theirs: Uint8Array): void {
    [this.#ck, this.#key] = hkdf(this.#ck, sharedSecret(this.#ecdh, this.act1, theirs, theirs));
  }

  #open(sealed: Uint8Array): Buffer {
    const plain = unseal(this.#key, 0, this.#h, sealed);
    this.#mix(sealed);
    return plain;
  }

  /** Reads act 2. @param act2 234 bytes @throws Error with the name that vectors use */
  finish(act2: Uint8Array, authority: Uint8Array | null, nowSeconds: number): void {
    const ephemeral = act2.subarray(0, 64);
    this.#mix(ephemeral);
    this.#agree(ephemeral);
    const staticKey = this.#open(act2.subarray(64, 144));
    this.#agree(staticKey);
    const certificate = this.#open(act2.subarray(144, 234));
    if (authority !== null) this.#check(certificate, staticKey, authority, nowSeconds);
    [this.#sendKey, this.#receiveKey] = hkdf(this.#ck, NOTHING);
  }

  #check(certificate: Buffer, staticKey: Buffer, authority: Uint8Array, now: number): void {
    const digest = sha256(certificate.subarray(0, 10), Buffer.from(this.#xOf(staticKey)));
    const good =
      certificate.readUInt16LE(0) === 0 &&
      certificate.readUInt32LE(2) <= now &&
      now <= certificate.readUInt32LE(6) &&
      tiny.verifySchnorr(digest, authority, certificate.subarray(10));
    if (!good) throw new Error('bad certificate');
  }

  #xOf(encoding: Uint8Array): Uint8Array {
    return Buffer.from(xOf(encoding).toString(16).padStart(64, '0'), 'hex');
  }

  seal(plain: Uint8Array): Buffer {
    return seal(this.#sendKey, this.#sent++, NOTHING, plain);
  }

  open(sealed: Uint8Array): Buffer {
    return unseal(this.#receiveKey, this.#received++, NOTHING, sealed);
  }

  /** @param length length in the header, if it should be wrong */
  frame(extension: number, type: number, payload: Uint8Array, length = payload.length): Buffer {
    const header = Buffer.alloc(6);
    header.writeUInt16LE(extension, 0);
    header[2] = type;
    header.writeUIntLE(length, 3, 3);
    const parts = [this.seal(header)];
    for (let at = 0; at < payload.length; at += 65_519) parts.push(this.seal(payload.subarray(at, at + 65_519)));
    return Buffer.concat(parts);
  }
}
