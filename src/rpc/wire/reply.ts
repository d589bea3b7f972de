// Converts outcomes to the bytes of a reply: envelopes of each JSON-RPC version, batches, notifications, and HTTP
// statuses.
import type { ReplyBody } from '../../link/messages.js';
import { RPC_CODE, type RpcError } from '../errors.js';
import type { ReadJob } from '../reads/read-job.js';
import { type EntryFacts, encodeHole, UNFILLED } from '../reads/unfilled.js';
import { encodeString } from './json-write.js';
import type { RequestEntry } from './request.js';

/** Outcome of an entry: a result as JSON text or as bytes in parts, or an error. */
export type FilledOutcome = { readonly result: string | readonly Uint8Array[] } | { readonly error: RpcError };

/** Outcome of an entry on the thread that runs it. A read job is run by the receiver of the reply. */
export type Outcome = FilledOutcome | PendingOutcome;

/** A read job instead of a result, and the seconds that the call has taken before it. */
export interface PendingOutcome {
  readonly read: ReadJob;
  readonly seconds: number;
}

/**
 * A reply. With status UNFILLED its holes must be filled (reads/unfilled.ts); with any other status it is complete. The
 * body is empty for status 204 and ends with a line feed otherwise. Text is sent as UTF-8; large
 * bodies are bytes.
 */
export interface Reply {
  readonly status: number;
  readonly body: ReplyBody;
}

/** Placeholder reply for a client that has disconnected. */
export const DISCONNECTED_REPLY: Reply = { status: 500, body: '' };

const errorText = (error: RpcError) => `{"code":${error.code},"message":${encodeString(error.message)}}`;

/** Encodes the envelope of an entry, without the line feed that ends a body. */
export function encodeEnvelope(entry: EntryFacts, outcome: FilledOutcome): string {
  const result = 'error' in outcome ? '' : typeof outcome.result === 'string' ? outcome.result : Buffer.concat(outcome.result).toString();
  const id = (entry.version === 2 && !entry.hasId) || entry.idText === '' ? '' : `,"id":${entry.idText}`;
  if (entry.version === 2) {
    return 'error' in outcome ? `{"jsonrpc":"2.0","error":${errorText(outcome.error)}${id}}` : `{"jsonrpc":"2.0","result":${result}${id}}`;
  }
  return 'error' in outcome ? `{"result":null,"error":${errorText(outcome.error)}${id}}` : `{"result":${result},"error":null${id}}`;
}

/** Placeholder of the result while the envelope is split. No id can contain it unescaped. */
const HOLE = '\u0000';

/** Returns the text before and after the result in the reply to a single request. */
export function envelopeAround(entry: EntryFacts): readonly [prefix: string, suffix: string] {
  const [prefix = '', suffix = ''] = `${encodeEnvelope(entry, { result: HOLE })}\n`.split(HOLE);
  return [prefix, suffix];
}

/** Returns whether an entry is a notification: a JSON-RPC 2.0 request without id, which runs but gets no reply. */
export function isNotification(entry: RequestEntry): boolean {
  return entry.version === 2 && !entry.hasId;
}

/** Returns Core's HTTP status for an error outside batches. */
export function errorStatus(error: RpcError): number {
  if (error.code === RPC_CODE.INVALID_REQUEST) return 400;
  return error.code === RPC_CODE.METHOD_NOT_FOUND ? 404 : 500;
}

/** Returns a reply without an entry, for bodies that are not JSON and for errors found before the entries. */
export function faultReply(error: RpcError): Reply {
  const text = encodeEnvelope({ idText: 'null', hasId: false, version: 1 }, { error });
  return { status: errorStatus(error), body: `${text}\n` };
}

const EMPTY = new Uint8Array(0);

/**
 * Concatenates chunks into one array of its own, which can be transferred to another thread.
 * @param chunks emptied, so that each can be freed once it is copied
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

export function singleReply(entry: RequestEntry, outcome: Outcome): Reply {
  // A malformed 2.0 request is answered even without an id: it is not a notification.
  if (isNotification(entry) && !entry.error) return { status: 204, body: '' };
  if ('read' in outcome) return { status: UNFILLED, body: encodeHole(entry, outcome.read, outcome.seconds) };
  if (!('error' in outcome) && typeof outcome.result !== 'string') {
    const [prefix, suffix] = envelopeAround(entry);
    const { 0: first, length } = outcome.result;
    if (length === 1 && first.buffer instanceof SharedArrayBuffer) {
      return { status: 200, body: { before: prefix, shared: first, after: suffix } };
    }
    return { status: 200, body: joined(Buffer.from(prefix), [...outcome.result, Buffer.from(suffix)]) };
  }
  if ('error' in outcome) return errorReply(entry, outcome.error, entry.version === 2 && !entry.error);
  return { status: 200, body: `${encodeEnvelope(entry, outcome)}\n` };
}

/** Returns the reply to a single request that failed. @param ok whether the HTTP status is 200, as for a well-formed 2.0 request */
export function errorReply(entry: EntryFacts, error: RpcError, ok: boolean): Reply {
  return { status: ok ? 200 : errorStatus(error), body: `${encodeEnvelope(entry, { error })}\n` };
}
