// Parses requests of the REST interface (-rest): path, query, and body in, a RestCall out. Fronts parse every request
// and answer malformed ones themselves; the node thread parses it again. Texts and the order of checks are those of
// Core's rest.cpp. Features of later releases are declared with their release.
import { hashFromHex } from '../../consensus/bytes/hex.js';
import { ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import { type Compat, follows, type Span, shows } from '../../policy/compat.js';

/** Format of a reply; null if the path names none, which is an error after all other checks. */
export type RestFormat = 'bin' | 'hex' | 'json' | null;

/** Hash of a block or transaction: its text in the path, and its bytes in internal order. */
export interface RestHash {
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** A well-formed request. */
export type RestCall = { readonly format: RestFormat } & (
  | { readonly endpoint: 'tx'; readonly hash: RestHash }
  | { readonly endpoint: 'block'; readonly hash: RestHash; readonly details: boolean }
  | { readonly endpoint: 'blockpart'; readonly hash: RestHash; readonly part: BlockPart }
  | { readonly endpoint: 'blockfilter'; readonly hash: RestHash; readonly type: string }
  | { readonly endpoint: 'blockfilterheaders'; readonly hash: RestHash; readonly count: number; readonly type: string }
  | { readonly endpoint: 'chaininfo' }
  | { readonly endpoint: 'mempool'; readonly contents: boolean; readonly verbose: boolean; readonly sequence: boolean }
  | { readonly endpoint: 'headers'; readonly hash: RestHash; readonly count: number }
  /** Outpoints: txid in internal order, then the index as 32 bits little-endian. */
  | { readonly endpoint: 'getutxos'; readonly outpoints: readonly Uint8Array[]; readonly checkMempool: boolean }
  | { readonly endpoint: 'deploymentinfo'; readonly hash: RestHash | null }
  | { readonly endpoint: 'blockhashbyheight'; readonly height: number }
  | { readonly endpoint: 'spenttxouts'; readonly hash: RestHash }
);

/** Range of bytes in a block, as 64-bit numbers from the request. */
export interface BlockPart {
  readonly offset: bigint;
  readonly size: bigint;
}

/** Error reply: HTTP status and message. */
export class RestFault extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Prefix of every path. */
export const REST_PREFIX = '/rest/';

const MOST_HEADERS = 2000;
const MOST_OUTPOINTS = 15;
const MAX_UINT64 = (1n << 64n) - 1n;
const FILTER_TYPES: readonly string[] = ['basic'];

const bad = (message: string): never => {
  throw new RestFault(400, message);
};

/** A request to one endpoint. */
interface Asked {
  /** The path after the prefix of the endpoint, without query and format. */
  readonly param: string;
  readonly format: RestFormat;
  /** Returns the first query parameter with this name, decoded. */
  query(name: string): string | undefined;
  readonly body: Uint8Array;
  readonly compat: Compat;
}

const unformatted = (formats: string): never => {
  throw new RestFault(404, `output format not found (available: ${formats})`);
};

/** Throws the error for an unknown format. */
export const noSuchFormat = (): never => unformatted('.bin, .hex, .json');

/** Throws if the format is not JSON, for endpoints that have no other format. */
function onlyJson({ format }: Asked): void {
  if (format !== 'json') unformatted('json');
}

function hashOf(text: string): RestHash {
  return /^[0-9a-f]{64}$/i.test(text) ? { text, bytes: hashFromHex(text.toLowerCase()) } : bad(`Invalid hash: ${text}`);
}

/** Parses an unsigned 64-bit number; undefined if the text is none. */
function unsigned(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^\d{1,40}$/.test(text)) return undefined;
  const value = BigInt(text);
  return value > MAX_UINT64 ? undefined : value;
}

function countOf(text: string, compat: Compat): number {
  const count = unsigned(text);
  if (count !== undefined && count >= 1n && count <= BigInt(MOST_HEADERS)) return Number(count);
  if (!follows(compat, 24)) return bad(`Header count out of range: ${text}`);
  return bad(`Header count is invalid or out of acceptable range (1-${MOST_HEADERS}): ${text}`);
}

/** Parses `COUNT/HASH`, or since release 24 `HASH` with the count in the query. */
function headersOf(parts: readonly string[], asked: Asked, form: string): { hash: RestHash; count: number } {
  const { compat } = asked;
  if (parts.length === 2) {
    const count = countOf(parts[0], compat);
    return { count, hash: hashOf(parts[1]) };
  }
  if (!follows(compat, 24)) return bad('No header count specified. Use /rest/headers/<count>/<hash>.<ext>.');
  if (parts.length !== 1) return bad(`Invalid URI format. Expected ${form}<hash>.<ext>?count=<count>`);
  const count = countOf(asked.query('count') ?? '5', compat);
  return { count, hash: hashOf(parts[0]) };
}

function filterTypeOf(text: string): string {
  return FILTER_TYPES.includes(text) ? text : bad(`Unknown filtertype ${text}`);
}

function partOf(asked: Asked): BlockPart {
  const offset = unsigned(asked.query('offset')) ?? bad('Block part offset missing or invalid');
  const size = unsigned(asked.query('size')) ?? bad('Block part size missing or invalid');
  return { offset, size };
}

/** Parses a query parameter that is true or false. */
function switchOf(asked: Asked, name: string, byDefault: boolean): boolean {
  const text = asked.query(name) ?? String(byDefault);
  if (text !== 'true' && text !== 'false') bad(`The "${name}" query parameter must be either "true" or "false".`);
  return text === 'true';
}

function mempoolOf(asked: Asked): RestCall {
  const { param, format } = asked;
  if (param !== 'contents' && param !== 'info') bad('Invalid URI format. Expected /rest/mempool/<info|contents>.json');
  onlyJson(asked);
  const contents = param === 'contents';
  if (!contents || !follows(asked.compat, 25)) return { endpoint: 'mempool', format, contents, verbose: true, sequence: false };
  const verbose = switchOf(asked, 'verbose', true);
  const sequence = switchOf(asked, 'mempool_sequence', false);
  if (verbose && sequence) bad('Verbose results cannot contain mempool sequence values. (hint: set "verbose=false")');
  return { endpoint: 'mempool', format, contents, verbose, sequence };
}

function outpoint(text: string): Uint8Array {
  const [txid, index, more] = text.split('-') as [string, string?, string?];
  if (!/^[0-9a-f]{64}$/i.test(txid) || index === undefined || more !== undefined) return bad('Parse error');
  const number = unsigned(index);
  if (number === undefined || number > 0xffff_ffffn) return bad('Parse error');
  const out = new Uint8Array(36);
  out.set(hashFromHex(txid.toLowerCase()));
  new DataView(out.buffer).setUint32(32, Number(number), true);
  return out;
}

/** Decodes hex that may have spaces between bytes; empty if the text has anything else. */
function looseHex(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  const pieces = text.split(/\s+/);
  const isHex = pieces.every((piece) => piece.length % 2 === 0 && /^[0-9a-f]*$/i.test(piece));
  return isHex ? Buffer.from(pieces.join(''), 'hex') : new Uint8Array(0);
}

/**
 * Parses a request of BIP-0064: whether to check the mempool, then the outpoints. They are copied, because the caller
 * owns the body.
 */
function readOutpoints(bytes: Uint8Array): { outpoints: Uint8Array[]; checkMempool: boolean } {
  try {
    const reader = new ByteReader(bytes);
    const checkMempool = reader.u8() !== 0;
    const outpoints: Uint8Array[] = [];
    for (let left = reader.compactSize(); left > 0; left--) outpoints.push(new Uint8Array(reader.bytes(36)));
    return { outpoints, checkMempool };
  } catch (error) {
    if (error instanceof DecodeError) return bad('Parse error');
    throw error;
  }
}

function utxosOf({ param, format, body }: Asked): RestCall {
  // The parameter is empty, or starts with a slash.
  const parts = param.length > 1 ? param.slice(1).split('/') : [];
  if (parts.length === 0 && body.length === 0) bad('Error: empty request');
  let checkMempool = parts[0] === 'checkmempool';
  let outpoints = parts.slice(checkMempool ? 1 : 0).map(outpoint);
  if (parts.length > 0 && outpoints.length === 0) bad('Error: empty request');
  if (format === null) noSuchFormat();
  if (format === 'json') {
    if (outpoints.length === 0) bad('Error: empty request');
  } else {
    const bytes = format === 'hex' ? looseHex(body) : body;
    if (bytes.length > 0) {
      if (outpoints.length > 0) bad('Combination of URI scheme inputs and raw post data is not allowed');
      ({ outpoints, checkMempool } = readOutpoints(bytes));
    }
  }
  if (outpoints.length > MOST_OUTPOINTS) {
    bad(`Error: max outpoints exceeded (max: ${MOST_OUTPOINTS}, tried: ${outpoints.length})`);
  }
  return { endpoint: 'getutxos', format, outpoints, checkMempool };
}

function heightOf(text: string): number {
  const height = unsigned(text);
  if (height !== undefined && height <= 0x7fff_ffffn) return Number(height);
  return bad(`Invalid height: ${text.replace(/[^A-Za-z0-9!*'();:@&=+$,/?#[\]\-_.~%]/g, '')}`);
}

/** Endpoints, in the order in which a path is compared with them. */
const ENDPOINTS: readonly ({ readonly prefix: string; readonly read: (asked: Asked) => RestCall } & Span)[] = [
  { prefix: 'tx/', read: ({ param, format }) => ({ endpoint: 'tx', format, hash: hashOf(param) }) },
  {
    prefix: 'block/notxdetails/',
    read: ({ param, format }) => ({ endpoint: 'block', format, hash: hashOf(param), details: false }),
  },
  { prefix: 'block/', read: ({ param, format }) => ({ endpoint: 'block', format, hash: hashOf(param), details: true }) },
  {
    prefix: 'blockpart/',
    since: 31,
    read: (asked) => {
      const part = partOf(asked);
      return { endpoint: 'blockpart', format: asked.format, part, hash: hashOf(asked.param) };
    },
  },
  {
    prefix: 'blockfilter/',
    since: 23,
    read: ({ param, format }) => {
      const parts = param.split('/');
      if (parts.length !== 2) bad('Invalid URI format. Expected /rest/blockfilter/<filtertype>/<blockhash>');
      const hash = hashOf(parts[1]);
      return { endpoint: 'blockfilter', format, hash, type: filterTypeOf(parts[0]) };
    },
  },
  {
    prefix: 'blockfilterheaders/',
    since: 23,
    read: (asked) => {
      const form = '/rest/blockfilterheaders/<filtertype>/';
      const [type, ...parts] = asked.param.split('/');
      if (parts.length === 0) bad(`Invalid URI format. Expected ${form}<blockhash>.<ext>?count=<count>`);
      const headers = headersOf(parts, asked, form);
      return { endpoint: 'blockfilterheaders', format: asked.format, ...headers, type: filterTypeOf(type) };
    },
  },
  {
    prefix: 'chaininfo',
    read: (asked) => {
      onlyJson(asked);
      return { endpoint: 'chaininfo', format: 'json' };
    },
  },
  { prefix: 'mempool/', read: mempoolOf },
  {
    prefix: 'headers/',
    read: (asked) => ({
      endpoint: 'headers',
      format: asked.format,
      ...headersOf(asked.param.split('/'), asked, '/rest/headers/'),
    }),
  },
  { prefix: 'getutxos', read: utxosOf },
  {
    prefix: 'deploymentinfo',
    since: 25,
    read: (asked) => {
      onlyJson(asked);
      const text = asked.param.replace(/^\//, '');
      return { endpoint: 'deploymentinfo', format: 'json', hash: text === '' ? null : hashOf(text) };
    },
  },
  {
    prefix: 'blockhashbyheight/',
    read: ({ param, format }) => ({ endpoint: 'blockhashbyheight', format, height: heightOf(param) }),
  },
  {
    prefix: 'spenttxouts/',
    since: 30,
    read: ({ param, format }) => {
      if (param.includes('/')) bad('Invalid URI format. Expected /rest/spenttxouts/<hash>.<ext>');
      return { endpoint: 'spenttxouts', format, hash: hashOf(param) };
    },
  },
];

/** Decodes percent escapes. A percent sign without two hex digits stays as it is. */
function decoded(text: string): string {
  if (!text.includes('%')) return text;
  return Buffer.from(
    text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  ).toString();
}

/** Returns the first parameter with a name in the query of a target. */
function queryParameter(target: string, name: string): string | undefined {
  const start = target.indexOf('?');
  if (start < 0) return undefined;
  const [query] = target.slice(start + 1).split('#', 1);
  for (const pair of query.split('&')) {
    const at = pair.indexOf('=');
    if (decoded(at < 0 ? pair : pair.slice(0, at)) === name) return at < 0 ? '' : decoded(pair.slice(at + 1));
  }
  return undefined;
}

/** Removes query and format from a path. */
function formatOf(path: string, compat: Compat): { param: string; format: RestFormat } {
  const query = follows(compat, 24) ? path.lastIndexOf('?') : -1;
  const param = query < 0 ? path : path.slice(0, query);
  const dot = param.lastIndexOf('.');
  const suffix = param.slice(dot + 1);
  if (dot < 0 || (suffix !== '' && suffix !== 'bin' && suffix !== 'hex' && suffix !== 'json')) return { param, format: null };
  return { param: param.slice(0, dot), format: suffix === '' ? null : suffix };
}

/** Returns whether the endpoint reads the body of the request. */
export const hasBody = (target: string): boolean => target.startsWith(`${REST_PREFIX}getutxos`);

/**
 * Parses a request.
 * @param target path and query, as sent
 * @returns null if there is no such endpoint
 * @throws RestFault if the request is malformed
 */
export function readRest(target: string, body: Uint8Array, compat: Compat): RestCall | null {
  const path = target.slice(REST_PREFIX.length);
  const endpoint = ENDPOINTS.find((one) => path.startsWith(one.prefix) && shows(compat, one));
  if (endpoint === undefined || !target.startsWith(REST_PREFIX)) return null;
  const query = (name: string): string | undefined => queryParameter(target, name);
  return endpoint.read({ ...formatOf(path.slice(endpoint.prefix.length), compat), query, body, compat });
}

/** Returns whether the reply to a call never changes, so that caches may store it. */
export function neverChanges(call: RestCall): boolean {
  switch (call.endpoint) {
    case 'block':
      return call.format !== 'json';
    case 'blockpart':
    case 'blockfilter':
    case 'spenttxouts':
      return true;
    case 'deploymentinfo':
      return call.hash !== null;
    default:
      return false;
  }
}

/**
 * Returns until when a front may cache the reply to a call without a body, if it is no read job; null: it must not cache
 * the reply.
 */
export function restLasting({ endpoint }: RestCall): 'blocks' | 'moment' | null {
  switch (endpoint) {
    case 'headers':
    case 'blockhashbyheight':
    case 'blockfilter':
    case 'blockfilterheaders':
      return 'blocks';
    case 'getutxos':
      return null;
    default:
      return 'moment';
  }
}

/** A call for bytes of a stored block, which the front reads from the block file. */
export type StoredCall = Extract<RestCall, { endpoint: 'block' | 'blockpart' }>;

/** Returns whether the reply consists of bytes of a block. */
export const isStored = (call: RestCall): call is StoredCall =>
  call.endpoint === 'blockpart' || (call.endpoint === 'block' && (call.format === 'bin' || call.format === 'hex'));
