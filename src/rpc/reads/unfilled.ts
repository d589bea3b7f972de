// Unfilled replies: the node thread's reply to a front whose results contain pending reads. The front runs the jobs and
// fills the results in. The body is text in pieces, separated by U+0000, which JSON never contains:
//
//   text | entry | job | text | entry | job | ... | text
//
// A reply to a single request has one job and no text around it.
import type { RequestEntry } from '../wire/request.js';
import { encodeReadJob, type ReadJob } from './read-job.js';

/** Status of an unfilled reply; no HTTP status. */
export const UNFILLED = 1;

const SEPARATOR = '\u0000';

/** Facts about a request that its envelope needs. */
export type EntryFacts = Pick<RequestEntry, 'idText' | 'hasId' | 'version'>;

/** A job, and the request that it answers. */
export interface Hole {
  readonly entry: EntryFacts;
  /** Name of the method for metrics. */
  readonly method: string;
  /** Seconds that the call has taken so far, on the node thread. */
  readonly seconds: number;
  /** The job as JSON. */
  readonly job: string;
}

/** Encodes a hole and its separators. @param seconds that the call has taken so far */
export function encodeHole({ idText, hasId, version, method }: EntryFacts & { method: string }, job: ReadJob, seconds: number): string {
  return SEPARATOR + JSON.stringify([idText, hasId, version, method, seconds]) + SEPARATOR + encodeReadJob(job) + SEPARATOR;
}

/** Decodes the body of an unfilled reply: texts and holes in order, without empty texts. */
export function decodeUnfilled(body: Uint8Array | string): (string | Hole)[] {
  const pieces = (typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.length).toString()).split(SEPARATOR);
  const out: (string | Hole)[] = [];
  for (let i = 0; i < pieces.length; i += 3) {
    if (pieces[i] !== '') out.push(pieces[i]);
    if (i + 2 >= pieces.length) break;
    const [idText, hasId, version, method, seconds] = JSON.parse(pieces[i + 1]) as [string, boolean, 1 | 2, string, number];
    out.push({ entry: { idText, hasId, version }, method, seconds, job: pieces[i + 2] });
  }
  return out;
}
