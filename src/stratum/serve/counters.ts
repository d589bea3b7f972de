// Counters and gauges of the thread that serves Stratum V1 miners.
import { SharedCounters } from '../../lib/shared-counters.js';
import { FIRST_BYTE_NAMES } from '../../mining/serve/index.js';
import { SHARE_RESULTS } from '../session/sink.js';

/** Reasons for which connections are closed or refused. */
export const CLOSE_REASONS = ['garbage', 'handshake-timeout', 'no-work', 'unsent', 'stuck', 'limit', 'fault'] as const;

export type StratumCloseReason = (typeof CLOSE_REASONS)[number];

const NAMES = [
  'connectionsOpen',
  'minersOpen',
  'connectionsAccepted',
  'jobs',
  'jobsSkipped',
  'blocksFound',
  'blocksLate',
  'bytesReceived',
  'bytesSent',
  'unsentBytes',
  'pauses',
  /** Workers with statistics, and their rows that wait to be written. */
  'workers',
  'rowsWaiting',
  /** Records of shares for programs outside, and shares without a record because too many waited. */
  'streamRecords',
  'streamLost',
  /** Time of the last accepted share, milliseconds since 1970, and the difficulty of the best one. */
  'lastShareMs',
  'bestShare',
  /** Sum of the difficulties of accepted shares. */
  'workAccepted',
  ...FIRST_BYTE_NAMES,
  ...CLOSE_REASONS.map((reason) => `closed ${reason}` as const),
  ...SHARE_RESULTS.map((result) => `shares ${result}` as const),
] as const;

export type StratumFigures = Record<(typeof NAMES)[number], number>;

export class StratumCounters extends SharedCounters<(typeof NAMES)[number]> {
  /** @param buffer of the other end's view; a new one without */
  constructor(buffer?: SharedArrayBuffer) {
    super(NAMES, buffer);
  }
}
