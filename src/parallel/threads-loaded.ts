// Waits until the threads of a pool have loaded their entry module. A thread that is ended while a native library loads takes the whole
// process with it (koffi turns the refused call into a fatal error), so no pool is destroyed before. Callers: WorkPool, PooledAssembler, fronts; aditd
// before it ends.

import type { Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';

/** A thread that takes longer is stuck; ending it then is the smaller evil. */
const LIMIT_MS = 15_000;

// Every thread of the process that is loading, whoever started it: the end of the process is the end of all of them.
const underWay = new Set<Promise<void>>();

/** Takes note of a thread that was just started. @param loaded resolves once it has loaded or died */
export function noteLoading(loaded: Promise<void>): void {
  underWay.add(loaded);
  void loaded.then(() => underWay.delete(loaded));
}

/** Resolves once the process may end: no thread is loading any more, or one is stuck. */
export async function threadsLoaded(): Promise<void> {
  if (underWay.size > 0) await withinLimit(Promise.all(underWay));
}

/**
 * Call it right after the pool was made, while its threads have not said anything yet: the first message of a Piscina thread says
 * that its module is loaded.
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

async function withinLimit(loaded: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  // The timer also keeps the process alive: idle threads don't.
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LIMIT_MS);
  });
  await Promise.race([loaded, limit]);
  clearTimeout(timer);
}
