// Takes passphrases and private keys out of the bytes of a request (single or batch, of any size) before its params become
// values. An empty string replaces a passphrase. A token of the same length replaces a key (taken-secrets.ts), alone or
// within a descriptor, whose other text does not change. The call executor passes the bytes to the methods and
// overwrites them when the call ends.
import { decodeBase58Check, isBase58Digit } from '../../address/base58.js';
import type { Hashes } from '../../crypto/crypto.js';
import { createPureHashes } from '../../crypto/pure.js';
import { secretBytes, secretCopy } from '../../crypto/secret-bytes.js';
import { CLOSE_LIST, CLOSE_OBJECT, hex4, JsonTokens, NAME, OPEN_LIST, OPEN_OBJECT, PAUSE, STRING, textOf } from './json-tokens.js';
import type { Reading } from './long-reading.js';
import type { RequestBody } from './request.js';
import { type MethodSecrets, type SecretKind, type SecretPlace, type SecretPlaces, secretMethodIn } from './secret-places.js';
import { TakenSecrets } from './taken-secrets.js';

/** Requests between two checks of the clock. */
const REQUESTS_PER_CHECK = 256;
/** Bytes of a descriptor between two checks of the clock. */
const BYTES_PER_CHECK = 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const LOWER_U = 0x75;

/** Lengths of a key in WIF (without and with the mark of a compressed public key), and of an extended key. */
const WIF_LENGTHS: ReadonlySet<number> = new Set([51, 52]);
const EXTENDED_LENGTH = 111;
/** Decoded sizes, and the offset of the byte that is 0 in an extended private key. */
const WIF_SIZES: ReadonlySet<number> = new Set([33, 34]);
const EXTENDED_SIZE = 78;
const EXTENDED_KEY = 45;

const PURE_HASHES = createPureHashes();

/** A list or object that may contain secrets. */
interface Frame {
  readonly isList: boolean;
  /** Set for the params themselves, whose elements or members are the arguments. */
  readonly args: MethodSecrets | null;
  readonly place: SecretPlace | undefined;
  /** Number of elements so far. */
  count: number;
  /** Place of the member whose value comes next. */
  member: SecretPlace | undefined;
}

/** Range of bytes: the first, and the one after the last. */
interface Range {
  readonly from: number;
  readonly to: number;
}

export class SecretSearch implements Reading {
  readonly taken = new TakenSecrets();
  readonly #requests: RequestBody;
  readonly #body: Uint8Array;
  readonly #places: SecretPlaces;
  readonly #hashes: Hashes;
  readonly #tokens: JsonTokens;
  /** Unfinished lists and objects, outermost first. Empty between two requests. */
  readonly #frames: Frame[] = [];
  #request = -1;
  /** Secrets of the request whose params begin with the next token. */
  #args: MethodSecrets | null = null;
  #argument = 0;
  /** Depth of the list or object without secrets that is being skipped; 0: none. */
  #skipped = 0;
  /** Rest of the descriptor within which a pause occurred. */
  #descriptor: Range | null = null;

  /** Returns a search of a body; null if no method of the body takes secrets. In a long batch the search finds that out. */
  static in(body: RequestBody, places: SecretPlaces, hashes: Hashes = PURE_HASHES): SecretSearch | null {
    const searched = body.length > REQUESTS_PER_CHECK || secretMethodIn(body, places) !== null;
    return searched ? new SecretSearch(body, places, hashes) : null;
  }

  private constructor(body: RequestBody, places: SecretPlaces, hashes: Hashes) {
    this.#requests = body;
    this.#body = body.bytes;
    this.#places = places;
    this.#hashes = hashes;
    this.#tokens = new JsonTokens(body.bytes);
  }

  /** Continues the search. Never throws. */
  goOn(ms: number): boolean {
    const tokens = this.#tokens;
    tokens.untilMs = performance.now() + ms;
    for (;;) {
      if (this.#descriptor !== null && !this.#takeFromDescriptor(this.#descriptor)) return false;
      if (this.#frames.length === 0 && this.#args === null) {
        if (++this.#request === this.#requests.length) return true;
        this.#beginRequest();
        if (this.#request % REQUESTS_PER_CHECK === REQUESTS_PER_CHECK - 1 && performance.now() > tokens.untilMs) return false;
        continue;
      }
      const token = tokens.next();
      if (token === PAUSE) return false;
      if (this.#args !== null) this.#enterParams(token, this.#args);
      else if (this.#skipped === 0) this.#searchToken(token);
      else if (tokens.depth < this.#skipped) this.#skipped = 0;
    }
  }

  #beginRequest(): void {
    const method = this.#requests.methodOf(this.#request);
    const args = method === null ? undefined : this.#places.get(method);
    const at = this.#requests.paramsAt(this.#request);
    if (args === undefined || at === 0) return;
    this.#tokens.moveTo(at);
    this.#args = args;
  }

  #enterParams(token: number, args: MethodSecrets): void {
    this.#args = null;
    if (token === OPEN_LIST || token === OPEN_OBJECT) this.#enter(token, args, undefined);
  }

  #enter(token: number, args: MethodSecrets | null, place: SecretPlace | undefined): void {
    this.#frames.push({ isList: token === OPEN_LIST, args, place, count: 0, member: undefined });
  }

  #searchToken(token: number): void {
    const tokens = this.#tokens;
    const frame = this.#frames.at(-1)!;
    if (token === CLOSE_LIST || token === CLOSE_OBJECT) this.#frames.pop();
    else if (token === NAME) {
      const name = textOf(this.#body, tokens.from, tokens.to);
      if (frame.args === null) frame.member = frame.place?.members?.get(name);
      else {
        const argument = frame.args.names.get(name);
        frame.member = argument === undefined ? undefined : frame.args.args.get(argument);
        this.#argument = argument ?? 0;
      }
    } else {
      const place = frame.isList ? this.#nextElement(frame) : frame.member;
      if (token === OPEN_LIST || token === OPEN_OBJECT) {
        if (place === undefined) this.#skipped = tokens.depth;
        else this.#enter(token, null, place);
      } else if (token === STRING && place?.text !== undefined) this.#takeSecret(place.text, { from: tokens.from, to: tokens.to });
    }
  }

  #nextElement(frame: Frame): SecretPlace | undefined {
    if (frame.args === null) return frame.place?.elements;
    this.#argument = frame.count++;
    return frame.args.args.get(this.#argument);
  }

  #takeSecret(kind: SecretKind, range: Range): void {
    if (kind === 'passphrase') this.#takePassphrase(range);
    else if (kind === 'key') this.#takeWif(range);
    else this.#descriptor = range;
  }

  #takePassphrase(range: Range): void {
    this.taken.addPassphrase(this.#request, this.#argument, decodePassphrase(this.#body, range));
    this.#body[range.from] = QUOTE;
    this.#body.fill(SPACE, range.from + 1, range.to + 1);
  }

  /** Takes a string that is as long as a key, for arguments that accept nothing but keys. */
  #takeWif(range: Range): void {
    if (WIF_LENGTHS.has(range.to - range.from) && this.#runEnd(range.from, range.to) === range.to) this.#takeKey(range);
  }

  /** Takes every run of Base58 that decodes as a private key of some network. @returns false at a pause */
  #takeFromDescriptor({ from, to }: Range): boolean {
    this.#descriptor = null;
    for (let at = from; at < to; ) {
      const end = this.#runEnd(at, to);
      if (this.#isPrivate(at, end)) this.#takeKey({ from: at, to: end });
      at = end + 1;
      if (at - from > BYTES_PER_CHECK && performance.now() > this.#tokens.untilMs) {
        this.#descriptor = { from: at, to };
        return false;
      }
    }
    return true;
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

/** Bytes of the escapes, by their letters. */
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

/** Returns the text of a string as UTF-8, up to its first NUL, as Core 0.21 reads passphrases. */
function decodePassphrase(bytes: Uint8Array, { from, to }: Range): Uint8Array {
  const out = secretBytes(to - from);
  try {
    const size = writeUnescaped(bytes, from, to, out);
    const end = out.subarray(0, size).indexOf(0);
    return secretCopy(out.subarray(0, end < 0 ? size : end));
  } finally {
    out.fill(0);
  }
}

/** Writes a string without its escapes. @returns number of bytes */
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
    if (bytes[at] !== BACKSLASH) out[size++] = bytes[at]!;
    else if (bytes[++at] === LOWER_U) {
      const unit = hex4(bytes, at + 1);
      at += 4;
      if (unit < 0xd800 || unit > 0xdfff) point(unit);
      else {
        // The second half of a pair is an escape, too.
        point(0x10000 + ((unit - 0xd800) << 10) + (hex4(bytes, at + 3) - 0xdc00));
        at += 6;
      }
    } else out[size++] = ESCAPES[bytes[at]!]!;
  }
  return size;
}
