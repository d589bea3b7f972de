// Parses a body into request entries: JSON-RPC 1.0 and 1.1 as Core 0.21 reads them, 2.0 as later releases do, single
// requests and batches. Nothing here throws; an error of an entry is stored in it. Core: rpc/request.cpp.
import { RPC_CODE, RpcError } from '../errors.js';
import { JsonParseError, JsonReader, parseJson } from './json-parse.js';
import { encodeJson } from './json-write.js';
import type { Reading } from './shared-reading.js';
import { JsonObject, type JsonValue } from './values.js';

/** A request in a body. */
export interface RequestEntry {
  /**
   * The id as JSON text. Without an id it is `null`, or empty with -jsonrpc2: the reply then has no id either, as in
   * Core since release 28.
   */
  readonly idText: string;
  /** True if the entry has a member `id`. */
  readonly hasId: boolean;
  /** 2 if the entry has `"jsonrpc":"2.0"` and -jsonrpc2 is on, else 1. */
  readonly version: 1 | 2;
  readonly method: string;
  readonly params: readonly JsonValue[] | JsonObject;
  /** Error of the entry itself; null if it is well-formed. */
  readonly error: RpcError | null;
  /** The parsed value, for method lists. */
  readonly source: JsonValue;
}

/** Entries of a batch: an array, or an object that parses them from the body when they run. */
export interface RequestList {
  readonly length: number;
  at(index: number): RequestEntry | undefined;
}

/** A parsed body. */
export type ParsedBody =
  | { readonly kind: 'single'; readonly entry: RequestEntry }
  | { readonly kind: 'batch'; readonly entries: readonly RequestEntry[] }
  | { readonly kind: 'fault'; readonly error: RpcError };

/** Options of the parser. */
export interface RequestOptions {
  /**
   * True if `"jsonrpc":"2.0"` selects JSON-RPC 2.0, as in later releases of Core (-jsonrpc2). Otherwise it is ignored,
   * as in 0.21.
   */
  readonly version2: boolean;
}

/** Options with which requests are parsed as in Core 0.21. */
export const VERSION_1: RequestOptions = { version2: false };

const NO_PARAMS: readonly JsonValue[] = [];

/** Parses a body. */
export function parseRequest(body: Uint8Array, options = VERSION_1): ParsedBody {
  return bodyOf(() => parseJson(body), options) as ParsedBody;
}

/** Parses a large body in slices, so that other calls need not wait for all of it. */
export class RequestReader implements Reading {
  readonly #json: JsonReader;
  #body: ParsedBody | undefined;
  readonly #options: RequestOptions;

  constructor(body: Uint8Array, options: RequestOptions = VERSION_1) {
    this.#options = options;
    this.#json = new JsonReader(body);
  }

  /** The parsed body. Valid after goOn() returned true. */
  get body(): ParsedBody {
    if (this.#body === undefined) throw new Error('the body was not read to its end');
    return this.#body;
  }

  get values(): number {
    return this.#json.values;
  }

  goOn(ms: number, mostValues = Number.POSITIVE_INFINITY): boolean {
    this.#body = bodyOf(() => this.#json.read(performance.now() + ms, mostValues), this.#options);
    return this.#body !== undefined;
  }
}

/** Converts a parser's exception to the error for the client. @throws every other exception */
export function parseFault(error: unknown): RpcError {
  if (!(error instanceof JsonParseError)) throw error;
  return new RpcError(RPC_CODE.PARSE_ERROR, error.message);
}

/** Converts the value of a body to entries; undefined while the value is not complete. */
function bodyOf(read: () => JsonValue | undefined, options: RequestOptions): ParsedBody | undefined {
  let value: JsonValue | undefined;
  try {
    value = read();
  } catch (error) {
    return { kind: 'fault', error: parseFault(error) };
  }
  if (value === undefined) return undefined;
  if (value instanceof JsonObject) return { kind: 'single', entry: parseEntry(value, options) };
  if (Array.isArray(value)) return { kind: 'batch', entries: value.map((item) => parseEntry(item, options)) };
  return { kind: 'fault', error: new RpcError(RPC_CODE.PARSE_ERROR, 'Top-level object parse error') };
}

/** Converts a parsed value to a request entry. */
export function parseEntry(source: JsonValue, options = VERSION_1): RequestEntry {
  if (!(source instanceof JsonObject)) {
    return { idText: 'null', hasId: false, version: 1, method: '', params: NO_PARAMS, error: invalid('Invalid Request object'), source };
  }
  const id = source.get('id');
  const idText = id === undefined ? (options.version2 ? '' : 'null') : encodeJson(id);
  const hasId = id !== undefined;
  const marker = options.version2 ? (source.get('jsonrpc') ?? null) : null;
  const version = marker === '2.0' ? 2 : 1;
  if (marker !== null && !VERSIONS.includes(marker)) {
    const what = typeof marker === 'string' ? 'JSON-RPC version not supported' : 'jsonrpc field must be a string';
    return { idText, hasId, version, method: '', params: NO_PARAMS, error: invalid(what), source };
  }
  const method = source.get('method');
  const params = source.get('params') ?? NO_PARAMS;
  if (typeof method === 'string' && (Array.isArray(params) || params instanceof JsonObject)) {
    return { idText, hasId, version, method, params, error: null, source };
  }
  const fault = method === undefined || method === null ? 'Missing method' : 'Method must be a string';
  const error = invalid(typeof method === 'string' ? 'Params must be an array or object' : fault);
  return { idText, hasId, version, method: '', params: NO_PARAMS, error, source };
}

/** Accepted values of the member `jsonrpc`. */
const VERSIONS: readonly JsonValue[] = ['1.0', '1.1', '2.0'];

const invalid = (message: string): RpcError => new RpcError(RPC_CODE.INVALID_REQUEST, message);
