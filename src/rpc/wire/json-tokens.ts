// Reads a JSON text (RFC 8259) token by token from bytes as strictly as Core's univalue: nothing around it, no leading
// zeros, no control characters in strings, valid UTF-8, no lone surrogates, at most 512 levels. It creates no values: a
// JavaScript string cannot be overwritten, so secrets must not become one.
import { isUtf8 } from 'node:buffer';

/** Deepest nesting that is accepted. */
export const MAX_DEPTH = 512;

/**
 * Maximum number of values in one request. A body of 32 MB can contain sixteen million numbers, which take gigabytes. A
 * transaction of the largest size has half a million values.
 */
export const MAX_VALUES = 2_000_000;

/**
 * Error for a text that is not JSON, without details because Core's reply has none, or for a text with too many values.
 */
export class JsonParseError extends Error {
  override readonly name = 'JsonParseError';
}

// Kinds of tokens. Brackets and braces are their own bytes. Constants, because members of an object are slower.
/** The time is used up. The next call continues. */
export const PAUSE = -1;
/** The text has ended. */
export const END = 0;
/** Name of a member. */
export const NAME = 1;
/** Number, true, false, or null. */
export const SCALAR = 2;
export const STRING = 0x22;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** Bytes between two checks of the clock. */
const BYTES_PER_CHECK = 8 * 1024;

// Expected tokens: a value, a value or `]`, a name, a name or `}`, or the end of a value (comma, bracket, end of text).
const VALUE = 0;
const FIRST_VALUE = 1;
const MEMBER = 2;
const FIRST_MEMBER = 3;
const AFTER = 4;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const WORDS: Readonly<Record<number, Uint8Array>> = { 116: Buffer.from('true'), 102: Buffer.from('false'), 110: Buffer.from('null') };

/** 1 for bytes that represent themselves in a string. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, c) => (c >= 0x20 && c < 0x80 && c !== QUOTE && c !== BACKSLASH ? 1 : 0));
/** 1 for the letters of escapes other than \u. */
const ESCAPES = Uint8Array.from({ length: 256 }, (_, c) => ('"\\/bfnrt'.includes(String.fromCharCode(c)) ? 1 : 0));

/** Returns a Buffer over the same bytes. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Returns a range of ASCII as text. */
export const asciiText = (bytes: Uint8Array, from: number, to: number): string => bufferOf(bytes).toString('latin1', from, to);

/** Returns the text of a string that was read before. @param from, to range between its quotes */
export function textOf(bytes: Uint8Array, from: number, to: number): string {
  for (let at = from; at < to; at++) {
    // Strict readers and JSON.parse() agree on strings that the former accept.
    if (PLAIN[bytes[at]!] === 0) return JSON.parse(bufferOf(bytes).toString('utf8', from - 1, to + 1)) as string;
  }
  return asciiText(bytes, from, to);
}

const isDigit = (c: number | undefined): boolean => c !== undefined && c >= 0x30 && c <= 0x39;

const bad = (): never => {
  throw new JsonParseError('Parse error');
};

/** Returns the value of four hex digits; -1 if they are none. */
export function hex4(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = at; i < at + 4; i++) {
    const c = bytes[i] ?? 0;
    const lower = c | 0x20;
    if (isDigit(c)) value = value * 16 + (c - 0x30);
    else if (lower >= 0x61 && lower <= 0x66) value = value * 16 + (lower - 0x57);
    else return -1;
  }
  return value;
}

export class JsonTokens {
  /** The text. The caller may replace it by a copy between two calls of next(). */
  bytes: Uint8Array;
  /** When to pause, by performance.now(). */
  untilMs = Number.POSITIVE_INFINITY;
  /** Range of the last token; a string's is between its quotes. */
  from = 0;
  to = 0;
  /** True if the last string or name has neither escapes nor bytes beyond ASCII. */
  plain = true;
  /** Number of open lists and objects. */
  depth = 0;
  /** Number of values found. The caller may reset it. */
  values = 0;
  #at = 0;
  #checkedAt = 0;
  #expected: number = VALUE;
  /** Opening bytes of the open lists and objects. */
  readonly #open: number[] = [];
  /** True if the text continues within a string whose part up to `#at` was read. */
  #inString = false;
  #wide = false;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Starts with another text. */
  start(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.#inString = false;
    this.moveTo(0);
  }

  /** Continues at a value within a text that was read before. The caller ends at depth 0. */
  moveTo(at: number): void {
    this.#at = at;
    if (at < this.#checkedAt) this.#checkedAt = at;
    this.#expected = VALUE;
    this.depth = 0;
    this.values = 0;
  }

  /** Reads the next token. @throws JsonParseError */
  next(): number {
    const { bytes } = this;
    if (this.#at - this.#checkedAt > BYTES_PER_CHECK && this.#isTime()) return PAUSE;
    if (this.#inString) return this.#string();
    let at = this.#at;
    for (;;) {
      let c = bytes[at];
      while (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) c = bytes[++at];
      switch (this.#expected) {
        case AFTER:
          if (this.depth === 0) return c === undefined ? END : bad();
          if (c === 0x2c) {
            at++;
            this.#expected = this.#open[this.depth - 1] === OPEN_OBJECT ? MEMBER : VALUE;
            continue;
          }
          return this.#close(c, at);
        case FIRST_MEMBER:
          if (c === CLOSE_OBJECT) return this.#close(c, at);
          break;
        case FIRST_VALUE:
          if (c === CLOSE_LIST) return this.#close(c, at);
          break;
      }
      this.#at = at;
      if (c === QUOTE) {
        this.from = ++this.#at;
        this.plain = true;
        this.#wide = false;
        return this.#string();
      }
      if ((this.#expected & MEMBER) !== 0 || c === undefined) return bad();
      this.#countValue();
      if (c === OPEN_LIST || c === OPEN_OBJECT) {
        if (this.depth === MAX_DEPTH) bad();
        this.#open[this.depth++] = c;
        this.#expected = c === OPEN_LIST ? FIRST_VALUE : FIRST_MEMBER;
        this.from = at;
        this.#at = this.to = at + 1;
        return c;
      }
      this.from = at;
      const word = WORDS[c];
      if (word === undefined) this.#number(at);
      else {
        for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) bad();
        this.#at = at + word.length;
      }
      this.to = this.#at;
      this.#expected = AFTER;
      return SCALAR;
    }
  }

  #close(c: number | undefined, at: number): number {
    if (c === undefined || c !== this.#open[this.depth - 1]! + 2) return bad();
    this.depth--;
    this.from = at;
    this.#at = this.to = at + 1;
    this.#expected = AFTER;
    return c;
  }

  #countValue(): void {
    if (++this.values > MAX_VALUES) throw new JsonParseError(`Parse error: more than ${MAX_VALUES} values in one request`);
  }

  #isTime(): boolean {
    this.#checkedAt = this.#at;
    return performance.now() > this.untilMs;
  }

  /** Reads the rest of a string or name from `#at` on. */
  #string(): number {
    const { bytes } = this;
    let at = this.#at;
    let check = this.#checkedAt + BYTES_PER_CHECK;
    this.#inString = false;
    for (;;) {
      while (at < check && PLAIN[bytes[at]!] === 1) at++;
      const c = bytes[at];
      if (c === QUOTE) break;
      if (c === BACKSLASH) {
        this.plain = false;
        at = this.#escape(at + 1);
      } else if (c !== undefined && c >= 0x80) {
        this.#wide = true;
        at++;
      } else if (at < check) return bad();
      if (at >= check) {
        this.#at = at;
        if (this.#isTime()) {
          this.#inString = true;
          return PAUSE;
        }
        check = at + BYTES_PER_CHECK;
      }
    }
    this.to = at;
    this.#at = at + 1;
    if (this.#wide) {
      this.plain = false;
      if (!isUtf8(bytes.subarray(this.from, at))) bad();
    }
    if ((this.#expected & MEMBER) === 0) {
      this.#countValue();
      this.#expected = AFTER;
      return STRING;
    }
    at++;
    let c = bytes[at];
    while (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) c = bytes[++at];
    if (c !== 0x3a) bad();
    this.#at = at + 1;
    this.#expected = VALUE;
    return NAME;
  }

  /** Checks an escape behind its backslash. A surrogate must be the first half of a pair of escapes. @returns its end */
  #escape(at: number): number {
    const { bytes } = this;
    const c = bytes[at];
    if (c === 0x75) {
      const unit = hex4(bytes, at + 1);
      if (unit < 0 || (unit >= 0xdc00 && unit < 0xe000)) bad();
      if (unit < 0xd800 || unit >= 0xe000) return at + 5;
      const low = bytes[at + 5] === BACKSLASH && bytes[at + 6] === 0x75 ? hex4(bytes, at + 7) : -1;
      return low >= 0xdc00 && low < 0xe000 ? at + 11 : bad();
    }
    return c !== undefined && ESCAPES[c] === 1 ? at + 1 : bad();
  }

  #number(start: number): void {
    const { bytes } = this;
    let at = start;
    if (bytes[at] === 0x2d) at++;
    if (bytes[at] === 0x30) at++;
    else at = this.#digits(at);
    if (bytes[at] === 0x2e) at = this.#digits(at + 1);
    const e = bytes[at];
    if (e === 0x65 || e === 0x45) {
      at++;
      if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++;
      at = this.#digits(at);
    }
    this.#at = at;
  }

  /** @returns end of the digits at `from`, of which there must be one */
  #digits(from: number): number {
    let at = from;
    while (isDigit(this.bytes[at])) at++;
    return at === from ? bad() : at;
  }
}
