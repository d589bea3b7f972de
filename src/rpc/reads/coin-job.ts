// Coin jobs: calls that read all coins at the tip (gettxoutsetinfo, scantxoutset). A thread of its own walks over the
// coins and writes the result; the node thread only gives it the coins of one moment. Messages of both sides.
import type { PassedSecrets } from '../../link/messages.js';
import type { JobError } from './job-error.js';

/** Hash types of gettxoutsetinfo. */
export type CoinHashType = 'hash_serialized_2' | 'hash_serialized_3' | 'muhash' | 'none';

export type CoinJob =
  | { readonly kind: 'stats'; readonly hashType: CoinHashType }
  /** The scan objects as JSON, and the secrets that were taken out of them. */
  | { readonly kind: 'scan'; readonly objects: string; readonly secrets: PassedSecrets | null };

/** Shared words of a job: a number other than 0 stops it; its progress in percent. */
export const JOB_WORD = { STOP: 0, PROGRESS: 1 } as const;
export type JobWords = Int32Array<SharedArrayBuffer>;
export const createJobWords = (): JobWords => new Int32Array(new SharedArrayBuffer(8));

/** Result of a job: JSON in parts, or an error; `fault`: the database could not be read. */
export type CoinJobResult = { readonly parts: readonly Uint8Array[] } | JobError | { readonly fault: string };

/** The block of the coins that a job reads. Hash in internal order. */
export interface CoinTip {
  readonly height: number;
  readonly hash: Uint8Array;
}

/** Runs coin jobs. */
export interface CoinJobs {
  /**
   * Runs a job over the coins at the tip.
   * @param pinned called with the hash of the tip (display order) when the job has its coins
   * @returns JSON in parts
   * @throws RpcError; StoreError if the database is damaged
   */
  run(job: CoinJob, words: JobWords, pinned?: (tipHashHex: string) => void): Promise<readonly Uint8Array[]>;
}
