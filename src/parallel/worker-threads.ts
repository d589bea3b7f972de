// Threads of one entry module, started with the first job. Adds what Piscina leaves to its user: a job whose thread ends
// or stalls is rejected, and the next job finds threads again. See
// docs/decisions/0043-worker-thread-supervision.md.

import { createRequire } from 'node:module';
import type { Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { noteLoading, withinLimit } from '../lib/loading-threads.js';
import { CHECKS_UNTIL_STUCK, type Every, timerEvery } from '../lib/watchdog.js';

/** Loads Piscina with the first job, because its modules take 10 ms. */
const loadPiscina = (): typeof Piscina => (createRequire(import.meta.url)('piscina') as typeof import('piscina')).Piscina;

export interface WorkerThreadsOptions {
  readonly filename: string;
  readonly threads: number;
  /** Number of threads that start with the first job; the others start when jobs wait. Default: all. */
  readonly minThreads?: number;
  /** Maximum number of jobs of a thread: one runs, the others wait in the thread's port. */
  readonly jobsPerThread: number;
  readonly workerData?: unknown;
  /** Runs the check for unanswered jobs at intervals; a timer unless a test passes its own. */
  readonly every?: Every;
  /** Returns a number that changes while a job makes progress, from the job's message; absent for jobs without progress. */
  readonly progress?: (message: unknown) => number;
  /** Receives warnings about threads. Failed jobs are reported to their callers instead. */
  readonly warn?: (what: string) => void;
}

interface UnderWay {
  readonly piscina: Piscina;
  readonly message: unknown;
  checks: number;
  /** Progress of the job at the last check. */
  reached: number;
}

export class WorkerThreads {
  readonly #options: WorkerThreadsOptions;
  #piscina: Piscina | null = null;
  readonly #underWay = new Set<UnderWay>();
  /** Threads that load or have loaded their module. A promise resolves when its thread has loaded or ended. */
  readonly #loaded = new WeakMap<Worker, Promise<void>>();
  #stopChecking = (): void => {};

  constructor(options: WorkerThreadsOptions) {
    this.#options = options;
  }

  /** Runs an exported function of the entry module. */
  async run(message: unknown, name: string, transferList: readonly ArrayBuffer[] = []): Promise<unknown> {
    this.#piscina ??= this.#start();
    const job: UnderWay = { piscina: this.#piscina, message, checks: 0, reached: 0 };
    this.#underWay.add(job);
    try {
      return await job.piscina.run(message, { name, transferList: [...transferList] });
    } finally {
      this.#underWay.delete(job);
    }
  }

  /** Ends the threads. Running jobs are rejected. */
  async close(): Promise<void> {
    if (this.#piscina !== null) await this.#endThreads(this.#piscina);
  }

  #start(): Piscina {
    const { filename, threads, minThreads = threads, jobsPerThread, workerData, every = timerEvery, warn } = this.#options;
    const piscina = new (loadPiscina())({
      filename,
      minThreads,
      idleTimeout: Number.POSITIVE_INFINITY,
      maxThreads: threads,
      concurrentTasksPerWorker: jobsPerThread,
      recordTiming: false,
      workerData,
    });
    // A thread that dies between jobs is reported here, and Piscina starts another. Without a listener the process would end.
    piscina.on('error', (error: unknown) => warn?.(`A worker thread failed between two jobs: ${describeError(error)}`));
    // The replacement exists at the end of the tick.
    piscina.on('workerDestroy', () => queueMicrotask(() => this.#watchThreads(piscina)));
    piscina.on('workerCreate', () => queueMicrotask(() => this.#watchThreads(piscina)));
    this.#watchThreads(piscina);
    this.#stopChecking = every(() => this.#checkJobs());
    return piscina;
  }

  /** Piscina does not replace threads that end while they load, so a job could wait for ever. The pool is ended instead. */
  #watchThreads(piscina: Piscina): void {
    for (const thread of piscina.threads) this.#whenLoaded(thread);
    if (piscina.threads.length === 0 && piscina === this.#piscina) void this.#endThreads(piscina);
  }

  /** Returns a promise for a thread's loading. The first message of a Piscina thread says that its module is loaded. */
  #whenLoaded(thread: Worker): Promise<void> {
    let loaded = this.#loaded.get(thread);
    if (loaded === undefined) {
      loaded = new Promise<void>((resolve) => {
        thread.once('message', () => resolve());
        thread.once('exit', () => resolve());
      });
      this.#loaded.set(thread, loaded);
      noteLoading(loaded);
    }
    return loaded;
  }

  #checkJobs(): void {
    // A job that waits in a thread's port makes no more progress than one that is stuck, so progress of any job counts
    // for all. Short jobs, which come and go between checks, prove nothing.
    let getsOn = false;
    for (const job of this.#underWay) {
      const reached = this.#options.progress?.(job.message) ?? 0;
      getsOn ||= job.checks > 0 && reached !== job.reached;
      job.reached = reached;
    }
    for (const job of this.#underWay) {
      if (job.piscina !== this.#piscina) continue;
      if (getsOn) job.checks = 0;
      if (++job.checks < CHECKS_UNTIL_STUCK) continue;
      this.#options.warn?.('A worker thread does not respond. The threads are replaced');
      // Piscina does not tell which thread has the job.
      void this.#endThreads(job.piscina);
    }
  }

  /**
   * Ends the threads, but none while it loads: ending a thread that loads a native library ends the whole process
   * (koffi turns the refused call into a fatal error).
   */
  async #endThreads(piscina: Piscina): Promise<void> {
    if (this.#piscina === piscina) {
      this.#piscina = null;
      this.#stopChecking();
    }
    let known: readonly Worker[];
    do {
      known = piscina.threads;
      await withinLimit(Promise.all(known.map((thread) => this.#whenLoaded(thread))));
    } while (piscina.threads.some((thread) => !known.includes(thread)));
    await piscina.destroy().catch((error: unknown) => this.#options.warn?.(`Worker threads did not end cleanly: ${describeError(error)}`));
  }
}

export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
