// Nonce search: its message, and the loop that runs on a worker thread (workers/verify.ts).

import type { Hashes } from '../crypto/crypto.js';

/** Incremented whenever a field of GrindJob or GrindJobResult changes its meaning. */
export const GRIND_MESSAGE_VERSION = 1;

/** A range of nonces to try. */
export interface GrindJob {
  readonly version: typeof GRIND_MESSAGE_VERSION;
  /** 80 bytes. The nonce in it is ignored. */
  readonly header: Uint8Array;
  /** 32 bytes, least significant first. */
  readonly target: Uint8Array;
  readonly startNonce: number;
  /** startNonce + tries must not exceed 2^32. */
  readonly tries: number;
  /** A shared word; a value other than 0 ends the search. Null if nothing can end it. */
  readonly stop: Int32Array | null;
}

export interface GrindJobResult {
  readonly version: typeof GRIND_MESSAGE_VERSION;
  /** The lowest nonce of the range that meets the target; -1 if there is none. */
  readonly nonce: number;
  readonly stopped: boolean;
}

/** Hashes between two checks of the stop word. */
const STOP_INTERVAL = 256;
const NONCE_OFFSET = 76;

/** Returns true if a hash, read as a little-endian number, is at most the target. */
function meetsTarget(hash: Uint8Array, target: Uint8Array): boolean {
  for (let i = 31; i >= 0; i--) {
    if (hash[i] !== target[i]) return hash[i] < target[i];
  }
  return true;
}

/** Tries every nonce of the range in order. */
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
