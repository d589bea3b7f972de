// Who is calling: HTTP Basic against the cookie, -rpcuser/-rpcpassword and -rpcauth, as Core's RPCAuthorized does.
// Comparisons take the same time wherever the texts differ. Headers that were right once are remembered: hashing
// passwords for each of a hundred thousand calls a second is not free.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HttpCredentials } from '../options.js';

/** What an Authorization header is worth. */
export type AuthResult = { readonly kind: 'missing' } | { readonly kind: 'wrong' } | { readonly kind: 'user'; readonly user: string };

const MISSING: AuthResult = { kind: 'missing' };
const WRONG: AuthResult = { kind: 'wrong' };
const PREFIX = 'Basic ';
const REMEMBERED = 64;

export class Authenticator {
  readonly #plain: readonly Buffer[];
  readonly #hashed: readonly { user: Buffer; salt: Buffer; hash: Buffer }[];
  // A lookup compares hashes seeded per process before it compares texts, so its time says nothing about prefixes.
  readonly #known = new Map<string, AuthResult>();

  constructor(credentials: HttpCredentials) {
    this.#plain = credentials.plain.map((text) => Buffer.from(text));
    this.#hashed = credentials.hashed.map(({ user, salt, hashHex }) => ({
      user: Buffer.from(user),
      salt: Buffer.from(salt),
      hash: Buffer.from(hashHex),
    }));
  }

  /** @param header value of Authorization, empty when there was none */
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
    // Core decodes up to the first character of another alphabet, and doesn't mind what follows.
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

/** Equal bytes, in time that depends on the length of the given ones alone. */
function sameBytes(given: Buffer, right: Buffer): boolean {
  if (given.byteLength !== right.byteLength) {
    timingSafeEqual(given, given);
    return false;
  }
  return timingSafeEqual(given, right);
}
