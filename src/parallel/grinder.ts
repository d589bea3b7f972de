// Searches for a nonce on worker threads, for the generate calls on regtest.

import type { GrindJob, GrindJobResult } from '../jobs/grind.js';
import { GRIND_MESSAGE_VERSION } from '../jobs/grind.js';
import type { WorkPool } from './pool.js';
import type { StopFlag } from './stop-flag.js';

/** Two milliseconds of hashing, eight with node:crypto. A stop, or a job of a higher class, waits no longer. */
const TRIES_PER_JOB = 5_000;
/** Regtest needs two hashes on average, so a short first range on one thread ends nearly every search. */
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

  constructor(pool: WorkPool) {
    this.#pool = pool;
  }

  /**
   * @param header80 80 bytes; the nonce in it is ignored
   * @param target the hash, as a number, must not exceed it
   */
  async grind(header80: Uint8Array, target: bigint, options: GrindOptions): Promise<GrindResult> {
    const start = options.startNonce ?? 0;
    const end = Math.min(NONCE_SPACE, start + options.maxTries);
    const targetBytes = littleEndian256(target);
    const header = new Uint8Array(header80);
    let next = start;
    while (next < end && options.stop?.raised !== true) {
      const slices: Promise<GrindJobResult>[] = [];
      // One range per thread and round. The first hit in order is the lowest nonce.
      const first = next === start;
      for (let i = 0; i < (first ? 1 : this.#pool.size) && next < end; i++) {
        const tries = Math.min(first ? FIRST_TRIES : TRIES_PER_JOB, end - next);
        const job: GrindJob = {
          version: GRIND_MESSAGE_VERSION,
          header,
          target: targetBytes,
          startNonce: next,
          tries,
          stop: options.stop?.word ?? null,
        };
        slices.push(this.#pool.run('scan', 'grind', job));
        next += tries;
      }
      const results = await Promise.all(slices);
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
