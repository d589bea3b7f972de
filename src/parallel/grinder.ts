// Searches for a nonce on worker threads, for the generate calls on regtest.

import type { Hashes } from '../crypto/crypto.js';
import { GRIND_MESSAGE_VERSION, type GrindJob, type GrindJobResult, runGrindJob } from '../jobs/grind.js';
import type { WorkPool } from './pool.js';
import type { StopFlag } from './stop-flag.js';

/** Two milliseconds of hashing, eight with node:crypto. A stop, or a job of a higher class, waits no longer. */
const TRIES_PER_JOB = 5_000;
/** Regtest needs two hashes on average, so a short first range on the calling thread ends nearly every search. */
const FIRST_TRIES = 64;
/** Nonces are 32 bits. */
const NONCE_SPACE = 0x1_0000_0000;

export interface GrindOptions {
  /** First nonce to try; 0 if omitted. */
  readonly startNonce?: number;
  /** Maximum number of hashes to try. The search also ends after nonce ffffffff. */
  readonly maxTries: number;
  readonly stop?: StopFlag;
}

export interface GrindResult {
  /** The lowest nonce from startNonce on that meets the target; null if none was found. */
  readonly nonce: number | null;
  /** Number of nonces up to and including the found one, as a single thread would count them. */
  readonly tries: number;
}

/** Searches ranges on the pool's threads. The result is the same as of a sequential search. */
export class Grinder {
  readonly #pool: WorkPool;
  readonly #hashes: Hashes;

  constructor(pool: WorkPool, hashes: Hashes) {
    this.#pool = pool;
    this.#hashes = hashes;
  }

  /**
   * @param header80 80 bytes; the nonce in it is ignored
   * @param target the hash, as a number, must not exceed it
   */
  async grind(header80: Uint8Array, target: bigint, options: GrindOptions): Promise<GrindResult> {
    const start = options.startNonce ?? 0;
    const end = Math.min(NONCE_SPACE, start + options.maxTries);
    const jobOf = (startNonce: number, tries: number): GrindJob => ({
      version: GRIND_MESSAGE_VERSION,
      header: new Uint8Array(header80),
      target: littleEndian256(target),
      startNonce,
      tries: Math.min(tries, end - startNonce),
      stop: options.stop?.word ?? null,
    });
    let next = start;
    while (next < end && options.stop?.raised !== true) {
      let results: GrindJobResult[];
      if (next === start) {
        const first = jobOf(next, FIRST_TRIES);
        results = [runGrindJob(first, this.#hashes)];
        next += first.tries;
      } else {
        // One range per thread and round. The first hit in order is the lowest nonce.
        const jobs: GrindJob[] = [];
        for (; jobs.length < this.#pool.size && next < end; next += jobs.at(-1)!.tries) jobs.push(jobOf(next, TRIES_PER_JOB));
        results = await Promise.all(jobs.map((job) => this.#pool.run<GrindJobResult>('scan', 'grind', job)));
      }
      for (const result of results) {
        if (result.nonce >= 0) return { nonce: result.nonce, tries: result.nonce - start + 1 };
      }
      if (results.some((result) => result.stopped)) break;
    }
    return { nonce: null, tries: next - start };
  }
}

/** Returns a number as 32 bytes, least significant first, as hashes compare. */
function littleEndian256(value: bigint): Uint8Array {
  const bytes = new Uint8Array(32);
  let rest = value;
  for (let i = 0; i < 32; i++) {
    bytes[i] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return bytes;
}
