// Thread entry of bare-checks.ts: checks prepared signatures and does nothing else.

import { workerData } from 'node:worker_threads';
import { createNativeCrypto, type NativeCryptoOptions } from '../../src/crypto/native/index.js';
import { CURVE_ROW, type CurveJob } from './curve-job.js';

const crypto = createNativeCrypto(workerData as NativeCryptoOptions);

/** @returns the number of checks that passed */
export function check(job: CurveJob): number {
  const bytes = new Uint8Array(job.rows);
  let passed = 0;
  for (let i = job.first; i < job.first + job.count; i++) {
    const at = i * CURVE_ROW;
    const signature = bytes.subarray(at, at + 64);
    const message = bytes.subarray(at + 64, at + 96);
    const good = job.schnorr
      ? crypto.schnorrVerify(signature, bytes.subarray(at + 96, at + 128), message)
      : crypto.ecdsaVerify(signature, bytes.subarray(at + 96, at + 129), message);
    if (good) passed++;
  }
  return passed;
}

export function describe(): string {
  return crypto.backend.ecdsa;
}
