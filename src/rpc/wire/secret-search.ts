// Takes passphrases and private keys out of the bytes of a request (single or batch, of any size) before it is parsed.
// An empty string replaces a passphrase. A token of the same length replaces a key (taken-secrets.ts), alone or within
// a descriptor, whose other text does not change. The call executor passes the bytes to the methods and overwrites them
// when the call ends.
import { isUtf8 } from 'node:buffer';
import { decodeBase58Check, isBase58Digit } from '../../address/base58.js';
import type { Hashes } from '../../crypto/crypto.js';
import { createPureHashes } from '../../crypto/pure.js';
import { secretBytes, secretCopy } from '../../crypto/secret-bytes.js';
import { JsonWalker, type Range, Unread, unread, type Walk, type WalkedRequest } from './json-walker.js';
import { type SecretPlace, type SecretPlaces, secretMethodIn, secretMethods } from './secret-places.js';
import type { Reading } from './shared-reading.js';
import { TakenSecrets } from './taken-secrets.js';

/** Largest body that is scanned at once. */
const MAX_QUICK_BYTES = 64 * 1024;
/** Names that are checked between two checks of the clock. */
const NAMES_PER_CHECK = 256;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/** Lengths of a key in WIF (without and with the mark of a compressed public key), and of an extended key. */
const WIF_LENGTHS: ReadonlySet<number> = new Set([51, 52]);
const EXTENDED_LENGTH = 111;
/** Decoded sizes, and the offset of the byte that is 0 in an extended private key. */
const WIF_SIZES: ReadonlySet<number> = new Set([33, 34]);
const EXTENDED_SIZE = 78;
const EXTENDED_KEY = 45;

const PURE_HASHES = createPureHashes();

export class SecretSearch implements Reading {
  /** Always 0: no values are held, only the body. */
  readonly values = 0;
  readonly taken = new TakenSecrets();
  readonly #body: Uint8Array;
  readonly #places: SecretPlaces;
  readonly #hashes: Hashes;
  readonly #walker: JsonWalker;
  readonly #walk: Walk;

  /** Returns a search of a body; null if a quick scan shows that it contains no secrets. */
  static in(body: Uint8Array, places: SecretPlaces, hashes: Hashes = PURE_HASHES): SecretSearch | null {
    if (body.length <= MAX_QUICK_BYTES && secretMethodIn(body, places) === null) return null;
    return new SecretSearch(body, places, hashes);
  }

  private constructor(body: Uint8Array, places: SecretPlaces, hashes: Hashes) {
    this.#body = body;
    this.#places = places;
    this.#hashes = hashes;
    this.#walker = new JsonWalker(body);
    this.#walk = this.#search();
  }

  /** Continues the search. Never throws: in text that is not JSON it finds nothing more. */
  goOn(ms: number): boolean {
    this.#walker.untilMs = performance.now() + ms;
    try {
      return this.#walk.next().done === true;
    } catch (error) {
      if (error instanceof Unread) return true;
      throw error;
    }
  }

  *#search(): Walk {
    if (!(yield* this.#quickScan())) return;
    yield* this.#walker.requests((request) => this.#takeSecrets(request));
  }

  *#quickScan(): Generator<void, boolean, void> {
    let looks = 0;
    for (const name of secretMethods(this.#body, this.#places)) {
      if (name !== null) return true;
      if (++looks % NAMES_PER_CHECK === 0 && performance.now() > this.#walker.untilMs) yield;
    }
    return false;
  }

  *#takeSecrets({ index, method, params }: WalkedRequest): Walk {
    const secrets = method === undefined ? undefined : this.#places.get(method);
    if (secrets === undefined || params < 0) return;
    const { args, names } = secrets;
    const walker = this.#walker;
    walker.at = params;
    const at = (position: number | undefined): Walk =>
      this.#value(position === undefined ? undefined : args.get(position), index, position ?? 0);
    const kind = walker.next();
    if (kind === OPEN_BRACKET) yield* walker.elements((position) => at(position));
    else if (kind === OPEN_BRACE) yield* walker.members((name) => at(names.get(walker.written(name))));
  }

  *#value(place: SecretPlace | undefined, request: number, argument: number): Walk {
    const walker = this.#walker;
    const kind = walker.next();
    if (kind === QUOTE && place?.text !== undefined) {
      const range = walker.string();
      if (place.text === 'passphrase') this.#takePassphrase(range, request, argument);
      else if (place.text === 'key') this.#takeWif(range);
      else yield* this.#takeFromDescriptor(range);
    } else if (kind === OPEN_BRACKET && place?.elements !== undefined) {
      const { elements } = place;
      yield* walker.elements(() => this.#value(elements, request, argument));
    } else if (kind === OPEN_BRACE && place?.members !== undefined) {
      const { members } = place;
      yield* walker.members((name) => this.#value(members.get(walker.written(name)), request, argument));
    } else yield* walker.skip();
  }

  #takePassphrase(range: Range, request: number, argument: number): void {
    const secret = decodeString(this.#walker.buffer, range);
    if (secret === null) return;
    this.taken.addPassphrase(request, argument, secret);
    this.#body[range.from] = QUOTE;
    this.#body.fill(SPACE, range.from + 1, range.to + 1);
  }

  /** Takes a string that is as long as a key, for arguments that accept nothing but keys. */
  #takeWif(range: Range): void {
    if (WIF_LENGTHS.has(range.to - range.from) && this.#runEnd(range.from, range.to) === range.to) this.#takeKey(range);
  }

  /** Takes every run of Base58 that decodes as a private key of some network. */
  *#takeFromDescriptor({ from, to }: Range): Walk {
    const walker = this.#walker;
    for (let at = from; at < to; ) {
      const end = this.#runEnd(at, to);
      if (this.#isPrivate(at, end)) this.#takeKey({ from: at, to: end });
      at = end + 1;
      walker.at = at;
      if (walker.due) yield;
    }
    walker.at = to + 1;
  }

  #runEnd(from: number, to: number): number {
    let at = from;
    while (at < to && isBase58Digit(this.#body[at])) at++;
    return at;
  }

  #isPrivate(from: number, to: number): boolean {
    const length = to - from;
    if (length !== EXTENDED_LENGTH && !WIF_LENGTHS.has(length)) return false;
    const data = decodeBase58Check(this.#body.subarray(from, to), EXTENDED_SIZE, this.#hashes, secretBytes);
    if (data === null) return false;
    const isPrivate = data.length === EXTENDED_SIZE ? data[EXTENDED_KEY] === 0 : WIF_SIZES.has(data.length);
    data.fill(0);
    return isPrivate;
  }

  #takeKey({ from, to }: Range): void {
    const token = this.taken.addKey(this.#body.subarray(from, to));
    for (let i = 0; i < token.length; i++) this.#body[from + i] = token.charCodeAt(i);
  }
}

const ESCAPES: Readonly<Record<number, number>> = {
  34: 0x22,
  92: 0x5c,
  47: 0x2f,
  98: 0x08,
  102: 0x0c,
  110: 0x0a,
  114: 0x0d,
  116: 0x09,
};

function hex4(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = at; i < at + 4; i++) {
    const digit = '0123456789abcdef'.indexOf(String.fromCharCode(bytes[i] ?? 0).toLowerCase());
    if (digit < 0) unread();
    value = value * 16 + digit;
  }
  return value;
}

/**
 * Returns the text of a string as UTF-8, up to its first NUL, as Core 0.21 reads passphrases; null if it is not a valid
 * string.
 */
function decodeString(bytes: Uint8Array, { from, to }: Range): Uint8Array | null {
  if (!isUtf8(bytes.subarray(from, to))) return null;
  const out = secretBytes(to - from);
  try {
    const size = writeUnescaped(bytes, from, to, out);
    const end = out.subarray(0, size).indexOf(0);
    return secretCopy(out.subarray(0, end < 0 ? size : end));
  } catch (error) {
    if (error instanceof Unread) return null;
    throw error;
  } finally {
    out.fill(0);
  }
}

/** Writes a string without its escapes. @returns number of bytes @throws Unread */
function writeUnescaped(bytes: Uint8Array, from: number, to: number, out: Uint8Array): number {
  let size = 0;
  const point = (code: number): void => {
    if (code < 0x80) out[size++] = code;
    else if (code < 0x800) {
      out[size++] = 0xc0 | (code >> 6);
      out[size++] = 0x80 | (code & 63);
    } else {
      if (code < 0x10000) out[size++] = 0xe0 | (code >> 12);
      else {
        out[size++] = 0xf0 | (code >> 18);
        out[size++] = 0x80 | ((code >> 12) & 63);
      }
      out[size++] = 0x80 | ((code >> 6) & 63);
      out[size++] = 0x80 | (code & 63);
    }
  };
  for (let at = from; at < to; at++) {
    if (bytes[at] < SPACE) unread();
    if (bytes[at] !== BACKSLASH) out[size++] = bytes[at];
    else if (bytes[++at] === 0x75) {
      const unit = hex4(bytes, at + 1);
      at += 4;
      if (unit < 0xd800 || unit > 0xdfff) point(unit);
      else {
        if (unit > 0xdbff || bytes[at + 1] !== BACKSLASH || bytes[at + 2] !== 0x75) unread();
        const low = hex4(bytes, at + 3);
        if (low < 0xdc00 || low > 0xdfff) unread();
        at += 6;
        point(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
      }
    } else out[size++] = ESCAPES[bytes[at]] ?? unread();
  }
  return size;
}
