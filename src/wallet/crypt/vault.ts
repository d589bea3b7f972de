// Encodes private keys for storage: plain in an unencrypted wallet, otherwise encrypted with the master key
// (AES-256-CBC, with the first 16 bytes of the public key's double SHA-256 as initialisation vector, as in Core's
// crypter). The vault has the master key only while the wallet is unlocked.
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { equalBytes } from '../../consensus/bytes/hex.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { KeyMath } from '../../crypto/key-math.js';
import { secretBytes, secretCopy } from '../../crypto/secret-bytes.js';

const CIPHER = 'aes-256-cbc';

/** Encrypts the private key of a public key. */
export type Seal = (publicKey: Uint8Array, secret: Uint8Array) => Uint8Array;

/** Encrypts a private key with a master key. @returns 48 bytes for a 32-byte key */
export function sealSecret(masterKey: Uint8Array, publicKey: Uint8Array, secret: Uint8Array, hashes: Hashes): Uint8Array {
  const cipher = createCipheriv(CIPHER, masterKey, hashes.sha256d(publicKey).subarray(0, 16));
  const head = cipher.update(secret);
  const tail = cipher.final();
  const sealed = new Uint8Array(head.length + tail.length);
  sealed.set(head);
  sealed.set(tail, head.length);
  return sealed;
}

/** Decrypts a private key. @returns the key in a new array; null if another master key encrypted it */
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

  /** True if private keys are stored encrypted. */
  get encrypted(): boolean {
    return this.#encrypted;
  }
  /** True if the wallet is locked, so that private keys cannot be read. */
  get locked(): boolean {
    return this.#encrypted && this.#masterKey === null;
  }

  /**
   * Unlocks the vault. From now on it stores private keys encrypted.
   * @param masterKey belongs to the vault, which wipes it when the wallet is locked
   */
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
  /**
   * Counter that increases whenever the wallet is locked. Arrays passed to `wipeOnLock` while it had a lower value are
   * overwritten by now.
   */
  get session(): number {
    return this.#session;
  }
  /** Registers an array that is overwritten when the wallet is locked or closed. */
  wipeOnLock(secret: Uint8Array): void {
    this.#wipedOnLock.push(secret);
  }

  /**
   * Returns the stored form of a private key.
   * @throws if the wallet is locked; callers check this before they change anything
   */
  seal(publicKey: Uint8Array, secret: Uint8Array): Uint8Array {
    if (!this.#encrypted) return secretCopy(secret);
    if (this.#masterKey === null) throw new Error('a locked wallet cannot encrypt keys: callers must check that it is unlocked');
    return sealSecret(this.#masterKey, publicKey, secret, this.#hashes);
  }

  /**
   * Returns a private key in a new array, which the caller wipes. Returns undefined if the wallet is locked or the
   * stored form is damaged.
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
 * Returns whether a private key belongs to a public key. The padding of the cipher alone detects too few errors. Core:
 * CKey::VerifyPubKey in DecryptKey.
 */
function isPair(secret: Uint8Array, publicKey: Uint8Array, keys: Pick<KeyMath, 'publicKey'>): boolean {
  const own = secret.length === 32 ? keys.publicKey(secret, publicKey.length === 33) : null;
  return own !== null && equalBytes(own, publicKey);
}
