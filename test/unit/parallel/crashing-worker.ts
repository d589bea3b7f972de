// A pool entry for pool.test.ts whose thread ends or throws on request.

/** Parameters of a job. `lives` is a word in shared memory that counts down the remaining ends of threads. */
interface CrashJob {
  readonly lives: Int32Array;
  readonly how: 'exit' | 'throw' | 'memory' | 'none';
  readonly answer: string;
}

export function verify(job: CrashJob): string | Promise<never> {
  if (Atomics.sub(job.lives, 0, 1) > 0) {
    if (job.how === 'exit') process.exit(1);
    if (job.how === 'memory') return exhaustMemory();
    if (job.how === 'throw') throw new Error('thrown by the job');
  }
  return job.answer;
}

/** Ends the thread with the error of Node.js for a full heap. */
function exhaustMemory(): Promise<never> {
  setImmediate(() => {
    throw Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
  });
  return new Promise(() => {});
}

export function describe(): string {
  return 'crashing worker';
}
