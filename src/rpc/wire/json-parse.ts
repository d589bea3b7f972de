// Reads one JSON text from bytes as strictly as Core's univalue does: no junk around it, no leading zeros, no control
// characters in strings, valid UTF-8, no lone surrogates, at most 512 levels. Used by request.ts; RFC 8259.
import { JsonNumber, JsonObject, type JsonValue } from './values.js';

/** Nesting beyond this is refused. */
export const MAX_DEPTH = 512;

/**
 * Values that one request may consist of. A body of 32 MB has room for sixteen million numbers, which take gigabytes; a transaction of
 * the largest size has half a million.
 */
export const MAX_VALUES = 2_000_000;

/** The text is not JSON, which carries no detail because Core's reply has none, or more than is read. */
export class JsonParseError extends Error {
  override readonly name = 'JsonParseError';
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a whole JSON text.
 * @throws JsonParseError when anything is wrong with it
 */
export function parseJson(bytes: Uint8Array): JsonValue {
  return new Parser(bytes).document();
}

/** Reads a list value by value, for bodies that are too large to be held as values. */
export class JsonListReader {
  readonly #parser: Parser;
  #began = false;
  /** Where the value that next() found begins. */
  start = 0;

  constructor(bytes: Uint8Array) {
    this.#parser = new Parser(bytes);
  }

  /** Looks at the next value. @returns false when the list, and the text with it, has ended @throws JsonParseError */
  next(): boolean {
    const start = this.#parser.listNext(this.#began);
    this.#began = true;
    this.start = start;
    return start >= 0;
  }

  /** The value that begins there, once next() has found it. */
  valueAt(start: number): JsonValue {
    return this.#parser.valueAt(start);
  }
}

const bad = (): never => {
  throw new JsonParseError('Parse error');
};

/** Single digits are shared: long lists of them are the densest numbers there are. */
const DIGITS = Array.from('0123456789', (digit) => new JsonNumber(digit));

/** A reader that goes on with other values keeps no more than this of what it needed for the last. */
const KEPT_MEMBERS = 1024;

const EMPTY_OBJECT = new JsonObject([], []);

const isDigit = (c: number) => c >= 0x30 && c <= 0x39;

class Parser {
  readonly #bytes: Uint8Array;
  /** The same bytes, one character each: ASCII runs are cut from it without copying. */
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #count = 0;
  // Members under way on all levels. A list grown by itself reserves room for seventeen, which a body full of short lists would
  // multiply by its size.
  readonly #values: JsonValue[] = [];
  #valuesUsed = 0;
  readonly #keys: string[] = [];
  #keysUsed = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#text = buffer.toString('latin1');
  }

  document(): JsonValue {
    const value = this.#value(this.#next());
    if (this.#next() !== -1) bad();
    return value;
  }

  /** Steps over the next value of the outermost list: where it begins, or -1 after the last. @param began not the first call */
  listNext(began: boolean): number {
    let c = this.#next();
    if (!began) {
      if (c !== 0x5b) bad();
      this.#enter();
      c = this.#next();
    }
    if (c === 0x5d) {
      // After a comma there must be a value, which the step before has made sure of.
      this.#leave();
      if (this.#next() !== -1) bad();
      return -1;
    }
    const start = this.#at;
    this.#count = 0;
    this.#value(c);
    this.#forget();
    c = this.#next();
    if (c === 0x2c) {
      this.#at++;
      if (this.#next() === 0x5d) bad();
    } else if (c !== 0x5d) bad();
    return start;
  }

  /** The value that begins there. */
  valueAt(start: number): JsonValue {
    this.#at = start;
    this.#depth = 1;
    this.#count = 0;
    const value = this.#value(this.#next());
    this.#forget();
    return value;
  }

  /** Lets go of members of values that were handed out. */
  #forget(): void {
    if (this.#values.length > KEPT_MEMBERS) this.#values.length = 0;
    if (this.#keys.length > KEPT_MEMBERS) this.#keys.length = 0;
  }

  /** Skips whitespace; the byte found there, or -1 at the end. */
  #next(): number {
    const bytes = this.#bytes;
    while (this.#at < bytes.length) {
      const c = bytes[this.#at]!;
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return c;
      this.#at++;
    }
    return -1;
  }

  #value(c: number): JsonValue {
    if (++this.#count > MAX_VALUES) throw new JsonParseError(`Parse error: more than ${MAX_VALUES} values in one request`);
    switch (c) {
      case 0x22:
        return this.#string();
      case 0x7b:
        return this.#object();
      case 0x5b:
        return this.#array();
      case 0x74:
        return this.#word('true', true);
      case 0x66:
        return this.#word('false', false);
      case 0x6e:
        return this.#word('null', null);
      default:
        return c === 0x2d || isDigit(c) ? this.#number() : bad();
    }
  }

  #word<T extends JsonValue>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) bad();
    this.#at += word.length;
    return value;
  }

  #enter(): void {
    if (++this.#depth > MAX_DEPTH) bad();
    this.#at++;
  }

  #leave(): void {
    this.#at++;
    this.#depth--;
  }

  #array(): JsonValue[] {
    this.#enter();
    const base = this.#valuesUsed;
    let c = this.#next();
    if (c !== 0x5d) {
      for (;;) {
        const value = this.#value(c);
        this.#values[this.#valuesUsed++] = value;
        c = this.#next();
        if (c === 0x5d) break;
        if (c !== 0x2c) bad();
        this.#at++;
        c = this.#next();
      }
    }
    this.#leave();
    return this.#takeValues(base);
  }

  #object(): JsonObject {
    this.#enter();
    const base = this.#valuesUsed;
    const keyBase = this.#keysUsed;
    let c = this.#next();
    if (c !== 0x7d) {
      for (;;) {
        if (c !== 0x22) bad();
        this.#keys[this.#keysUsed++] = this.#string();
        if (this.#next() !== 0x3a) bad();
        this.#at++;
        const value = this.#value(this.#next());
        this.#values[this.#valuesUsed++] = value;
        c = this.#next();
        if (c === 0x7d) break;
        if (c !== 0x2c) bad();
        this.#at++;
        c = this.#next();
      }
    }
    this.#leave();
    if (this.#valuesUsed === base) return EMPTY_OBJECT;
    const keys = this.#keys.slice(keyBase, this.#keysUsed);
    this.#keysUsed = keyBase;
    return new JsonObject(keys, this.#takeValues(base));
  }

  /** The values since `base` as a list of exactly their number. */
  #takeValues(base: number): JsonValue[] {
    const taken = this.#values.slice(base, this.#valuesUsed);
    this.#valuesUsed = base;
    return taken;
  }

  #number(): JsonNumber {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    if (bytes[at] === 0x2d) at++;
    const first = bytes[at] ?? 0;
    if (!isDigit(first)) bad();
    at++;
    if (first === 0x30) {
      if (isDigit(bytes[at] ?? 0)) bad();
    } else at = this.#digits(at);
    if (bytes[at] === 0x2e) {
      if (!isDigit(bytes[at + 1] ?? 0)) bad();
      at = this.#digits(at + 1);
    }
    const e = bytes[at];
    if (e === 0x65 || e === 0x45) {
      at++;
      if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++;
      if (!isDigit(bytes[at] ?? 0)) bad();
      at = this.#digits(at);
    }
    this.#at = at;
    return at - start === 1 ? DIGITS[first - 0x30] : new JsonNumber(this.#text.slice(start, at));
  }

  #digits(from: number): number {
    let at = from;
    while (isDigit(this.#bytes[at] ?? 0)) at++;
    return at;
  }

  /** A string from its opening quote; the plain ASCII kind is one slice. */
  #string(): string {
    const bytes = this.#bytes;
    const start = ++this.#at;
    let at = start;
    let wide = false;
    let out: string | null = null;
    let from = start;
    for (; ; at++) {
      const c = bytes[at];
      if (c === undefined) return bad();
      if (c === 0x22) break;
      if (c < 0x20) bad();
      if (c >= 0x80) wide = true;
      else if (c === 0x5c) {
        out = (out ?? '') + this.#run(from, at, wide);
        wide = false;
        this.#at = at + 1;
        out += this.#escape();
        from = this.#at;
        at = from - 1;
      }
    }
    this.#at = at + 1;
    const tail = this.#run(from, at, wide);
    return out === null ? tail : out + tail;
  }

  #run(from: number, to: number, wide: boolean): string {
    if (!wide) return this.#text.slice(from, to);
    try {
      return utf8.decode(this.#bytes.subarray(from, to));
    } catch {
      return bad();
    }
  }

  /** What follows a backslash; a surrogate must be the first half of a pair written as two escapes. */
  #escape(): string {
    const c = this.#bytes[this.#at++];
    switch (c) {
      case 0x22:
        return '"';
      case 0x5c:
        return '\\';
      case 0x2f:
        return '/';
      case 0x62:
        return '\b';
      case 0x66:
        return '\f';
      case 0x6e:
        return '\n';
      case 0x72:
        return '\r';
      case 0x74:
        return '\t';
      case 0x75: {
        const unit = this.#hex4();
        if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
        if (unit > 0xdbff || this.#bytes[this.#at] !== 0x5c || this.#bytes[this.#at + 1] !== 0x75) return bad();
        this.#at += 2;
        const low = this.#hex4();
        return low >= 0xdc00 && low <= 0xdfff ? String.fromCharCode(unit, low) : bad();
      }
      default:
        return bad();
    }
  }

  #hex4(): number {
    let value = 0;
    for (let i = 0; i < 4; i++) {
      const c = this.#bytes[this.#at++] ?? 0;
      const lower = c | 0x20;
      if (isDigit(c)) value = value * 16 + (c - 0x30);
      else if (lower >= 0x61 && lower <= 0x66) value = value * 16 + (lower - 0x57);
      else bad();
    }
    return value;
  }
}
