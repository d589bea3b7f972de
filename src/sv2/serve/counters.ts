// Counters of the serving thread, in shared memory.
import { SharedCounters } from '../../lib/shared-counters.js';
import { FIRST_BYTE_NAMES } from '../../mining/serve/index.js';

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
  ...CLOSE_REASONS.map((reason) => `closed ${reason}` as const),
  ...FIRST_BYTE_NAMES,
] as const;

export type ServeCounterName = (typeof NAMES)[number];

export type ServeFigures = Record<ServeCounterName, number>;

export class ServeCounters extends SharedCounters<ServeCounterName> {
  /** @param buffer of the other end's view; a new buffer if omitted */
  constructor(buffer?: SharedArrayBuffer) {
    super(NAMES, buffer);
  }
}
