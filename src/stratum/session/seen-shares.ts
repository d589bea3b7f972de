// Remembers the accepted shares of one session to recognise duplicates. When a share is forgotten, its job and all earlier
// jobs are forgotten too, and their shares are refused. Otherwise a miner could be credited twice for one share.
//
// A share is known by 52 bits of its header's hash, which covers job, extranonces, time, nonce and version bits. Two
// different shares of 2,048 coincide with a probability of one in two thousand million; a block is submitted in any case.
import { isNewer } from '../work/job-board.js';

/** Number of remembered shares: four hours at 8 per minute; at 50 per second more than the life of the current job. */
const MOST_SHARES = 2048;

export class SeenShares {
  /** Job numbers by fingerprint, oldest first. Null until there is a share: silent connections hold no memory. */
  #jobs: Map<number, number> | null = null;
  /** Newest job of which a share was forgotten. */
  #forgotten: number | null = null;

  has(hash: Uint8Array): boolean {
    return this.#jobs?.has(fingerprint(hash)) ?? false;
  }

  /** Returns whether duplicates of this job can no longer be recognised. */
  isForgotten(jobNumber: number): boolean {
    return this.#forgotten !== null && !isNewer(jobNumber, this.#forgotten);
  }

  add(hash: Uint8Array, jobNumber: number): void {
    this.#jobs ??= new Map();
    this.#jobs.set(fingerprint(hash), jobNumber);
    if (this.#jobs.size <= MOST_SHARES) return;
    const [key, job] = this.#jobs.entries().next().value as [number, number];
    this.#jobs.delete(key);
    if (this.#forgotten === null || isNewer(job, this.#forgotten)) this.#forgotten = job;
  }

  /** Forgets all shares, because the tip changed. Shares of earlier jobs are stale, duplicate or not. */
  clear(): void {
    this.#jobs = null;
  }
}

/** Returns 52 bits of the hash, from the end that proof of work leaves random. */
function fingerprint(hash: Uint8Array): number {
  const low = ((hash[3] << 24) | (hash[2] << 16) | (hash[1] << 8) | hash[0]) >>> 0;
  const high = ((hash[6] & 0x0f) << 16) | (hash[5] << 8) | hash[4];
  return high * 0x1_0000_0000 + low;
}
