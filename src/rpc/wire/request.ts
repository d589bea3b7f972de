// From a body's bytes to request entries: JSON-RPC 1.0 and 1.1 as Core 0.21 reads them, 2.0 as later Core does, single
// and batches. Nothing here throws; what is wrong with an entry stays with it. Used by dispatch.ts; rpc/request.cpp.
import { RPC_CODE, RpcError } from '../errors.js';
import { JsonParseError, JsonReader, parseJson } from './json-parse.js';
import { encodeJson } from './json-write.js';
import type { Reading } from './shared-reading.js';
import { JsonObject, type JsonValue } from './values.js';

/** One request of a body. */
export interface RequestEntry {
  /**
   * The id as JSON text; without one `null`, or with -jsonrpc2 empty: the reply has none either then, as since release
   * 28.
   */
  readonly idText: string;
  /** Whether the entry had an id member at all. */
  readonly hasId: boolean;
  /** 2 when `"jsonrpc":"2.0"` is there and counts, 1 otherwise. */
  readonly version: 1 | 2;
  readonly method: string;
  readonly params: readonly JsonValue[] | JsonObject;
  /** What was wrong with the entry itself. */
  readonly error: RpcError | null;
  /** As parsed, for access lists. */
  readonly source: JsonValue;
}

/** Entries of a batch: a list, or what reads them from the body when they are due. */
export interface RequestList {
  readonly length: number;
  at(index: number): RequestEntry | undefined;
}

/** A body, read. */
export type ParsedBody =
  | { readonly kind: 'single'; readonly entry: RequestEntry }
  | { readonly kind: 'batch'; readonly entries: readonly RequestEntry[] }
  | { readonly kind: 'fault'; readonly error: RpcError };

/** Switches of the reader. */
export interface RequestOptions {
  /**
   * `"jsonrpc":"2.0"` is answered as later versions of Core do (-jsonrpc2); otherwise it is ignored, as Core 0.21 does.
   */
  readonly version2: boolean;
}

/** As Core 0.21 reads requests. */
export const VERSION_1: RequestOptions = { version2: false };

const NO_PARAMS: readonly JsonValue[] = [];

/** Reads a body. */
export function parseRequest(body: Uint8Array, options = VERSION_1): ParsedBody {
  return bodyOf(() => parseJson(body), options) as ParsedBody;
}

/** Reads a body bit by bit, so that other calls need not wait for all of a large one. */
export class RequestReader implements Reading {
  readonly #json: JsonReader;
  #body: ParsedBody | undefined;
  readonly #options: RequestOptions;

  constructor(body: Uint8Array, options: RequestOptions = VERSION_1) {
    this.#options = options;
    this.#json = new JsonReader(body);
  }

  /** What the body is; there once goOn() returned true. */
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

/** What a body that is no JSON is answered with. @throws what is no JsonParseError */
export function parseFault(error: unknown): RpcError {
  if (!(error instanceof JsonParseError)) throw error;
  return new RpcError(RPC_CODE.PARSE_ERROR, error.message);
}

/** What a body is, from its value when that is there. */
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

/** One request from its parsed value. */
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

/** What the member `jsonrpc` may say. */
const VERSIONS: readonly JsonValue[] = ['1.0', '1.1', '2.0'];

const invalid = (message: string): RpcError => new RpcError(RPC_CODE.INVALID_REQUEST, message);
