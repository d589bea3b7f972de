// Counters of the serving thread, in shared memory.
import { SharedCounters } from '../../lib/shared-counters.js';

/** Upper bounds, in seconds, of the time from a block's acceptance to the first byte of its SetNewPrevHash to a client. */
export const FIRST_BYTE_BUCKETS = [0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.3, 1] as const;

/** Reasons for which connections were closed or refused. */
export const CLOSE_REASONS = [
  'handshake',
  'decryption',
  'oversized',
  'malformed',
  'out-of-order',
  'refused',
  'constraints',
  'unread',
  'limit',
] as const;

const NAMES = [
  'connectionsOpen',
  'clientsOpen',
  'connectionsAccepted',
  'handshakes',
  'messagesIgnored',
  'templatesEmpty',
  'templatesFull',
  'templatesStaged',
  'activated',
  'prevHashes',
  'dataReplies',
  'dataErrors',
  'solutionsRead',
  'solutionsUnknown',
  'solutionsBad',
  'solutionsLate',
  'bytesReceived',
  'bytesSent',
  'unreadBytes',
  'firstByteSum',
  'firstByteCount',
  ...CLOSE_REASONS.map((reason) => `closed ${reason}` as const),
  ...FIRST_BYTE_BUCKETS.map((bound) => `firstByte ${bound}` as const),
] as const;

export type ServeCounterName = (typeof NAMES)[number];

/** Values by name. `firstByte BOUND` counts times up to that bound and above the previous one. */
export type ServeFigures = Record<ServeCounterName, number>;

export class ServeCounters extends SharedCounters<ServeCounterName> {
  /** @param buffer of the other end's view; a new buffer if omitted */
  constructor(buffer?: SharedArrayBuffer) {
    super(NAMES, buffer);
  }

  /** Counts the time from a block's acceptance to the first byte for a client. */
  firstByte(seconds: number): void {
    const bound = FIRST_BYTE_BUCKETS.find((limit) => seconds <= limit);
    if (bound !== undefined) this.add(`firstByte ${bound}`);
    this.add('firstByteSum', seconds);
    this.add('firstByteCount');
  }
}
