// Walks over JSON text byte by byte without creating values, for code that handles secrets: a string stays in memory
// until the engine reuses its memory. This is not a validator: it may accept text that is not JSON, which the parser
// then rejects.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** For longer strings, Buffer.indexOf searches the closing quote. */
const SHORT = 64;
/** Bytes between two checks of the clock. */
const BYTES_PER_CHECK = 8 * 1024;

/** Thrown for text that is not JSON. */
export class Unread extends Error {}

export const unread = (): never => {
  throw new Unread();
};

/** Returns a Buffer over the same bytes. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Range of bytes: the first, and the one after the last. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Work on a text. It yields when its time is used up. */
export type Walk = Generator<void, void, void>;

/** A request in a body. */
export interface WalkedRequest {
  /** Position in the batch; 0 for a single request. */
  readonly index: number;
  /** Name of the method; undefined if it is missing or not a string, or if the request is not an object. */
  readonly method: string | undefined;
  /** Offset of the params; -1 if there are none. */
  readonly params: number;
  /** True if the request is an object, and the names that matter are written without escapes. */
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

/** A position in a text. @throws Unread from all methods */
export class JsonWalker {
  at = 0;
  /** When to pause, by performance.now(). */
  untilMs = Number.POSITIVE_INFINITY;
  readonly buffer: Buffer;
  #checkedAt = 0;

  constructor(bytes: Uint8Array) {
    this.buffer = bufferOf(bytes);
  }

  /** True if it is time to pause. Checks the clock only every few kilobytes. */
  get due(): boolean {
    if (Math.abs(this.at - this.#checkedAt) < BYTES_PER_CHECK) return false;
    this.#checkedAt = this.at;
    return performance.now() > this.untilMs;
  }

  /** Skips white space. @returns the next byte */
  next(): number {
    const { buffer } = this;
    for (;;) {
      const c = buffer[this.at];
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return c ?? unread();
      this.at++;
    }
  }

  /** Walks over the string at the current position. @returns range between its quotes */
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

  /** Returns the text of a range as it is written, one character per byte. */
  written({ from, to }: Range): string {
    return this.buffer.toString('latin1', from, to);
  }

  #scalar(): void {
    const start = this.at;
    while (this.at < this.buffer.length && !isDelimiter(this.buffer[this.at])) this.at++;
    if (this.at === start) unread();
  }

  /** Walks over a value. */
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

  /** Walks over the members of the object at the current position. @param visit walks over the value of a member */
  *members(visit: (name: Range) => Walk): Walk {
    yield* this.#list(CLOSE_BRACE, () => {
      const name = this.string();
      if (this.next() !== COLON) unread();
      this.at++;
      return visit(name);
    });
  }

  /** Walks over the elements of the list at the current position. @param visit walks over an element */
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

  /** Walks over the requests of a body. @param visit may walk into the params and leave the position anywhere */
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
        // If a request has two members `params`, the parser uses the first.
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
