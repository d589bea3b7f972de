// A pool of signing threads whose jobs a test answers on its own thread.
import type { SignJob } from '../../src/jobs/sign.js';
import type { WorkPool } from '../../src/parallel/pool.js';

/** Makes a pool that always accepts work. @param run answers a job @param size number of threads that the pool reports */
export function signingPool(size: number, run: (job: SignJob, name: string) => unknown): Pick<WorkPool, 'size' | 'canAcceptWork' | 'run'> {
  return {
    size,
    canAcceptWork: () => true,
    run: async <T>(_class: string, name: string, message: unknown): Promise<T> => (await run(message as SignJob, name)) as T,
  };
}
