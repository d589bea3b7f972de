// Calls that a session makes to the thread that serves it.
import type { StratumJob } from '../work/job.js';

/** Reason for which a session ends its connection. */
export type CloseReason =
  /** Bytes that are not Stratum V1: no JSON, a line of more than 8 KiB, a TLS hello, an HTTP request. */
  | 'garbage'
  /** The miner did not both subscribe and authorize within 30 seconds. */
  | 'handshake-timeout';

/**
 * Results of shares; all but `accepted` are answered with an error. The order is that of database rows and of the
 * stream of shares.
 */
export const SHARE_RESULTS = ['accepted', 'stale', 'duplicate', 'low-difficulty', 'unauthorized', 'unknown-job', 'invalid'] as const;

export type ShareResult = (typeof SHARE_RESULTS)[number];

/** One share, for statistics and for streams. */
export interface ShareRecord {
  /** Normalised address, or the whole user name if one address is paid for all miners (-stratumaddress). */
  readonly address: string;
  readonly worker: string;
  readonly result: ShareResult;
  /** Difficulty that the share had to meet, and with which statistics count it; 0 if the job is unknown. */
  readonly difficulty: number;
  /** Difficulty of the share's own hash; 0 if it was not computed. */
  readonly shareDifficulty: number;
  /** Height of the block that the share's job builds; 0 if the job is unknown. */
  readonly height: number;
  readonly timeMs: number;
  /** True if the share is a block. */
  readonly block: boolean;
}

/** A header that meets the network's target. */
export interface FoundBlock {
  /** Job of the share. `job.template` is the object that was passed to the job board. */
  readonly job: StratumJob;
  readonly hash: Uint8Array;
  /** Block header, 80 bytes. */
  readonly header: Uint8Array;
  /** Serialised, with the witness that segwit needs. */
  readonly coinbase: Uint8Array;
  readonly address: string;
  readonly worker: string;
  /** True if the job builds on the tip before the current one. */
  readonly late: boolean;
}

/** A user name for which a session may submit shares. */
export interface AuthorizedWorker {
  readonly address: string;
  readonly worker: string;
  /** User agent of mining.subscribe; empty if the miner gave none. */
  readonly agent: string;
}

export interface SessionSink {
  /** Sends a line to the socket. @param line Latin-1 */
  reply(line: string): void;
  /** Sends bytes to the socket, after all earlier lines. Other sessions may share the bytes: do not change them. */
  send(bytes: Uint8Array): void;
  close(reason: CloseReason, detail: string): void;
  /** Submits a found block. Called before anything else is done with the share. */
  submitBlock(block: FoundBlock): void;
  share(record: ShareRecord): void;
  /** Called once for each user name, after the session has also subscribed. */
  authorized(worker: AuthorizedWorker): void;
  log(level: 'info' | 'debug', text: string): void;
}
