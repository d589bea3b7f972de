// Decrypts the master key of an encrypted Bitcoin Core wallet. SHA-512, repeated over passphrase and salt (OpenSSL's
// EVP_BytesToKey), gives key and initialisation vector of AES-256-CBC. Core: wallet/crypter.cpp, BytesToKeySHA512AES.
import { createDecipheriv, createHash } from 'node:crypto';
import { secretBytes } from '../../crypto/secret-bytes.js';
import { TimeSlice } from '../../lib/time-slice.js';
import type { CoreMasterKey } from './core-wallet.js';
import { CoreFileError } from './paged-file.js';

/**
 * Core chooses the number of rounds that takes 100 ms, about 100,000 to 1,000,000. A file with more rounds than this
 * limit is hostile: it would keep the thread busy.
 */
const MOST_ROUNDS = 50_000_000;
const SHA512 = 0;
const KEY_BYTES = 32;
const VECTOR_BYTES = 16;
/** Rounds between two checks of the clock. */
const ROUNDS_AT_ONCE = 256;

/** Decrypts a master key. @returns the key in a new array; null if the passphrase is wrong @throws CoreFileError */
export async function openCoreMasterKey(
  { sealed, salt, method, rounds }: CoreMasterKey,
  passphrase: Uint8Array,
): Promise<Uint8Array | null> {
  if (method !== SHA512) throw new CoreFileError(`The key derivation method ${method} of the passphrase is not supported`);
  if (rounds < 1 || rounds > MOST_ROUNDS)
    throw new CoreFileError(`The passphrase needs ${rounds} rounds of hashing. Only 1 to ${MOST_ROUNDS} are supported`);
  let digest = createHash('sha512').update(passphrase).update(salt).digest();
  const slice = new TimeSlice();
  for (let round = 1; round < rounds; round++) {
    const next = createHash('sha512').update(digest).digest();
    digest.fill(0);
    digest = next;
    if (round % ROUNDS_AT_ONCE === 0 && slice.over) await slice.next();
  }
  try {
    const vector = digest.subarray(KEY_BYTES, KEY_BYTES + VECTOR_BYTES);
    const decipher = createDecipheriv('aes-256-cbc', digest.subarray(0, KEY_BYTES), vector);
    const head = decipher.update(sealed);
    const tail = decipher.final();
    if (head.length + tail.length !== KEY_BYTES) return null;
    const key = secretBytes(KEY_BYTES);
    key.set(head);
    key.set(tail, head.length);
    head.fill(0);
    tail.fill(0);
    return key;
  } catch {
    // The decrypted text has invalid padding, so the passphrase is wrong.
    return null;
  } finally {
    digest.fill(0);
  }
}
