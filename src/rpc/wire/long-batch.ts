// Reads a batch in a large body entry by entry. First it scans the whole body in slices, to check that all of it is
// JSON (otherwise nothing may run) and to find the entries. Then it parses each entry again when the entry runs. The
// entries of 32 MB could take gigabytes as values, and a second of the thread.
import { JsonListReader } from './json-parse.js';
import { parseEntry, type RequestEntry, type RequestOptions, VERSION_1 } from './request.js';
import type { Reading } from './shared-reading.js';
import type { JsonValue } from './values.js';

/** Smallest body whose batch is read entry by entry. */
export const LONG_BODY_BYTES = 64 * 1024;

/**
 * Most values of entries that are cached by the scan: a megabyte or so, plus one entry of any size. A batch of three
 * thousand transactions has fewer.
 */
const MAX_CACHED_VALUES = 16_384;

const OPEN_BRACKET = 0x5b;

export class LongBatch implements Reading {
  readonly #reader: JsonListReader;
  readonly #onEntry: (source: JsonValue) => void;
  #starts = new Uint32Array(1024);
  /** The first entries, cached while they have few values. */
  readonly #cached: JsonValue[] = [];
  #cachedValues = 0;
  #length = 0;

  /** Returns the batch in a large body; null for any other body. @param onEntry receives each entry during the scan */
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

  /** Number of entries found so far; all of them after goOn() returned true. */
  get length(): number {
    return this.#length;
  }

  /** Number of values of the entry within which a pause occurred. */
  get values(): number {
    return this.#reader.values;
  }

  /** Continues the scan. @throws JsonParseError */
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

  /** Returns entry `index`, which must be below `length`. */
  at(index: number): RequestEntry {
    return parseEntry(this.#cached[index] ?? this.#reader.valueAt(this.#starts[index]), this.#options);
  }
}
