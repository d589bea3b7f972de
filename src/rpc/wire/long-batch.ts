// A batch in a large body, read entry by entry: first through once in turns, to know that all of it is JSON (nothing may run when it is
// not) and where the entries begin; then each entry again when it is due. As a whole the entries of 32 MB can take gigabytes, and a
// second of the thread. Used by dispatch.ts; small bodies go through request.ts.
import { JsonListReader } from './json-parse.js';
import { parseEntry, type RequestEntry } from './request.js';

/** Bodies from here on are read this way. */
export const LONG_BODY_BYTES = 64 * 1024;

const OPEN_BRACKET = 0x5b;

export class LongBatch {
  readonly #reader: JsonListReader;
  #starts = new Uint32Array(1024);
  #length = 0;

  /** The batch in a large body, null for any other body. */
  static in(body: Uint8Array): LongBatch | null {
    if (body.length < LONG_BODY_BYTES) return null;
    let at = 0;
    while (body[at] === 0x20 || body[at] === 0x09 || body[at] === 0x0a || body[at] === 0x0d) at++;
    return body[at] === OPEN_BRACKET ? new LongBatch(body) : null;
  }

  private constructor(body: Uint8Array) {
    this.#reader = new JsonListReader(body);
  }

  /** Entries found so far; all of them once scan() returned true. */
  get length(): number {
    return this.#length;
  }

  /**
   * Goes on looking through the body.
   * @param ms when to pause
   * @returns whether the end was reached
   * @throws JsonParseError
   */
  scan(ms: number): boolean {
    const until = performance.now() + ms;
    for (;;) {
      const step = this.#reader.next(until);
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
    return parseEntry(this.#reader.valueAt(this.#starts[index]));
  }
}
