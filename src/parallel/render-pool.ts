// Threads that read block files and render replies. They are apart from the pool that verifies scripts and have a lower
// priority in the system: a rendering takes up to a tenth of a second and cannot be interrupted, so a script job behind
// it would wait. Entry module: workers/render.ts.
import { Semaphore } from '../lib/semaphore.js';
import { WORKER_ENTRY } from '../lib/worker-entries.js';
import { WorkerThreads } from './worker-threads.js';

export interface RenderPoolOptions {
  readonly threads: number;
  /** Data that each thread is started with. */
  readonly workerData: unknown;
  /** Receives warnings about threads. */
  readonly warn: (what: string) => void;
}

/** A message whose job counts its progress in the second of some shared words. */
const hasWords = (message: unknown): message is { readonly words: Int32Array } =>
  typeof message === 'object' && message !== null && 'words' in message;

/** Renders on threads, which start with the first job. */
export class RenderPool<Result> {
  readonly #threads: WorkerThreads;
  readonly #permits: Semaphore;
  /** Number of jobs that run at once. */
  readonly threads: number;
  #closed = false;

  constructor({ threads, workerData, warn }: RenderPoolOptions) {
    this.threads = threads;
    this.#threads = new WorkerThreads({
      filename: WORKER_ENTRY.render.href,
      threads,
      minThreads: 1,
      jobsPerThread: 1,
      workerData,
      progress: (message) => (hasWords(message) ? Atomics.load(message.words, 1) : 0),
      warn,
    });
    this.#permits = new Semaphore(threads);
  }

  /**
   * Runs a job.
   * @param signal drops a job that has not started
   * @returns null if the job was dropped
   * @throws if its thread ended, or the pool is closed
   */
  run(job: string, signal?: AbortSignal): Promise<Result | null> {
    return this.#permits.run(async () => {
      if (signal?.aborted) return null;
      if (this.#closed) throw new Error('The render threads are closed');
      return (await this.#threads.run(job, 'render')) as Result;
    });
  }

  /** Runs an exported function of the entry module. @param transfer moved with the message @throws if its thread ended, or the pool is closed */
  runNamed<T>(name: string, message: unknown, transfer: readonly ArrayBuffer[] = []): Promise<T> {
    return this.#permits.run(async () => {
      if (this.#closed) throw new Error('The render threads are closed');
      return (await this.#threads.run(message, name, transfer)) as T;
    });
  }

  /** Ends the threads. Running jobs are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#threads.close();
  }
}
