// Steps over JSON text byte by byte without making values of it, for code that handles secrets: a string stays in
// memory until the engine reuses its room. This is no validator: what is not JSON may pass, and the parser refuses it.
// Used by secret-search.ts and method-names.ts.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** Longer strings are searched for their end by the library. */
const SHORT = 64;
/** Bytes between two looks at the clock. */
const BYTES_PER_CHECK = 8 * 1024;

/** Text that is no JSON. */
export class Unread extends Error {}

export const unread = (): never => {
  throw new Unread();
};

/** The same bytes with Buffer's methods. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Bytes of a text, the first and the one behind the last. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Work on a text that pauses (yields) when its time is up. */
export type Walk = Generator<void, void, void>;

/** A request among those of a body. */
export interface WalkedRequest {
  /** Its place in the batch; 0 for a single one. */
  readonly index: number;
  /** Undefined when it is missing or no string, or the request is no object. */
  readonly method: string | undefined;
  /** Where its params begin; -1 without them. */
  readonly params: number;
  /** Whether it is an object whose members' names are written without escapes, as far as they matter. */
  readonly clear: boolean;
}

const isDelimiter = (c: number): boolean =>
  c === COMMA ||
  c === COLON ||
  c === QUOTE ||
  c === OPEN_BRACE ||
  c === CLOSE_BRACE ||
  c === OPEN_BRACKET ||
  c === CLOSE_BRACKET ||
  c <= 0x20;

/** A place in a text. @throws Unread from all methods */
export class JsonWalker {
  at = 0;
  /** When to pause, by performance.now(). */
  untilMs = Number.POSITIVE_INFINITY;
  readonly buffer: Buffer;
  #checkedAt = 0;

  constructor(bytes: Uint8Array) {
    this.buffer = bufferOf(bytes);
  }

  /** Whether it is time for a pause; asks the clock once in a while. */
  get due(): boolean {
    if (Math.abs(this.at - this.#checkedAt) < BYTES_PER_CHECK) return false;
    this.#checkedAt = this.at;
    return performance.now() > this.untilMs;
  }

  /** Skips white space; the byte found there. */
  next(): number {
    const { buffer } = this;
    for (;;) {
      const c = buffer[this.at];
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return c ?? unread();
      this.at++;
    }
  }

  /** What stands between the quotes of the string here. */
  string(): Range {
    const { buffer } = this;
    if (this.next() !== QUOTE) unread();
    const from = this.at + 1;
    let at = from;
    for (const near = from + SHORT; at < near; at++) {
      const c = buffer[at];
      if (c === QUOTE) return this.#endString(from, at);
      if (c === BACKSLASH) at++;
    }
    for (;;) {
      at = buffer.indexOf(QUOTE, at);
      if (at < 0) unread();
      let slashes = 0;
      while (at - slashes > from && buffer[at - slashes - 1] === BACKSLASH) slashes++;
      if (slashes % 2 === 0) return this.#endString(from, at);
      at++;
    }
  }

  #endString(from: number, to: number): Range {
    this.at = to + 1;
    return { from, to };
  }

  /** The text of a string as it is written, one character per byte. */
  written({ from, to }: Range): string {
    return this.buffer.toString('latin1', from, to);
  }

  #scalar(): void {
    const start = this.at;
    while (this.at < this.buffer.length && !isDelimiter(this.buffer[this.at])) this.at++;
    if (this.at === start) unread();
  }

  /** Steps over a value. */
  *skip(): Walk {
    let depth = 0;
    do {
      const c = this.next();
      if (c === QUOTE) this.string();
      else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
        depth++;
        this.at++;
      } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET || c === COMMA || c === COLON) {
        if (depth === 0) unread();
        if (c === CLOSE_BRACE || c === CLOSE_BRACKET) depth--;
        this.at++;
      } else this.#scalar();
      if (this.due) yield;
    } while (depth > 0);
  }

  /** Goes into the object here. @param visit steps over the value of a member */
  *members(visit: (name: Range) => Walk): Walk {
    yield* this.#list(CLOSE_BRACE, () => {
      const name = this.string();
      if (this.next() !== COLON) unread();
      this.at++;
      return visit(name);
    });
  }

  /** Goes into the list here. @param visit steps over an element */
  *elements(visit: (index: number) => Walk): Walk {
    yield* this.#list(CLOSE_BRACKET, visit);
  }

  *#list(close: number, visit: (index: number) => Walk): Walk {
    this.at++;
    if (this.next() === close) {
      this.at++;
      return;
    }
    for (let index = 0; ; index++) {
      yield* visit(index);
      const c = this.next();
      this.at++;
      if (c === close) return;
      if (c !== COMMA) unread();
      if (this.due) yield;
    }
  }

  /** Goes through the requests of a body. @param visit may go into the params and leave the place anywhere */
  *requests(visit: (request: WalkedRequest) => Walk): Walk {
    if (this.next() === OPEN_BRACKET) yield* this.elements((index) => this.#request(index, visit));
    else yield* this.#request(0, visit);
  }

  *#request(index: number, visit: (request: WalkedRequest) => Walk): Walk {
    let method: string | undefined;
    let params = -1;
    let clear = this.next() === OPEN_BRACE;
    let named = false;
    if (!clear) yield* this.skip();
    else {
      yield* this.members((range) => {
        const name = this.written(range);
        if (name.includes('\\')) clear = false;
        const c = this.next();
        // Of two the parser takes the first.
        if (name === 'params' && params < 0) params = this.at;
        if (name === 'method' && !named) {
          named = true;
          if (c === QUOTE) {
            const start = this.at;
            method = this.written(this.string());
            if (method.includes('\\')) clear = false;
            this.at = start;
          }
        }
        return this.skip();
      });
    }
    const end = this.at;
    yield* visit({ index, method, params, clear });
    this.at = end;
  }
}
