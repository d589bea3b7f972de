// Waits until the threads of a pool have loaded their entry module. A thread that is ended while a native library loads
// takes the whole process with it (koffi turns the refused call into a fatal error), so no pool is destroyed before.

import type { Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { noteLoading, withinLimit } from '../lib/loading-threads.js';

/**
 * Call it right after the pool was made, while its threads have not said anything yet: the first message of a Piscina
 * thread says that its module is loaded.
 * @returns resolves once every thread has loaded or died
 */
export function watchLoading(pool: Piscina): () => Promise<void> {
  const loading = pool.threads.map((thread: Worker) => {
    const loaded = new Promise<void>((resolve) => {
      thread.once('message', () => resolve());
      thread.once('exit', () => resolve());
    });
    noteLoading(loaded);
    return loaded;
  });
  return () => withinLimit(Promise.all(loading));
}
