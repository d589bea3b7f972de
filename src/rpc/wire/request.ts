// From a body's bytes to request entries: JSON-RPC 1.0 and 1.1 as Core 0.21 reads them, 2.0 as later Core does, single and
// batches. Nothing here throws; what is wrong with an entry stays with it. Used by dispatch.ts; rpc/request.cpp.
import { RPC_CODE, RpcError } from '../errors.js';
import { JsonParseError, parseJson } from './json-parse.js';
import { encodeJson } from './json-write.js';
import { JsonObject, type JsonValue } from './values.js';

/** One request of a body. */
export interface RequestEntry {
  /** The id as JSON text, `null` when there was none. */
  readonly idText: string;
  /** Whether the entry had an id member at all. */
  readonly hasId: boolean;
  /** 2 when `"jsonrpc":"2.0"` is there, 1 otherwise. */
  readonly version: 1 | 2;
  readonly method: string;
  readonly params: readonly JsonValue[] | JsonObject;
  /** What was wrong with the entry itself. */
  readonly error: RpcError | null;
  /** As parsed, for access lists. */
  readonly source: JsonValue;
}

/** A body, read. */
export type ParsedBody =
  | { readonly kind: 'single'; readonly entry: RequestEntry }
  | { readonly kind: 'batch'; readonly entries: readonly RequestEntry[] }
  | { readonly kind: 'fault'; readonly error: RpcError };

/** Switches of the reader. */
export interface RequestOptions {
  /** False: `"jsonrpc":"2.0"` is ignored and answered like 1.0, as Core 0.21 does. */
  readonly version2: boolean;
}

const NO_PARAMS: readonly JsonValue[] = [];

/** Reads a body. */
export function parseRequest(body: Uint8Array, options: RequestOptions = { version2: true }): ParsedBody {
  let value: JsonValue;
  try {
    value = parseJson(body);
  } catch (error) {
    if (!(error instanceof JsonParseError)) throw error;
    return { kind: 'fault', error: new RpcError(RPC_CODE.PARSE_ERROR, 'Parse error') };
  }
  if (value instanceof JsonObject) return { kind: 'single', entry: parseEntry(value, options) };
  if (Array.isArray(value)) return { kind: 'batch', entries: value.map((item) => parseEntry(item, options)) };
  return { kind: 'fault', error: new RpcError(RPC_CODE.PARSE_ERROR, 'Top-level object parse error') };
}

function parseEntry(source: JsonValue, options: RequestOptions): RequestEntry {
  const entry = { idText: 'null', hasId: false, version: 1 as 1 | 2, method: '', params: NO_PARAMS, source };
  const wrong = (message: string): RequestEntry => ({ ...entry, error: new RpcError(RPC_CODE.INVALID_REQUEST, message) });
  if (!(source instanceof JsonObject)) return wrong('Invalid Request object');
  const id = source.get('id');
  if (id !== undefined) {
    entry.idText = encodeJson(id);
    entry.hasId = true;
  }
  if (options.version2 && source.get('jsonrpc') === '2.0') entry.version = 2;
  const method = source.get('method') ?? null;
  if (method === null) return wrong('Missing method');
  if (typeof method !== 'string') return wrong('Method must be a string');
  const params = source.get('params') ?? null;
  if (params !== null && !Array.isArray(params) && !(params instanceof JsonObject)) {
    return wrong('Params must be an array or object');
  }
  return { ...entry, method, params: params ?? NO_PARAMS, error: null };
}
