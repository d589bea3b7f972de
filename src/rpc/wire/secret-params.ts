// Takes passphrases out of a request before it is parsed: strings of JavaScript cannot be overwritten, bytes can. The front finds out that
// a body may hold one and hands it on unread; the node thread moves each passphrase into an array of its own, which is wiped when the
// call is over, and blanks it in the body. Single requests only: what stands in a batch is parsed like everything else.
import { isUtf8 } from 'node:buffer';

/** Where a method takes passphrases: position and name of each. */
export type SecretPlaces = ReadonlyMap<string, readonly { readonly at: number; readonly names: readonly string[] }[]>;

/** Longer bodies are no requests of this kind. */
const MAX_BODY_BYTES = 64 << 10;
const MAX_DEPTH = 512;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** Text that is not what this reader understands: the parser has the last word about it. */
export class Unread extends Error {}
const unread = (): never => {
  throw new Unread();
};

/** The same bytes with Buffer's methods. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const WALLET = Buffer.from('wallet');

/** The method with passphrases that a body names, as far as a quick look tells; null for none. */
export function secretMethodIn(body: Uint8Array, places: SecretPlaces): string | null {
  if (body.length > MAX_BODY_BYTES) return null;
  const buffer = bufferOf(body);
  if (!buffer.includes(WALLET)) return null;
  for (const method of places.keys()) if (buffer.includes(`"${method}"`)) return method;
  return null;
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Steps over JSON without making values of it. */
export class Walker {
  at = 0;
  constructor(readonly bytes: Uint8Array) {}

  next(): number {
    for (;;) {
      const c = this.bytes[this.at];
      if (c !== SPACE && c !== 0x0a && c !== 0x0d && c !== 0x09) return c ?? unread();
      this.at++;
    }
  }
  expect(c: number): void {
    if (this.next() !== c) unread();
    this.at++;
  }
  /** What stands between the quotes. */
  string(): Range {
    this.expect(QUOTE);
    const from = this.at;
    for (; this.bytes[this.at] !== QUOTE; this.at++) {
      const c = this.bytes[this.at] ?? unread();
      if (c < SPACE) unread();
      if (c === BACKSLASH) this.at++;
    }
    return { from, to: this.at++ };
  }
  key(): string {
    const { from, to } = this.string();
    return bufferOf(this.bytes).toString('latin1', from, to);
  }
  value(depth = 0): void {
    if (depth > MAX_DEPTH) unread();
    const c = this.next();
    if (c === QUOTE) this.string();
    else if (c === 0x7b) this.members(() => this.value(depth + 1));
    else if (c === 0x5b) this.elements(() => this.value(depth + 1));
    else while (this.at < this.bytes.length && !'{}[],:" \t\r\n'.includes(String.fromCharCode(this.bytes[this.at]))) this.at++;
  }
  members(visit: (key: string) => void): void {
    this.list(0x7b, 0x7d, () => {
      const key = this.key();
      this.expect(0x3a);
      visit(key);
    });
  }
  elements(visit: (index: number) => void): void {
    this.list(0x5b, 0x5d, visit);
  }
  private list(open: number, close: number, visit: (index: number) => void): void {
    this.expect(open);
    if (this.next() === close) {
      this.at++;
      return;
    }
    for (let index = 0; ; index++) {
      const before = this.at;
      visit(index);
      if (this.at === before) unread();
      const c = this.next();
      this.at++;
      if (c === close) return;
      if (c !== 0x2c) unread();
    }
  }
}

/** Method of a single request, and where its params begin; -1 without them. @throws Unread */
export function readEnvelope(walker: Walker): { method: string; params: number } {
  let method: string | undefined;
  let params = -1;
  walker.members((key) => {
    if (key === 'method') {
      // Twice is once too often: the parser may mean the other one.
      if (method !== undefined || walker.next() !== QUOTE) unread();
      method = walker.key();
      return;
    }
    walker.next();
    if (key === 'params') {
      if (params >= 0) unread();
      params = walker.at;
    }
    walker.value();
  });
  return { method: method ?? '', params };
}

/** Where the passphrases of a single request stand. @throws Unread */
function rangesOf(body: Uint8Array, places: SecretPlaces): Map<number, Range> {
  const walker = new Walker(body);
  const { method, params } = readEnvelope(walker);
  const found = new Map<number, Range>();
  const wanted = places.get(method);
  if (wanted === undefined || params < 0) return found;
  walker.at = params;
  const take = (at: number | undefined): void => {
    if (at === undefined || walker.next() !== QUOTE) walker.value();
    else if (found.has(at)) unread();
    else found.set(at, walker.string());
  };
  const kind = walker.next();
  if (kind === 0x5b) walker.elements((index) => take(wanted.find(({ at }) => at === index)?.at));
  else if (kind === 0x7b) walker.members((key) => take(wanted.find(({ names }) => names.includes(key))?.at));
  return found;
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

/** A string's text as UTF-8, up to its first NUL: Core 0.21 reads passphrases so. */
function decodeString(bytes: Uint8Array, { from, to }: Range): Uint8Array {
  if (!isUtf8(bytes.subarray(from, to))) unread();
  const out = new Uint8Array(to - from);
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
  try {
    for (let at = from; at < to; at++) {
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
    const end = out.subarray(0, size).indexOf(0);
    return out.slice(0, end < 0 ? size : end);
  } finally {
    out.fill(0);
  }
}

/**
 * Moves the passphrases of a single request out of its body: there, empty strings are left.
 * @returns by position of the argument, arrays that the caller wipes; empty when there are none, or the body is not read here
 */
export function takeSecrets(body: Uint8Array, places: SecretPlaces): Map<number, Uint8Array> {
  const taken = new Map<number, Uint8Array>();
  if (secretMethodIn(body, places) === null) return taken;
  try {
    const ranges = rangesOf(body, places);
    for (const [at, range] of ranges) taken.set(at, decodeString(body, range));
    for (const { from, to } of ranges.values()) {
      body[from] = QUOTE;
      body.fill(SPACE, from + 1, to + 1);
    }
    return taken;
  } catch (error) {
    for (const secret of taken.values()) secret.fill(0);
    if (error instanceof Unread) return new Map();
    throw error;
  }
}
