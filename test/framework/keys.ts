// Deterministic keys and signatures for tests and benches. The npm packages make the signatures, so that other code has
// made what the node's native library checks. Never use these keys for money.

import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import * as tiny from 'tiny-secp256k1';

interface Secp256k1Package {
  publicKeyCreate(secret: Uint8Array, compressed: boolean): Uint8Array;
  ecdsaSign(message: Uint8Array, secret: Uint8Array, options?: { data?: Uint8Array }): { signature: Uint8Array; recid: number };
}

const secp = createRequire(import.meta.url)('secp256k1/bindings.js') as Secp256k1Package;

function sha256(...parts: Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

/** Returns a tagged hash of BIP-0340. */
export function testTaggedHash(tag: string, ...parts: Uint8Array[]): Uint8Array {
  const tagHash = sha256(new TextEncoder().encode(tag));
  return sha256(tagHash, tagHash, ...parts);
}

/** Returns the strict DER form of a compact signature (BIP-0066), without a hash type. */
export function derEncode(compact: Uint8Array): Uint8Array {
  const integer = (bytes: Uint8Array): number[] => {
    let start = 0;
    while (start < 31 && bytes[start] === 0) start++;
    const digits = [...bytes.subarray(start)];
    // A set top bit would be read as a sign, so insert a zero byte.
    if (digits[0] >= 0x80) digits.unshift(0);
    return [2, digits.length, ...digits];
  };
  const body = [...integer(compact.subarray(0, 32)), ...integer(compact.subarray(32, 64))];
  return Uint8Array.from([0x30, body.length, ...body]);
}

/** A taproot output key (BIP-0341) and the parity of its y, which control blocks carry. */
export interface TaprootOutput {
  readonly key: Uint8Array;
  readonly parity: number;
}

/** A private key with its public keys and signatures. */
export class TestKey {
  readonly secret: Uint8Array;
  /** 33 bytes. */
  readonly publicKey: Uint8Array;
  /** 65 bytes, prefix 04. */
  readonly uncompressed: Uint8Array;
  /** 32 bytes, BIP-0340. */
  readonly xonly: Uint8Array;

  constructor(secret: Uint8Array) {
    this.secret = secret;
    this.publicKey = new Uint8Array(secp.publicKeyCreate(secret, true));
    this.uncompressed = new Uint8Array(secp.publicKeyCreate(secret, false));
    this.xonly = this.publicKey.slice(1);
  }

  /** 65 bytes, prefix 06 or 07 by the parity of y: valid for consensus, forbidden by policy. */
  get hybrid(): Uint8Array {
    const key = this.uncompressed.slice();
    key[0] = 6 + (key[64] & 1);
    return key;
  }

  /** Signs with ECDSA (RFC 6979, low S). @param lowR adds entropy until r is below 2^255, as Core does @returns 64 bytes */
  signEcdsa(hash: Uint8Array, lowR = false): Uint8Array {
    let { signature } = secp.ecdsaSign(hash, this.secret);
    for (let counter = 1; lowR && signature[0] >= 0x80; counter++) {
      const data = new Uint8Array(32);
      new DataView(data.buffer).setUint32(0, counter, true);
      ({ signature } = secp.ecdsaSign(hash, this.secret, { data }));
    }
    return new Uint8Array(signature);
  }

  /** Signs, and returns the signature as scripts contain it: DER, then the hash type. */
  signForScript(hash: Uint8Array, hashType: number, lowR = true): Uint8Array {
    const der = derEncode(this.signEcdsa(hash, lowR));
    const signature = new Uint8Array(der.length + 1);
    signature.set(der);
    signature[der.length] = hashType;
    return signature;
  }

  /** Signs with the untweaked key (BIP-0340), for tapscript. @returns 64 bytes */
  signSchnorr(hash: Uint8Array, aux: Uint8Array = new Uint8Array(32)): Uint8Array {
    return tiny.signSchnorr(hash, this.secret, aux);
  }

  /** Returns the output key of this internal key. @param merkleRoot root of the script tree; omitted if there is none */
  taprootOutput(merkleRoot: Uint8Array = new Uint8Array(0)): TaprootOutput {
    const tweaked = tiny.xOnlyPointAddTweak(this.xonly, this.#tweak(merkleRoot));
    if (tweaked === null) throw new Error('The tweak of a test key met the group order');
    return { key: tweaked.xOnlyPubkey, parity: tweaked.parity };
  }

  /** Signs with the tweaked key (BIP-0340), for the key path. @returns 64 bytes */
  signTaproot(hash: Uint8Array, merkleRoot: Uint8Array = new Uint8Array(0), aux: Uint8Array = new Uint8Array(32)): Uint8Array {
    const even = this.publicKey[0] === 3 ? tiny.privateNegate(this.secret) : this.secret;
    const secret = tiny.privateAdd(even, this.#tweak(merkleRoot));
    if (secret === null) throw new Error('The tweak of a test key met the group order');
    return tiny.signSchnorr(hash, secret, aux);
  }

  #tweak(merkleRoot: Uint8Array): Uint8Array {
    return testTaggedHash('TapTweak', this.xonly, merkleRoot);
  }
}

/** Returns test key number n, the same on every machine. */
export function testKey(n: number): TestKey {
  return new TestKey(sha256(new TextEncoder().encode(`adit test key ${n}`)));
}
