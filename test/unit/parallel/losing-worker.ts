// A pool entry whose threads die, stall or answer for another job, for lost-answers.test.ts. The variable
// ADIT_TEST_MISHAP, which a thread gets from the process that starts it, says how, as the query of an address:
//   how     beforeWork, afterWork, afterFailure: the thread ends; wrongAnswer: it gives the answer to another range;
//           skipsWork: it says that all passed without a look; stalls: it holds its answer for a while
//   from    the job with this check, or any that fails (afterFailure, wrongAnswer)
//   times   so often, counted over all threads by files in
//   dir     a folder

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { createShareRunner, createVerifyRunner, type VerifyJob, type VerifyJobResult } from '../../../src/jobs/verify.js';

const { run, runEach } = createVerifyRunner(createNativeCrypto(workerData as object), () => performance.now());
const query = new URLSearchParams(process.env.ADIT_TEST_MISHAP);
const [how, dir] = [query.get('how'), query.get('dir') ?? ''];
const [from, times] = [Number(query.get('from')), Number(query.get('times'))];
let earlier: VerifyJobResult | null = null;

/** Returns true if the next failure is due. */
function strikes(): boolean {
  for (let i = 0; i < times; i++) {
    try {
      writeFileSync(join(dir, `mishap-${i}`), '', { flag: 'wx' });
      return true;
    } catch {
      // This failure has already happened.
    }
  }
  return false;
}

export function describe(): string {
  return 'losing worker';
}

export function verify(job: VerifyJob): VerifyJobResult {
  const mine = job.first <= from && from < job.end;
  if (how === 'beforeWork' && mine && strikes()) process.exit(1);
  if (how === 'skipsWork' && mine && strikes()) return { ...run({ ...job, end: job.first }), end: job.end };
  const result = run(job);
  if (how === 'afterWork' && mine && strikes()) process.exit(1);
  if (how === 'afterFailure' && result.failedCheck >= 0 && strikes()) process.exit(1);
  if (how === 'stalls' && mine && strikes()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  const before = earlier ?? run({ ...job, first: 0, end: 10, all: true });
  earlier = result;
  if (how === 'wrongAnswer' && result.failedCheck >= 0 && strikes()) return before;
  return result;
}

/** A share fails when it processes the range with the failing check. */
export const verifyShare = createShareRunner(verify, () => performance.now());
export const verifyEach = runEach;
