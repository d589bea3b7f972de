// From outcomes to a reply's bytes: envelopes of each version, batches, notifications, HTTP statuses. Used by
// dispatch.ts.
import { RPC_CODE, type RpcError } from '../errors.js';
import { encodeString } from './json-write.js';
import type { RequestEntry } from './request.js';

/** What came of one entry: a result as JSON text or, in parts, its bytes; or an error. */
export type Outcome = { readonly result: string | readonly Uint8Array[] } | { readonly error: RpcError };

/**
 * A whole reply: status and body, which is empty for 204 and ends with a newline otherwise. Text is sent as UTF-8; what
 * is large comes as bytes.
 */
export interface Reply {
  readonly status: number;
  readonly body: string | Uint8Array;
}

/** For a client that has gone. */
export const DISCONNECTED_REPLY: Reply = { status: 500, body: '' };

const errorText = (error: RpcError) => `{"code":${error.code},"message":${encodeString(error.message)}}`;

/** One entry's envelope, without the newline that ends a body. */
export function encodeEnvelope(entry: Pick<RequestEntry, 'idText' | 'hasId' | 'version'>, outcome: Outcome): string {
  const result = 'error' in outcome ? '' : typeof outcome.result === 'string' ? outcome.result : Buffer.concat(outcome.result).toString();
  const id = (entry.version === 2 && !entry.hasId) || entry.idText === '' ? '' : `,"id":${entry.idText}`;
  if (entry.version === 2) {
    return 'error' in outcome ? `{"jsonrpc":"2.0","error":${errorText(outcome.error)}${id}}` : `{"jsonrpc":"2.0","result":${result}${id}}`;
  }
  return 'error' in outcome ? `{"result":null,"error":${errorText(outcome.error)}${id}}` : `{"result":${result},"error":null${id}}`;
}

/** Stands in for the result while the envelope is cut in two; no id can contain it unescaped. */
const HOLE = '\u0000';

/** What stands before and after the result of a single request's reply. */
export function envelopeAround(entry: RequestEntry): readonly [prefix: string, suffix: string] {
  const [prefix = '', suffix = ''] = `${encodeEnvelope(entry, { result: HOLE })}\n`.split(HOLE);
  return [prefix, suffix];
}

/** A 2.0 request without id: executed, never answered. */
export function isNotification(entry: RequestEntry): boolean {
  return entry.version === 2 && !entry.hasId;
}

/** Core's status of an error outside batches. */
export function errorStatus(error: RpcError): number {
  if (error.code === RPC_CODE.INVALID_REQUEST) return 400;
  return error.code === RPC_CODE.METHOD_NOT_FOUND ? 404 : 500;
}

/** A reply without any entry: bodies that are no JSON, and errors found before the entries are looked at. */
export function faultReply(error: RpcError): Reply {
  const text = encodeEnvelope({ idText: 'null', hasId: false, version: 1 }, { error });
  return { status: errorStatus(error), body: `${text}\n` };
}

const EMPTY = new Uint8Array(0);

/**
 * One array of its own, as what crosses between threads must be.
 * @param chunks emptied, so that each is free once it is copied
 */
export function joined(head: Uint8Array, chunks: Uint8Array[]): Uint8Array {
  const out = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, head.length));
  out.set(head);
  let at = head.length;
  for (const [i, chunk] of chunks.entries()) {
    out.set(chunk, at);
    at += chunk.length;
    chunks[i] = EMPTY;
  }
  chunks.length = 0;
  return out;
}

/** The reply to a single request. */
export function singleReply(entry: RequestEntry, outcome: Outcome): Reply {
  // A 2.0 request that is malformed beyond its version is answered even without an id: it never became a notification.
  if (isNotification(entry) && !entry.error) return { status: 204, body: '' };
  if (!('error' in outcome) && typeof outcome.result !== 'string') {
    const [prefix, suffix] = envelopeAround(entry);
    return { status: 200, body: joined(Buffer.from(prefix), [...outcome.result, Buffer.from(suffix)]) };
  }
  const body = `${encodeEnvelope(entry, outcome)}\n`;
  if (!('error' in outcome)) return { status: 200, body };
  return { status: entry.version === 2 && !entry.error ? 200 : errorStatus(outcome.error), body };
}
