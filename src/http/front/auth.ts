// Authenticates HTTP Basic credentials against the cookie, -rpcuser with -rpcpassword, and -rpcauth, as Core's
// RPCAuthorized does. Comparisons take the same time wherever the texts differ. Valid headers are cached, because
// hashing a password for each of 100,000 calls per second would cost too much.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HttpCredentials } from '../options.js';

/** Result of checking an Authorization header. */
export type AuthResult = { readonly kind: 'missing' } | { readonly kind: 'wrong' } | { readonly kind: 'user'; readonly user: string };

const MISSING: AuthResult = { kind: 'missing' };
const WRONG: AuthResult = { kind: 'wrong' };
const PREFIX = 'Basic ';
const REMEMBERED = 64;

export class Authenticator {
  readonly #plain: readonly Buffer[];
  readonly #hashed: readonly { user: Buffer; salt: Buffer; hash: Buffer }[];
  // A lookup compares hashes that are seeded per process before it compares texts, so its time reveals nothing about
  // prefixes.
  readonly #known = new Map<string, AuthResult>();

  constructor(credentials: HttpCredentials) {
    this.#plain = credentials.plain.map((text) => Buffer.from(text));
    this.#hashed = credentials.hashed.map(({ user, salt, hashHex }) => ({
      user: Buffer.from(user),
      salt: Buffer.from(salt),
      hash: Buffer.from(hashHex),
    }));
  }

  /** Checks a header. @param header value of Authorization, empty if the request has none */
  check(header: string): AuthResult {
    const known = this.#known.get(header);
    if (known) return known;
    if (header === '') return MISSING;
    const result = this.#check(header);
    if (result.kind === 'user') {
      if (this.#known.size >= REMEMBERED) this.#known.clear();
      this.#known.set(header, result);
    }
    return result;
  }

  #check(header: string): AuthResult {
    if (!header.startsWith(PREFIX)) return WRONG;
    // Like Core, decode up to the first character that is not Base64, and ignore the rest.
    const text = /^[A-Za-z0-9+/]*/.exec(header.slice(PREFIX.length).trim())![0];
    const given = Buffer.from(text, 'base64');
    const colon = given.indexOf(0x3a);
    if (colon < 0) return WRONG;
    const user = given.subarray(0, colon);
    let right = false;
    for (const text of this.#plain) if (sameBytes(given, text)) right = true;
    if (!right) right = this.#checkHashed(user, given.subarray(colon + 1));
    return right ? { kind: 'user', user: user.toString() } : WRONG;
  }

  #checkHashed(user: Buffer, password: Buffer): boolean {
    for (const entry of this.#hashed) {
      if (!sameBytes(user, entry.user)) continue;
      const hash = createHmac('sha256', entry.salt).update(password).digest('hex');
      if (sameBytes(Buffer.from(hash), entry.hash)) return true;
    }
    return false;
  }
}

/** Compares two byte arrays in a time that depends only on the length of `given`. */
function sameBytes(given: Buffer, right: Buffer): boolean {
  if (given.byteLength !== right.byteLength) {
    timingSafeEqual(given, given);
    return false;
  }
  return timingSafeEqual(given, right);
}
