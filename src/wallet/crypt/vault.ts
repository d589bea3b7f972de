// How private keys rest: plain in an unencrypted wallet, under the master key in an encrypted one (AES-256-CBC, the
// first 16 bytes of the double SHA-256 of the public key as vector, as Core's crypter). The master key is here only
// while the wallet is unlocked.
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { equalBytes } from '../../consensus/bytes/hex.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { KeyMath } from '../../crypto/key-math.js';
import { secretBytes, secretCopy } from '../../crypto/secret-bytes.js';

const CIPHER = 'aes-256-cbc';

/** Puts the private key of a public key into its sealed form. */
export type Seal = (publicKey: Uint8Array, secret: Uint8Array) => Uint8Array;

/** Encrypts a secret under a master key. @returns 48 bytes for a 32-byte secret */
export function sealSecret(masterKey: Uint8Array, publicKey: Uint8Array, secret: Uint8Array, hashes: Hashes): Uint8Array {
  const cipher = createCipheriv(CIPHER, masterKey, hashes.sha256d(publicKey).subarray(0, 16));
  const head = cipher.update(secret);
  const tail = cipher.final();
  const sealed = new Uint8Array(head.length + tail.length);
  sealed.set(head);
  sealed.set(tail, head.length);
  return sealed;
}

/** @returns the secret in a fresh array, null when the key does not fit */
export function openSecret(masterKey: Uint8Array, publicKey: Uint8Array, sealed: Uint8Array, hashes: Hashes): Uint8Array | null {
  try {
    const decipher = createDecipheriv(CIPHER, masterKey, hashes.sha256d(publicKey).subarray(0, 16));
    const head = decipher.update(sealed);
    const tail = decipher.final();
    const secret = secretBytes(head.length + tail.length);
    secret.set(head);
    secret.set(tail, head.length);
    head.fill(0);
    tail.fill(0);
    return secret;
  } catch {
    return null;
  }
}

export class Vault {
  #masterKey: Uint8Array | null = null;
  #encrypted: boolean;
  readonly #wipedOnLock: Uint8Array[] = [];
  #session = 0;
  readonly #hashes: Hashes;
  readonly #keys: Pick<KeyMath, 'publicKey'>;

  constructor(encrypted: boolean, hashes: Hashes, keys: Pick<KeyMath, 'publicKey'>) {
    this.#hashes = hashes;
    this.#keys = keys;
    this.#encrypted = encrypted;
  }

  /** Whether private keys rest encrypted. */
  get encrypted(): boolean {
    return this.#encrypted;
  }
  /** Whether private keys cannot be read now. */
  get locked(): boolean {
    return this.#encrypted && this.#masterKey === null;
  }

  /** Takes a master key over (its array becomes this vault's to wipe); the wallet is encrypted from now on. */
  unlock(masterKey: Uint8Array): void {
    this.lock();
    this.#encrypted = true;
    this.#masterKey = masterKey;
  }
  lock(): void {
    this.#masterKey?.fill(0);
    this.#masterKey = null;
    for (const secret of this.#wipedOnLock.splice(0)) secret.fill(0);
    this.#session++;
  }
  /** Rises with every lock: what `wipeOnLock` took before is overwritten. */
  get session(): number {
    return this.#session;
  }
  /** Overwrites an array when the wallet is locked or closed. */
  wipeOnLock(secret: Uint8Array): void {
    this.#wipedOnLock.push(secret);
  }

  /** A secret in the form it rests in. @throws when locked: callers check before they change anything */
  seal(publicKey: Uint8Array, secret: Uint8Array): Uint8Array {
    if (!this.#encrypted) return secretCopy(secret);
    if (this.#masterKey === null) throw new Error('a locked wallet seals nothing: callers check before they change anything');
    return sealSecret(this.#masterKey, publicKey, secret, this.#hashes);
  }

  /**
   * A secret in a fresh array that the caller wipes; undefined when locked, or when damage left another key than the
   * public one's.
   */
  open(publicKey: Uint8Array, resting: Uint8Array): Uint8Array | undefined {
    if (!this.#encrypted) return secretCopy(resting);
    if (this.#masterKey === null) return undefined;
    const secret = openSecret(this.#masterKey, publicKey, resting, this.#hashes);
    if (secret === null || isPair(secret, publicKey, this.#keys)) return secret ?? undefined;
    secret.fill(0);
    return undefined;
  }
}

/**
 * Whether a secret is that of a public key: the cipher's padding alone tells too little. Core: CKey::VerifyPubKey in
 * DecryptKey.
 */
function isPair(secret: Uint8Array, publicKey: Uint8Array, keys: Pick<KeyMath, 'publicKey'>): boolean {
  const own = secret.length === 32 ? keys.publicKey(secret, publicKey.length === 33) : null;
  return own !== null && equalBytes(own, publicKey);
}
