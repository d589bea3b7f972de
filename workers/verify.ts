// Entry of the threads of the verify pool. Creates this thread's Crypto record and passes jobs to their run functions.

import { performance } from 'node:perf_hooks';
import { workerData } from 'node:worker_threads';
import { createNativeCrypto, type NativeCryptoOptions } from '../src/crypto/native/index.js';
import { createSigner } from '../src/crypto/native/sign.js';
import { type GrindJob, type GrindJobResult, runGrindJob } from '../src/jobs/grind.js';
import { type HashJob, type HashJobResult, runHashJob } from '../src/jobs/hash-txs.js';
import { type MatchJob, runMatchJob } from '../src/jobs/match-filters.js';
import { createScanRunner } from '../src/jobs/scan-blocks.js';
import { createSignRunner } from '../src/jobs/sign.js';
import { createVerifyRunner } from '../src/jobs/verify.js';
import { hurry } from '../src/lib/thread-priority.js';

// A lower priority than the node thread, the fronts, and the peers' thread: with few busy cores, a thread that wakes
// for a moment gets a core at once, and long jobs continue after it.
hurry(-2);

const options = workerData as NativeCryptoOptions;
const crypto = createNativeCrypto(options);

/** Functions that Piscina calls by name. */
export const {
  run: verify,
  runShare: verifyShare,
  runEach: verifyEach,
} = createVerifyRunner(crypto, () => performance.timeOrigin + performance.now());
export const matchFilters = (job: MatchJob): Uint8Array => runMatchJob(job, () => performance.now());
export const scanBlocks = createScanRunner(crypto, () => performance.now());
export const hashTxs = (job: HashJob): HashJobResult => runHashJob(job, crypto);
export const sign = createSignRunner(crypto, () => createSigner(options));

export const grind = (job: GrindJob): GrindJobResult => runGrindJob(job, crypto);

/** Called once at the start: shows that the thread runs, and with which libraries. */
export const describe = (): typeof crypto.backend => crypto.backend;
