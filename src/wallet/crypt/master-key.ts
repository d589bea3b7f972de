// Encrypts the random key that encrypts a wallet's private keys. The passphrase is stretched by scrypt, which is
// memory-hard and runs on libuv's threads. AES-256-GCM then detects a wrong passphrase. The cost of scrypt is chosen by
// measurement on this machine when a passphrase is set.
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { secretCopy } from '../../crypto/secret-bytes.js';
import { bytesOf, packRow, unpackRow } from '../storage/rows.js';

/** Master key as the wallet stores it: encrypted with a key that is derived from the passphrase. */
export interface SealedMasterKey {
  readonly salt: Uint8Array;
  /** log2 of scrypt's N; r = 8, p = 1. */
  readonly cost: number;
  readonly iv: Uint8Array;
  /** Encrypted key, followed by the authentication tag. */
  readonly sealed: Uint8Array;
}

const KEY_BYTES = 32;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';
const BLOCK_SIZE = 8;
/** Lowest cost: 2^14 * 8 * 128 bytes = 16 MiB of memory. */
const MIN_COST = 14;
/** Highest cost: 128 MiB of memory. */
const MAX_COST = 17;
const TARGET_MS = 100;

function stretch(passphrase: Uint8Array, salt: Uint8Array, cost: number): Promise<Uint8Array> {
  const options = { N: 2 ** cost, r: BLOCK_SIZE, p: 1, maxmem: 256 * BLOCK_SIZE * 2 ** cost };
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, KEY_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

/** Encrypts a master key with a passphrase. The caller still owns both arrays and wipes them. */
export async function sealMasterKey(masterKey: Uint8Array, passphrase: Uint8Array): Promise<SealedMasterKey> {
  const salt = new Uint8Array(randomBytes(16));
  const started = performance.now();
  let cost = MIN_COST;
  let key = await stretch(passphrase, salt, cost);
  const tookMs = Math.max(1, performance.now() - started);
  const wanted = Math.min(MAX_COST, MIN_COST + Math.max(0, Math.round(Math.log2(TARGET_MS / tookMs))));
  if (wanted > cost) {
    key.fill(0);
    cost = wanted;
    key = await stretch(passphrase, salt, cost);
  }
  const iv = new Uint8Array(randomBytes(12));
  const cipher = createCipheriv(CIPHER, key, iv);
  const sealed = new Uint8Array(KEY_BYTES + TAG_BYTES);
  sealed.set(cipher.update(masterKey));
  cipher.final();
  sealed.set(cipher.getAuthTag(), KEY_BYTES);
  key.fill(0);
  return { salt, cost, iv, sealed };
}

/** Decrypts a master key. @returns the key in a new array; null if the passphrase is wrong */
export async function openMasterKey(stored: SealedMasterKey, passphrase: Uint8Array): Promise<Uint8Array | null> {
  const key = await stretch(passphrase, stored.salt, stored.cost);
  try {
    const decipher = createDecipheriv(CIPHER, key, stored.iv);
    decipher.setAuthTag(stored.sealed.subarray(KEY_BYTES));
    const plain = decipher.update(stored.sealed.subarray(0, KEY_BYTES));
    decipher.final();
    const masterKey = secretCopy(plain);
    plain.fill(0);
    return masterKey;
  } catch {
    return null;
  } finally {
    key.fill(0);
  }
}

/**
 * Decrypts the first of some master keys that the passphrase opens.
 * @returns the key in a new array, and its stored form; null if the passphrase is wrong
 */
export async function openAnyMasterKey(
  masterKeys: readonly SealedMasterKey[],
  passphrase: Uint8Array,
): Promise<{ readonly key: Uint8Array; readonly stored: SealedMasterKey } | null> {
  for (const stored of masterKeys) {
    const key = await openMasterKey(stored, passphrase);
    if (key !== null) return { key, stored };
  }
  return null;
}

export function encodeMasterKey({ salt, cost, iv, sealed }: SealedMasterKey): Uint8Array {
  return packRow([salt, cost, iv, sealed]);
}
export function decodeMasterKey(row: Uint8Array): SealedMasterKey {
  const [salt, cost, iv, sealed] = unpackRow(row);
  return { salt: bytesOf(salt), cost: Number(cost), iv: bytesOf(iv), sealed: bytesOf(sealed) };
}
