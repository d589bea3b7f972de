// Reads a body once: a scan checks that it is JSON and finds the members of each request. This index crosses to other
// threads together with the bytes, so that they create values without another scan. JSON-RPC 1.0 and 1.1 as Core 0.21
// reads them, 2.0 as later releases do. Core: rpc/request.cpp.
import { RPC_CODE, RpcError } from '../errors.js';
import { JsonReader } from './json-parse.js';
import { asciiText, END, JsonParseError, JsonTokens, NAME, OPEN_LIST, OPEN_OBJECT, PAUSE, SCALAR, STRING, textOf } from './json-tokens.js';
import { encodeJson } from './json-write.js';
import { LONG_BODY_BYTES, type Reading } from './long-reading.js';
import type { JsonObject, JsonValue } from './values.js';

export interface RequestOptions {
  /**
   * True if `"jsonrpc":"2.0"` selects JSON-RPC 2.0, as in later releases of Core (-jsonrpc2). Otherwise it is ignored,
   * as in 0.21.
   */
  readonly version2: boolean;
}

/** Options with which requests are parsed as in Core 0.21. */
export const VERSION_1: RequestOptions = { version2: false };

const NO_BYTES = new Uint8Array(0);
const NO_PARAMS: readonly JsonValue[] = [];

// The index: one word that is 1 for a batch, then four words for each request, the offsets of the values of these
// members. 0: the member is missing. If a member is repeated, the first one counts (univalue's find_value).
const HEAD = 1;
const ENTRY = 4;
const ID = 0;
const METHOD = 1;
const PARAMS = 2;
const MARKER = 3;
const MEMBERS = ['id', 'method', 'params', 'jsonrpc'].map((name) => Buffer.from(name));
/** In place of the offset of the method: the request is not an object. */
const NO_OBJECT = -1;

/** Maximum size in bytes of a member's name with escapes. */
const MOST_NAME_BYTES = 6 * 'jsonrpc'.length;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LOWER_N = 0x6e;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const LAST_ASCII = 0x7e;

/** Scans a body. It creates no values, and pauses in large bodies. One object can scan many bodies. */
export class RequestScan implements Reading {
  readonly #tokens = new JsonTokens(NO_BYTES);
  #index = new Int32Array(64);
  #words = HEAD;
  #isBatch = false;
  /** Depth of the members of a request. */
  #level = 1;
  /** Member whose value comes next; -1 if it is none of MEMBERS. */
  #member = -1;
  #fault: RpcError | null = null;

  /** Starts with another body. */
  start(body: Uint8Array): this {
    this.#tokens.start(body);
    this.#words = HEAD;
    this.#index[0] = 0;
    this.#isBatch = false;
    this.#level = 1;
    this.#member = -1;
    this.#fault = null;
    return this;
  }

  /** Goes on in a copy of the body. */
  moveInto(copy: Uint8Array): void {
    this.#tokens.bytes = copy;
  }

  /** Error of a body that is not JSON, or neither object nor list; otherwise null. Valid after goOn() returned true. */
  get fault(): RpcError | null {
    return this.#fault;
  }

  /** The index. Valid after goOn() returned true, until start(). */
  get index(): Int32Array {
    return this.#index.subarray(0, this.#words);
  }

  /** Continues the scan. Never throws. */
  goOn(ms: number): boolean {
    const tokens = this.#tokens;
    tokens.untilMs = ms === Number.POSITIVE_INFINITY ? ms : performance.now() + ms;
    try {
      for (;;) {
        const token = tokens.next();
        if (token === PAUSE) return false;
        if (token === END) return true;
        const { depth } = tokens;
        const level = this.#level;
        if (depth > level + 1) continue;
        if (token === NAME) {
          if (depth === level) this.#member = this.#memberOf();
        } else if (this.#member >= 0) {
          const at = this.#words - ENTRY + this.#member;
          if (this.#index[at] === 0) this.#index[at] = token === STRING ? tokens.from - 1 : tokens.from;
          this.#member = -1;
        } else if (depth <= level) this.#begin(token, depth);
      }
    } catch (error) {
      this.#fault = parseFault(error);
      return true;
    }
  }

  /** Begins a request if the token is the first one of a request. */
  #begin(token: number, depth: number): void {
    const opens = token === OPEN_OBJECT || token === OPEN_LIST;
    if (this.#isBatch) {
      if (opens ? depth !== 2 : depth !== 1 || (token !== STRING && token !== SCALAR)) return;
    } else if (this.#words > HEAD) return;
    else if (token === OPEN_LIST) {
      this.#isBatch = true;
      this.#level = 2;
      this.#index[0] = 1;
      return;
    } else if (!opens) {
      this.#fault = new RpcError(RPC_CODE.PARSE_ERROR, 'Top-level object parse error');
      return;
    }
    this.#tokens.values = 1;
    const at = this.#words;
    this.#words += ENTRY;
    if (this.#words > this.#index.length) {
      const more = new Int32Array(this.#index.length * 2);
      more.set(this.#index);
      this.#index = more;
    }
    const index = this.#index;
    index[at + ID] = index[at + PARAMS] = index[at + MARKER] = 0;
    index[at + METHOD] = token === OPEN_OBJECT ? 0 : NO_OBJECT;
  }

  #memberOf(): number {
    let { bytes, from, to } = this.#tokens;
    if (!this.#tokens.plain) {
      if (to - from > MOST_NAME_BYTES) return -1;
      bytes = Buffer.from(textOf(bytes, from, to));
      from = 0;
      to = bytes.length;
    }
    for (let member = 0; member < MEMBERS.length; member++) {
      const name = MEMBERS[member]!;
      if (name.length !== to - from) continue;
      let same = 0;
      while (same < name.length && name[same] === bytes[from + same]) same++;
      if (same === name.length) return member;
    }
    return -1;
  }
}

/** Converts a parser's exception to the error for the client. @throws every other exception */
function parseFault(error: unknown): RpcError {
  if (!(error instanceof JsonParseError)) throw error;
  return new RpcError(RPC_CODE.PARSE_ERROR, error.message);
}

/** Reader of the params of small requests. They are read at once, so all of them share one reader. */
const AT_ONCE = new JsonReader(NO_BYTES);

/** The requests of a scanned body. */
export class RequestBody {
  readonly bytes: Uint8Array;
  readonly index: Int32Array;
  readonly options: RequestOptions;
  #values: JsonReader | null = null;
  #single: RequestEntry | null = null;

  /** @param index of RequestScan, valid as long as the bytes */
  constructor(bytes: Uint8Array, index: Int32Array, options = VERSION_1) {
    this.bytes = bytes;
    this.index = index;
    this.options = options;
  }

  get isBatch(): boolean {
    return this.index[0] === 1;
  }

  get length(): number {
    return (this.index.length - HEAD) / ENTRY;
  }

  /** Returns the requests in bytes of their own: those of a small body may be overwritten after the current task. */
  copied(): RequestBody {
    return new RequestBody(new Uint8Array(this.bytes), new Int32Array(this.index), this.options);
  }

  /** Creates values of the body. Secrets must have been taken out. */
  get reader(): JsonReader {
    this.#values ??= new JsonReader(this.bytes);
    return this.#values;
  }

  /** Returns the offset of the value of a member; 0 if the member is missing. @param member word in the index */
  offset(i: number, member: number): number {
    return this.index[HEAD + i * ENTRY + member]!;
  }

  /** Offset of the params of request `i`; 0 if there are none. */
  paramsAt(i: number): number {
    return this.offset(i, PARAMS);
  }

  /** Returns the method of request `i`; null if it is missing or not a string. Only the name becomes text. */
  methodOf(i: number): string | null {
    const at = this.offset(i, METHOD);
    return at > 0 && this.bytes[at] === QUOTE ? stringAt(this.bytes, at) : null;
  }

  /** Returns whether request `i` is an object. */
  isObject(i: number): boolean {
    return this.offset(i, METHOD) !== NO_OBJECT;
  }

  /** Returns request `i`, which must be below `length`. */
  at(i: number): RequestEntry {
    if (this.isBatch) return new RequestEntry(this, i);
    this.#single ??= new RequestEntry(this, 0);
    return this.#single;
  }
}

/** Accepted values of the member `jsonrpc`. */
const VERSIONS: readonly unknown[] = ['1.0', '1.1', '2.0'];

const isNull = (bytes: Uint8Array, at: number): boolean => bytes[at] === LOWER_N;

/** Returns the string whose opening quote is at an offset. */
function stringAt(bytes: Uint8Array, at: number): string {
  let to = at + 1;
  while (bytes[to] !== QUOTE) to += bytes[to] === BACKSLASH ? 2 : 1;
  return textOf(bytes, at + 1, to);
}

/** A request. Its id and params become values when they are read for the first time. */
export class RequestEntry implements Reading {
  /** 2 if the request has `"jsonrpc":"2.0"` and -jsonrpc2 is on, else 1. */
  readonly version: 1 | 2;
  /** Empty if the request is not well-formed. */
  readonly method: string;
  /** Error of the request itself; null if it is well-formed. */
  readonly error: RpcError | null;
  readonly #body: RequestBody;
  readonly #idAt: number;
  readonly #paramsAt: number;
  #idText: string | undefined;
  #params: readonly JsonValue[] | JsonObject | undefined;
  #reading = false;

  constructor(body: RequestBody, i: number) {
    const { bytes, options } = body;
    this.#body = body;
    this.#idAt = body.offset(i, ID);
    this.#paramsAt = body.offset(i, PARAMS);
    const method = body.methodOf(i);
    const isObject = body.isObject(i);
    const marker = options.version2 && isObject ? markerAt(bytes, body.offset(i, MARKER)) : null;
    this.version = marker === '2.0' ? 2 : 1;
    if (!isObject) this.#idText = 'null';
    const fault = isObject ? faultOf(marker, method, bytes, body.offset(i, METHOD), this.#paramsAt) : 'Invalid Request object';
    this.error = fault === null ? null : new RpcError(RPC_CODE.INVALID_REQUEST, fault);
    this.method = fault === null ? (method as string) : '';
  }

  /** True if the request has a member `id`. */
  get hasId(): boolean {
    return this.#idAt > 0;
  }

  /**
   * The id as JSON text. Without an id it is `null`, or empty with -jsonrpc2: the reply then has no id either, as in
   * Core since release 28.
   */
  get idText(): string {
    this.#idText ??= this.hasId ? this.#readId() : this.#body.options.version2 ? '' : 'null';
    return this.#idText;
  }

  get params(): readonly JsonValue[] | JsonObject {
    const { bytes, isBatch } = this.#body;
    if (this.#params === undefined && !this.#reading && !this.#hasNoParams && !isBatch && bytes.length < LONG_BODY_BYTES) {
      this.#params = AT_ONCE.start(bytes).valueAt(this.#paramsAt) as readonly JsonValue[] | JsonObject;
    } else this.goOn(Number.POSITIVE_INFINITY);
    return this.#params as readonly JsonValue[] | JsonObject;
  }

  /** Creates what a reply needs, before the bytes are overwritten. */
  keep(): void {
    void this.idText;
  }

  /** Continues to create the params. */
  goOn(ms: number): boolean {
    if (this.#params !== undefined) return true;
    if (this.#hasNoParams) {
      this.#params = NO_PARAMS;
      return true;
    }
    const { reader } = this.#body;
    if (!this.#reading) reader.moveTo(this.#paramsAt);
    this.#reading = true;
    const value = reader.goOn(ms === Number.POSITIVE_INFINITY ? ms : performance.now() + ms);
    if (value === undefined) return false;
    this.#reading = false;
    this.#params = value as readonly JsonValue[] | JsonObject;
    return true;
  }

  get #hasNoParams(): boolean {
    const { bytes } = this.#body;
    const at = this.#paramsAt;
    return at === 0 || isNull(bytes, at) || (bytes[at] === OPEN_BRACKET && bytes[at + 1] === CLOSE_BRACKET);
  }

  /** Most ids are numbers or plain strings, which return as they came. */
  #readId(): string {
    const { bytes } = this.#body;
    const from = this.#idAt;
    let to = from;
    if (bytes[from] === QUOTE) {
      for (to++; bytes[to] !== QUOTE; to++) if (bytes[to]! > LAST_ASCII || bytes[to] === BACKSLASH) return this.#encodeId();
      to++;
    } else if (bytes[from] === OPEN_BRACKET || bytes[from] === OPEN_BRACE) return this.#encodeId();
    else while (bytes[to]! > SPACE && bytes[to] !== COMMA && bytes[to] !== CLOSE_BRACE) to++;
    return asciiText(bytes, from, to);
  }

  #encodeId(): string {
    return encodeJson(this.#body.reader.valueAt(this.#idAt));
  }
}

/** Returns the member `jsonrpc` if it is a string; null if it is missing or null; otherwise undefined. */
function markerAt(bytes: Uint8Array, at: number): string | null | undefined {
  if (at === 0 || isNull(bytes, at)) return null;
  return bytes[at] === QUOTE ? stringAt(bytes, at) : undefined;
}

function faultOf(marker: unknown, method: string | null, bytes: Uint8Array, methodAt: number, paramsAt: number): string | null {
  if (marker !== null && !VERSIONS.includes(marker)) {
    return marker === undefined ? 'jsonrpc field must be a string' : 'JSON-RPC version not supported';
  }
  if (method === null) return methodAt === 0 || isNull(bytes, methodAt) ? 'Missing method' : 'Method must be a string';
  const params = bytes[paramsAt];
  if (paramsAt === 0 || params === OPEN_BRACKET || params === OPEN_BRACE || params === LOWER_N) return null;
  return 'Params must be an array or object';
}

/** Scans a body at once. @returns the error of a body that is not JSON, or neither object nor list */
export function scanRequest(bytes: Uint8Array, options = VERSION_1): RequestBody | RpcError {
  const scan = new RequestScan().start(bytes);
  scan.goOn(Number.POSITIVE_INFINITY);
  return scan.fault ?? new RequestBody(bytes, scan.index, options);
}
