// The authority's private key: 32 bytes in a file of the network's folder that only the operator may read. It is
// created at the first start. Form and name of the file are those of sv2-tp, so that operators who switch keep the key
// that pools know.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import type { KeyMath } from '../../crypto/key-math.js';
import { secretBytes } from '../../crypto/secret-bytes.js';
import { replaceFileSync } from '../../lib/durable-file.js';

const KEY_BYTES = 32;
const OTHERS = 0o077;

export interface AuthorityKey {
  readonly secret: Uint8Array<ArrayBuffer>;
  /** The authority's public key, x-only, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** True if the key was created now. */
  readonly fresh: boolean;
}

/** Reads the key, or creates it. @throws Error with a text for the operator @param warn receives a line if others may read the file */
export function loadAuthorityKey(file: string, { publicKey }: Pick<KeyMath, 'publicKey'>, warn: (line: string) => void): AuthorityKey {
  const secret = secretBytes(KEY_BYTES);
  const fresh = !fs.existsSync(file);
  if (fresh) {
    do secret.set(randomBytes(KEY_BYTES));
    while (publicKey(secret, true) === null);
    // Write the key to disk before pools can learn its public key.
    replaceFileSync(file, secret);
  } else {
    const bytes = fs.readFileSync(file);
    if (bytes.length !== KEY_BYTES) throw new Error(`${file} is not an authority key: it has ${bytes.length} bytes instead of 32`);
    secret.set(bytes);
    bytes.fill(0);
    if (process.platform !== 'win32' && (fs.statSync(file).mode & OTHERS) !== 0) {
      warn(`Other users can read the Stratum V2 authority key in ${file}. Set its mode to 0600.`);
    }
  }
  const key = publicKey(secret, true);
  if (key === null) throw new Error(`${file} is not an authority key: its bytes are not a valid private key`);
  return { secret, publicKey: key.slice(1), fresh };
}
