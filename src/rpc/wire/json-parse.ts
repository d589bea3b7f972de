// Creates values from the tokens of a JSON text. Numbers keep their text and objects keep repeated members.
import { bufferOf, CLOSE_LIST, JsonTokens, NAME, OPEN_LIST, OPEN_OBJECT, PAUSE, SCALAR, STRING, textOf } from './json-tokens.js';
import { JsonNumber, JsonObject, type JsonValue } from './values.js';

/** Parses a JSON text. @throws JsonParseError */
export function parseJson(bytes: Uint8Array): JsonValue {
  return new JsonReader(bytes).read() as JsonValue;
}

/** Shared objects for one-digit numbers. A long list of these has the most numbers per byte, so sharing saves most there. */
const DIGITS = Array.from('0123456789', (digit) => new JsonNumber(digit));

/** Maximum number of unused members that a reader retains between two values. */
const MAX_RETAINED_MEMBERS = 1024;

const EMPTY_OBJECT = new JsonObject([], []);

/** Reads values from a text, large ones in slices. */
export class JsonReader {
  #bytes: Uint8Array;
  readonly #tokens: JsonTokens;
  /** The same bytes as a string with one character per byte: ASCII runs are sliced from it without copying. */
  #latin1: string | null = null;
  // Members of unfinished objects and lists on all levels. One shared list, because a list of each level would reserve
  // memory for seventeen members, which a body full of short lists would multiply.
  readonly #values: JsonValue[] = [];
  #valuesUsed = 0;
  readonly #keys: string[] = [];
  #keysUsed = 0;
  // Index of the first member of each unfinished object or list in #values and #keys, outermost first.
  readonly #frames: number[] = [];
  #frame = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#tokens = new JsonTokens(bytes);
  }

  /** Starts with another text. */
  start(bytes: Uint8Array): this {
    this.#bytes = bytes;
    this.#latin1 = null;
    this.#valuesUsed = this.#keysUsed = this.#frame = 0;
    this.#tokens.start(bytes);
    return this;
  }

  /**
   * Reads the whole text.
   * @param untilMs when to pause, by performance.now(); the next call continues
   * @returns the value; undefined at a pause
   * @throws JsonParseError
   */
  read(untilMs = Number.POSITIVE_INFINITY): JsonValue | undefined {
    const value = this.goOn(untilMs);
    // Nothing may follow the value.
    if (value !== undefined) this.#tokens.next();
    return value;
  }

  /** Reads the value at an offset of a text that was read before. */
  valueAt(start: number): JsonValue {
    this.moveTo(start);
    const value = this.goOn(Number.POSITIVE_INFINITY) as JsonValue;
    // Release the members of the value.
    if (this.#values.length > MAX_RETAINED_MEMBERS) this.#values.length = 0;
    if (this.#keys.length > MAX_RETAINED_MEMBERS) this.#keys.length = 0;
    return value;
  }

  /** Moves to the value at an offset of a text that was read before, for goOn(). */
  moveTo(start: number): void {
    this.#tokens.moveTo(start);
  }

  /** Reads one value, or continues it after a pause. @returns undefined at a pause */
  goOn(untilMs: number): JsonValue | undefined {
    const tokens = this.#tokens;
    tokens.untilMs = untilMs;
    for (;;) {
      const token = tokens.next();
      let value: JsonValue;
      switch (token) {
        case PAUSE:
          return undefined;
        case NAME:
          this.#keys[this.#keysUsed++] = this.#string();
          continue;
        case OPEN_LIST:
        case OPEN_OBJECT:
          this.#frames[this.#frame++] = this.#valuesUsed;
          this.#frames[this.#frame++] = this.#keysUsed;
          continue;
        case STRING:
          value = this.#string();
          break;
        case SCALAR:
          value = this.#scalar();
          break;
        default:
          value = this.#close(token);
      }
      if (tokens.depth === 0) return value;
      this.#values[this.#valuesUsed++] = value;
    }
  }

  get #text(): string {
    this.#latin1 ??= bufferOf(this.#bytes).toString('latin1');
    return this.#latin1;
  }

  #string(): string {
    const { from, to, plain } = this.#tokens;
    if (plain) return this.#text.slice(from, to);
    return textOf(this.#bytes, from, to);
  }

  #scalar(): JsonValue {
    const { from, to } = this.#tokens;
    const first = this.#bytes[from]!;
    switch (first) {
      case 0x74:
        return true;
      case 0x66:
        return false;
      case 0x6e:
        return null;
      default:
        return to - from === 1 ? DIGITS[first - 0x30]! : new JsonNumber(this.#text.slice(from, to));
    }
  }

  /** Finishes the innermost object or list. */
  #close(token: number): JsonValue {
    const keyBase = this.#frames[--this.#frame]!;
    const base = this.#frames[--this.#frame]!;
    if (token === CLOSE_LIST) return this.#takeValues(base);
    if (this.#valuesUsed === base) return EMPTY_OBJECT;
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
}
