// The nonce search: its message and the loop that runs it. Posted by parallel/grinder.ts, run by workers/verify.ts.

import type { Hashes } from '../crypto/crypto.js';

/** Raised whenever a field of GrindJob or GrindJobResult changes meaning. */
export const GRIND_MESSAGE_VERSION = 1;

/** A slice of the nonce space. */
export interface GrindJob {
  readonly version: typeof GRIND_MESSAGE_VERSION;
  /** 80 bytes; the nonce in it is ignored. */
  readonly header: Uint8Array;
  /** 32 bytes, least significant first. */
  readonly target: Uint8Array;
  readonly startNonce: number;
  /** startNonce + tries must not exceed 2^32. */
  readonly tries: number;
  /** A shared word, non-zero when the search is to end; null when nothing can end it. */
  readonly stop: Int32Array | null;
}

export interface GrindJobResult {
  readonly version: typeof GRIND_MESSAGE_VERSION;
  /** The lowest nonce of the slice that meets the target, -1 when there is none. */
  readonly nonce: number;
  readonly stopped: boolean;
}

/** Hashes between two looks at the stop word. */
const STOP_INTERVAL = 256;
const NONCE_OFFSET = 76;

/** Whether a hash, read as a little-endian number, is at most the target. */
function meetsTarget(hash: Uint8Array, target: Uint8Array): boolean {
  for (let i = 31; i >= 0; i--) {
    if (hash[i] !== target[i]) return hash[i] < target[i];
  }
  return true;
}

/** Tries every nonce of the slice in order. */
export function runGrindJob(job: GrindJob, hashes: Hashes): GrindJobResult {
  if (job.version !== GRIND_MESSAGE_VERSION) throw new Error(`Grind message version ${job.version} is not ${GRIND_MESSAGE_VERSION}`);
  const header = new Uint8Array(job.header);
  const view = new DataView(header.buffer);
  for (let i = 0; i < job.tries; i++) {
    if (i % STOP_INTERVAL === 0 && job.stop !== null && Atomics.load(job.stop, 0) !== 0) {
      return { version: GRIND_MESSAGE_VERSION, nonce: -1, stopped: true };
    }
    const nonce = job.startNonce + i;
    view.setUint32(NONCE_OFFSET, nonce, true);
    if (meetsTarget(hashes.sha256d(header), job.target)) return { version: GRIND_MESSAGE_VERSION, nonce, stopped: false };
  }
  return { version: GRIND_MESSAGE_VERSION, nonce: -1, stopped: false };
}
