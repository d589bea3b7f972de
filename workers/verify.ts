// Thread entry of the verification pool. Fills this thread's Crypto record and hands the jobs to their run functions.

import { performance } from 'node:perf_hooks';
import { workerData } from 'node:worker_threads';
import { createNativeCrypto, type NativeCryptoOptions } from '../src/crypto/native/index.js';
import { type GrindJob, type GrindJobResult, runGrindJob } from '../src/jobs/grind.js';
import { createScanRunner, type ScanJob, type ScanResult } from '../src/jobs/scan-blocks.js';
import { createVerifyRunner, type VerifyEachJob, type VerifyEachResult, type VerifyJob, type VerifyJobResult } from '../src/jobs/verify.js';
import { yieldToOthers } from '../src/lib/thread-priority.js';

yieldToOthers();
const crypto = createNativeCrypto(workerData as NativeCryptoOptions);
const runner = createVerifyRunner(crypto, () => performance.timeOrigin + performance.now());
const scan = createScanRunner(crypto, () => performance.now());

/** Piscina calls these by name. */
export function verify(job: VerifyJob): VerifyJobResult {
  return runner.run(job);
}

export function verifyEach(job: VerifyEachJob): VerifyEachResult {
  return runner.runEach(job);
}

export function grind(job: GrindJob): GrindJobResult {
  return runGrindJob(job, crypto);
}

export function scanBlocks(job: ScanJob): ScanResult {
  return scan(job);
}

/** Answered once at the start: the thread came up, and with which libraries. */
export function describe(): typeof crypto.backend {
  return crypto.backend;
}
