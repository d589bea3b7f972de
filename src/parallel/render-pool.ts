// Threads that read block files and render replies. They are apart from the pool that verifies scripts and have a lower
// priority in the system: a rendering takes up to a tenth of a second and cannot be interrupted, so a script job behind
// it would wait. Entry module: workers/render.ts.
import { Semaphore } from '../lib/semaphore.js';
import { WORKER_ENTRY } from '../lib/worker-entries.js';
import { WorkerThreads } from './worker-threads.js';

export interface RenderPoolOptions {
  readonly threads: number;
  /** Entry module. Default: workers/render.ts. */
  readonly filename?: string;
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

  constructor({ threads, filename = WORKER_ENTRY.render.href, workerData, warn }: RenderPoolOptions) {
    this.threads = threads;
    this.#threads = new WorkerThreads({
      filename,
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
   * @throws if its thread ended twice, or the pool is closed
   */
  run(job: string, signal?: AbortSignal): Promise<Result | null> {
    return this.#permits.run(async () => {
      if (signal?.aborted) return null;
      return (await this.#runOnThread(job, 'render')) as Result;
    });
  }

  /**
   * Runs an exported function of the entry module.
   * @param transfer moved with the message, so that the job cannot run a second time
   * @throws if its thread ended, or the pool is closed
   */
  runNamed<T>(name: string, message: unknown, transfer: readonly ArrayBuffer[] = []): Promise<T> {
    return this.#permits.run(async () => (await this.#runOnThread(message, name, transfer)) as T);
  }

  /**
   * Runs a job a second time if the first attempt fails: its thread may have ended because of another job. A job that
   * exhausts the memory of its thread would do so again.
   */
  async #runOnThread(message: unknown, name: string, transfer: readonly ArrayBuffer[] = []): Promise<unknown> {
    const closed = new Error('The render threads are closed');
    if (this.#closed) throw closed;
    try {
      return await this.#threads.run(message, name, transfer);
    } catch (error) {
      if (this.#closed) throw closed;
      if (transfer.length > 0 || (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      return this.#threads.run(message, name);
    }
  }

  /** Ends the threads. Running jobs are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#threads.close();
  }
}
