// Waits until the threads of a pool have loaded their entry module. A thread that is ended while a native library loads takes the whole
// process with it (koffi turns the refused call into a fatal error), so no pool is destroyed before. Callers: WorkPool, PooledAssembler.

import type { Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';

/** A thread that takes longer is stuck; ending it then is the smaller evil. */
const LIMIT_MS = 15_000;

/**
 * Call it right after the pool was made, while its threads have not said anything yet: the first message of a Piscina thread says
 * that its module is loaded.
 * @returns resolves once every thread has loaded or died
 */
export function watchLoading(pool: Piscina): () => Promise<void> {
  const loading = pool.threads.map((thread: Worker) => {
    return new Promise<void>((resolve) => {
      thread.once('message', () => resolve());
      thread.once('exit', () => resolve());
    });
  });
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    // The timer also keeps the process alive: idle threads don't.
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LIMIT_MS);
    });
    await Promise.race([Promise.all(loading), limit]);
    clearTimeout(timer);
  };
}
