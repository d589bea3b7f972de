// A batch in a large body, read entry by entry: first through once in turns, to know that all of it is JSON (nothing
// may run when it is not) and where the entries begin; then each entry again when it is due. As a whole the entries of
// 32 MB can take gigabytes, and a second of the thread. Used by dispatch.ts; small bodies go through request.ts.
import { JsonListReader } from './json-parse.js';
import { parseEntry, type RequestEntry, type RequestOptions, VERSION_1 } from './request.js';
import type { Reading } from './shared-reading.js';
import type { JsonValue } from './values.js';

/** Bodies from here on are read this way. */
export const LONG_BODY_BYTES = 64 * 1024;

/**
 * Values of entries that are kept from the first look, a megabyte or so with an entry that has as many as one may; a
 * batch of three thousand transactions has fewer.
 */
const MAX_CACHED_VALUES = 16_384;

const OPEN_BRACKET = 0x5b;

export class LongBatch implements Reading {
  readonly #reader: JsonListReader;
  readonly #onEntry: (source: JsonValue) => void;
  #starts = new Uint32Array(1024);
  /** The first entries as they were found, as long as they are few values. */
  readonly #cached: JsonValue[] = [];
  #cachedValues = 0;
  #length = 0;

  /** The batch in a large body, null for any other body. @param onEntry is shown each entry as it is found */
  static in(body: Uint8Array, onEntry?: (source: JsonValue) => void, options = VERSION_1): LongBatch | null {
    if (body.length < LONG_BODY_BYTES) return null;
    let at = 0;
    while (body[at] === 0x20 || body[at] === 0x09 || body[at] === 0x0a || body[at] === 0x0d) at++;
    return body[at] === OPEN_BRACKET ? new LongBatch(body, onEntry, options) : null;
  }
  readonly #options: RequestOptions;

  private constructor(body: Uint8Array, onEntry: ((source: JsonValue) => void) | undefined, options: RequestOptions) {
    this.#options = options;
    this.#reader = new JsonListReader(body);
    this.#onEntry = (value) => {
      onEntry?.(value);
      if (this.#cachedValues < MAX_CACHED_VALUES) this.#cached.push(value);
      this.#cachedValues += this.#reader.values;
    };
  }

  /** Entries found so far; all of them once goOn() returned true. */
  get length(): number {
    return this.#length;
  }

  /** Values of the entry that a pause fell into. */
  get values(): number {
    return this.#reader.values;
  }

  /** Goes on looking through the body. @throws JsonParseError */
  goOn(ms: number, mostValues = Number.POSITIVE_INFINITY): boolean {
    const until = performance.now() + ms;
    for (;;) {
      const step = this.#reader.next(until, mostValues, this.#onEntry);
      if (step !== 'value') return step === 'end';
      if (this.#length === this.#starts.length) {
        const more = new Uint32Array(this.#length * 2);
        more.set(this.#starts);
        this.#starts = more;
      }
      this.#starts[this.#length++] = this.#reader.start;
      if (this.#length % 64 === 0 && performance.now() > until) return false;
    }
  }

  /** Entry `index`, below length. */
  at(index: number): RequestEntry {
    return parseEntry(this.#cached[index] ?? this.#reader.valueAt(this.#starts[index]), this.#options);
  }
}
