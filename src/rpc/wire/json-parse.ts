// Parses a JSON text (RFC 8259) from bytes as strictly as Core's univalue: nothing around it, no leading zeros, no
// control characters in strings, valid UTF-8, no lone surrogates, at most 512 levels.
import { JsonNumber, JsonObject, type JsonValue } from './values.js';

/** Deepest nesting that is accepted. */
export const MAX_DEPTH = 512;

/**
 * Most values in one request. A body of 32 MB can contain sixteen million numbers, which take gigabytes. A transaction
 * of the largest size has half a million values.
 */
export const MAX_VALUES = 2_000_000;

/**
 * Error for a text that is not JSON, without details because Core's reply has none, or for a text with too many values.
 */
export class JsonParseError extends Error {
  override readonly name = 'JsonParseError';
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses a JSON text. @throws JsonParseError */
export function parseJson(bytes: Uint8Array): JsonValue {
  return new Parser(bytes).document(Number.POSITIVE_INFINITY) as JsonValue;
}

/** Parses a large JSON text in slices. */
export class JsonReader {
  readonly #parser: Parser;

  constructor(bytes: Uint8Array) {
    this.#parser = new Parser(bytes);
  }

  /**
   * Continues parsing.
   * @param untilMs when to pause, by performance.now(); long runs of white space are not interrupted
   * @param mostValues also pause after this many values
   * @returns the value; undefined at a pause
   * @throws JsonParseError
   */
  read(untilMs: number, mostValues = Number.POSITIVE_INFINITY): JsonValue | undefined {
    return this.#parser.document(untilMs, mostValues);
  }

  /** Number of values parsed so far. */
  get values(): number {
    return this.#parser.count;
  }
}

/** Result of JsonListReader.next(): a value, a pause within a value, or the end of the list. */
export type ListStep = 'value' | 'pause' | 'end';

/** Parses a list value by value, for bodies that are too large to be held as values. */
export class JsonListReader {
  readonly #parser: Parser;
  #began = false;
  /** Offset of the value that next() found. */
  start = 0;

  constructor(bytes: Uint8Array) {
    this.#parser = new Parser(bytes);
  }

  /**
   * Parses the next value of the list.
   * @param untilMs when to pause; the next call continues there
   * @param mostValues also pause when the value consists of more values
   * @param onValue receives the value; the reader does not store it
   * @throws JsonParseError
   */
  next(untilMs = Number.POSITIVE_INFINITY, mostValues = Number.POSITIVE_INFINITY, onValue?: (value: JsonValue) => void): ListStep {
    const start = this.#parser.listNext(this.#began, untilMs, mostValues, onValue);
    this.#began = true;
    if (start === PAUSED) return 'pause';
    this.start = start;
    return start === ENDED ? 'end' : 'value';
  }

  /** Number of values parsed so far of the value within which a pause occurred. */
  get values(): number {
    return this.#parser.count;
  }

  /** Parses the value at an offset that next() found. */
  valueAt(start: number): JsonValue {
    return this.#parser.valueAt(start);
  }
}

const bad = (): never => {
  throw new JsonParseError('Parse error');
};

/** Shared objects for one-digit numbers. A long list of these has the most numbers per byte, so sharing saves most there. */
const DIGITS = Array.from('0123456789', (digit) => new JsonNumber(digit));

/** Most unused members that the parser retains between two values. */
const MAX_RETAINED_MEMBERS = 1024;

/** Results of listNext() that are not offsets. */
const ENDED = -1;
const PAUSED = -2;

/** The clock is checked after this many values, and this many bytes. */
const VALUES_PER_CHECK = 256;
const BYTES_PER_CHECK = 64 * 1024;

const EMPTY_OBJECT = new JsonObject([], []);

/** 1 for bytes that represent themselves in a string. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, c) => (c >= 0x20 && c < 0x80 && c !== 0x22 && c !== 0x5c ? 1 : 0));

const isDigit = (c: number) => c >= 0x30 && c <= 0x39;

class Parser {
  readonly #bytes: Uint8Array;
  /** The same bytes as a string with one character per byte: ASCII runs are sliced from it without copying. */
  readonly #text: string;
  #at = 0;
  #depth = 0;
  /** Number of values started; in a list, only those of the current element. */
  #count = 0;
  /** Offset at which the clock was last checked. */
  #checkedAt = 0;
  // Members of unfinished objects and lists on all levels. One shared list, because a list of each level would reserve
  // memory for seventeen members, which a body full of short lists would multiply.
  readonly #values: JsonValue[] = [];
  #valuesUsed = 0;
  readonly #keys: string[] = [];
  #keysUsed = 0;
  // Unfinished objects and lists, outermost first, three numbers each: the opening byte, and the index of the first member
  // in #values and in #keys.
  readonly #frames: number[] = [];
  #frame = 0;
  /** True if the name of a member comes next. */
  #expectsKey = false;
  /**
   * State of a string within which a pause occurred: the text read so far, the start of the current run, the offset,
   * and whether the run has bytes beyond ASCII.
   */
  #cut: { readonly out: string | null; readonly from: number; readonly at: number; readonly wide: boolean } | null = null;
  /** Start of the list element within which a pause occurred; -1 if there is none. */
  #listStart = -1;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#text = buffer.toString('latin1');
  }

  get count(): number {
    return this.#count;
  }

  /** Parses the whole text. @returns undefined at a pause */
  document(untilMs: number, mostValues = Number.POSITIVE_INFINITY): JsonValue | undefined {
    const value = this.#readValue(untilMs, mostValues);
    if (value !== undefined && this.#next() !== -1) bad();
    return value;
  }

  /**
   * Parses the next value of the outermost list.
   * @param began false at the first call
   * @returns its offset, ENDED after the last value, PAUSED at a pause
   */
  listNext(began: boolean, untilMs: number, mostValues: number, onValue?: (value: JsonValue) => void): number {
    if (this.#listStart < 0) {
      let c = this.#next();
      if (!began) {
        if (c !== 0x5b) bad();
        this.#enterContainer();
        c = this.#next();
      }
      if (c === 0x5d) {
        // An empty list: the previous step has made sure that a value follows a comma.
        this.#leaveContainer();
        if (this.#next() !== -1) bad();
        return ENDED;
      }
      this.#listStart = this.#at;
    }
    const value = this.#readValue(untilMs, mostValues);
    if (value === undefined) return PAUSED;
    onValue?.(value);
    const start = this.#listStart;
    this.#listStart = -1;
    this.#count = 0;
    this.#releaseMembers();
    const c = this.#next();
    if (c === 0x2c) {
      this.#at++;
      if (this.#next() === 0x5d) bad();
    } else if (c !== 0x5d) bad();
    return start;
  }

  /** Parses the value at an offset. */
  valueAt(start: number): JsonValue {
    this.#at = start;
    this.#depth = 1;
    this.#count = 0;
    const value = this.#readValue(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY) as JsonValue;
    this.#releaseMembers();
    return value;
  }

  /** Releases the members of values that were returned. */
  #releaseMembers(): void {
    if (this.#values.length > MAX_RETAINED_MEMBERS) this.#values.length = 0;
    if (this.#keys.length > MAX_RETAINED_MEMBERS) this.#keys.length = 0;
  }

  /** Skips white space. @returns the next byte, or -1 at the end */
  #next(): number {
    const bytes = this.#bytes;
    let at = this.#at;
    for (; at < bytes.length; at++) {
      const c = bytes[at]!;
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) {
        this.#at = at;
        return c;
      }
    }
    this.#at = at;
    return -1;
  }

  /** Parses a value, or continues one after a pause. @returns undefined at a pause */
  #readValue(untilMs: number, mostValues: number): JsonValue | undefined {
    for (let look = VALUES_PER_CHECK; ; look--) {
      if (look === 0 || this.#at - this.#checkedAt > BYTES_PER_CHECK) {
        look = VALUES_PER_CHECK;
        this.#checkedAt = this.#at;
        if (this.#count > mostValues || performance.now() > untilMs) return undefined;
      }
      if (this.#expectsKey) {
        const key = this.#string(untilMs);
        if (key === undefined) return undefined;
        this.#expectsKey = false;
        this.#keys[this.#keysUsed++] = key;
        if (this.#next() !== 0x3a) bad();
        this.#at++;
      }
      const c = this.#cut === null ? this.#beginValue() : 0x22;
      let value: JsonValue | undefined;
      if (c === 0x22) {
        value = this.#string(untilMs);
        if (value === undefined) return undefined;
      } else if (c === 0x7b || c === 0x5b) {
        this.#enterContainer();
        this.#frames[this.#frame++] = c;
        this.#frames[this.#frame++] = this.#valuesUsed;
        this.#frames[this.#frame++] = this.#keysUsed;
        const first = this.#next();
        if (first !== c + 2) {
          if (c === 0x7b) this.#expectKey(first);
          continue;
        }
        value = this.#close();
      } else value = this.#scalar(c);
      // Close all objects and lists that end with this value.
      while (this.#frame > 0) {
        this.#values[this.#valuesUsed++] = value;
        const open = this.#frames[this.#frame - 3]!;
        const after = this.#next();
        if (after === 0x2c) {
          this.#at++;
          if (open === 0x7b) this.#expectKey(this.#next());
          break;
        }
        if (after !== open + 2) bad();
        value = this.#close();
      }
      if (this.#frame === 0) return value;
    }
  }

  /** Counts a new value. @returns its first byte */
  #beginValue(): number {
    if (++this.#count > MAX_VALUES) throw new JsonParseError(`Parse error: more than ${MAX_VALUES} values in one request`);
    return this.#next();
  }

  #expectKey(c: number): void {
    if (c !== 0x22) bad();
    this.#expectsKey = true;
  }

  #scalar(c: number): JsonValue {
    switch (c) {
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

  #enterContainer(): void {
    if (++this.#depth > MAX_DEPTH) bad();
    this.#at++;
  }

  #leaveContainer(): void {
    this.#at++;
    this.#depth--;
  }

  /** Finishes the innermost object or list. */
  #close(): JsonValue {
    this.#leaveContainer();
    this.#frame -= 3;
    const base = this.#frames[this.#frame + 1]!;
    if (this.#frames[this.#frame] === 0x5b) return this.#takeValues(base);
    if (this.#valuesUsed === base) return EMPTY_OBJECT;
    const keyBase = this.#frames[this.#frame + 2]!;
    const keys = this.#keys.slice(keyBase, this.#keysUsed);
    this.#keysUsed = keyBase;
    return new JsonObject(keys, this.#takeValues(base));
  }

  /** Removes the values since `base`, and returns them as a list of exactly their number. */
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

  /**
   * Parses a string from its opening quote, or continues after a pause. A plain ASCII string is one slice.
   * @returns undefined at a pause
   */
  #string(untilMs: number): string | undefined {
    if (this.#cut !== null) return this.#longString(untilMs);
    const bytes = this.#bytes;
    const start = this.#at + 1;
    const end = Math.min(bytes.length, start + BYTES_PER_CHECK);
    let at = start;
    while (at < end && PLAIN[bytes[at]!] === 1) at++;
    if (at === end || bytes[at] !== 0x22) {
      this.#cut = { out: null, from: start, at, wide: false };
      return this.#longString(untilMs);
    }
    this.#at = at + 1;
    return this.#text.slice(start, at);
  }

  /** Parses the rest of a string that is long or not plain ASCII, from `#cut` on. @returns undefined at a pause */
  #longString(untilMs: number): string | undefined {
    const bytes = this.#bytes;
    let { out, from, at, wide } = this.#cut!;
    this.#cut = null;
    let look = at + BYTES_PER_CHECK;
    for (; ; at++) {
      while (at < look && PLAIN[bytes[at]!] === 1) at++;
      if (at >= look) {
        look = at + BYTES_PER_CHECK;
        if (wide) {
          // Up to the last whole character: a continuation byte (10xxxxxx) is at most the fourth byte.
          let end = at;
          while (at - end < 3 && (bytes[end]! & 0xc0) === 0x80) end--;
          out = (out ?? '') + this.#run(from, end, true);
          from = end;
        }
        if (performance.now() > untilMs) {
          this.#cut = { out, from, at, wide };
          return undefined;
        }
      }
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

  /**
   * Parses an escape after its backslash. A surrogate must be the first half of a pair that is written as two escapes.
   */
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
