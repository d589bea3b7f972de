// Worker threads with classes of work. Has its own queues above WorkerThreads, for priorities and for a second attempt
// of a job whose thread died. Entry module of the threads: workers/verify.ts.

import { checksRun } from '../jobs/slab.js';
import { VERIFY_MESSAGE_VERSION, type VerifyShareJob } from '../jobs/verify.js';
import type { Every } from '../lib/watchdog.js';
import { WORKER_ENTRY } from '../lib/worker-entries.js';
import { VERIFY_CLASSES, type VerifyClass } from './verifier.js';
import { describeError, WorkerThreads } from './worker-threads.js';

/** One job runs and one waits in the thread's port, so that a thread is not idle while the node thread is busy. */
const JOBS_PER_THREAD = 2;
/** A job whose thread died runs once more, alone, because another job may have been the cause. */
const MAX_ATTEMPTS = 2;

export interface WorkPoolOptions {
  /** Number of threads, all started with the first job. */
  readonly threads: number;
  /** Entry module of the threads; workers/verify.js unless a test passes its own. */
  readonly filename?: string;
  /** Maximum number of waiting jobs per class. Blocks have no limit, because refusing one would stop the chain. */
  readonly maxQueued?: number;
  /** Cryptography that the threads load (crypto/native): by default the system's library if there is one. */
  readonly prefer?: 'system' | 'packages';
  /** Runs the check for unanswered jobs at intervals; a timer unless a test passes its own. */
  readonly every?: Every;
}

export interface WorkPoolDeps {
  /** Receives warnings when threads die. */
  readonly log: { warn(message: string): void };
}

interface Entry {
  readonly klass: VerifyClass;
  readonly name: string;
  /** Called when the job is passed to a thread, and again for a second attempt. */
  readonly makeMessage: () => unknown;
  attempts: number;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

/** The pool is closed, so no job can run. */
export class PoolClosedError extends Error {
  readonly code = 'ADIT_POOL_CLOSED';

  constructor(cause?: unknown) {
    super('The worker pool is closed', { cause });
    this.name = 'PoolClosedError';
  }
}

/** Returns the number of checks that ran in a job's batch; 0 for other kinds of jobs. */
function checksOf(message: unknown): number {
  const { slab, version } = (message ?? {}) as Partial<VerifyShareJob>;
  return version === VERIFY_MESSAGE_VERSION && slab !== undefined ? checksRun(slab) : 0;
}

function zeroPerClass(): Record<VerifyClass, number> {
  return { block: 0, proposal: 0, transaction: 0, scan: 0 };
}

/** A fixed number of threads that take jobs by class, within a class in order of arrival. */
export class WorkPool {
  readonly size: number;
  /** Number of posted and refused jobs since the start, and of jobs that ran again after their thread died. */
  readonly posted = zeroPerClass();
  readonly refused = zeroPerClass();
  retries = 0;
  readonly #threads: WorkerThreads;
  readonly #log: WorkPoolDeps['log'];
  /** Maximum number of waiting jobs per class except blocks. */
  readonly maxQueued: number;
  readonly #queues: Record<VerifyClass, Entry[]> = { block: [], proposal: [], transaction: [], scan: [] };
  /** Jobs whose thread died. Each waits until it can run alone. */
  readonly #suspects: Entry[] = [];
  readonly #inFlight = new Set<Entry>();
  /** Callbacks for the end of a running job, whatever its result; used by close(). */
  readonly #settledHooks = new Map<Entry, () => void>();
  #closed = false;

  constructor(options: WorkPoolOptions, { log }: WorkPoolDeps = { log: { warn() {} } }) {
    const { threads, filename = WORKER_ENTRY.verify.href, prefer = 'system', every } = options;
    this.#log = log;
    this.size = threads;
    this.maxQueued = options.maxQueued ?? 4_096;
    this.#threads = new WorkerThreads({
      filename,
      threads,
      jobsPerThread: JOBS_PER_THREAD,
      workerData: { prefer },
      progress: checksOf,
      warn: (what) => log.warn(what),
      ...(every && { every }),
    });
  }

  /** Number of waiting jobs of all classes. */
  get queued(): number {
    return VERIFY_CLASSES.reduce((sum, klass) => sum + this.#queues[klass].length, this.#suspects.length);
  }

  /** Number of jobs that threads have. */
  get running(): number {
    return this.#inFlight.size;
  }

  canAcceptWork(klass: VerifyClass): boolean {
    if (this.#closed) return false;
    return klass === 'block' || this.#queues[klass].length < this.maxQueued;
  }

  /** Counts a batch that the caller refuses because canAcceptWork() returned false. The caller reports the refusal. */
  countRefusal(klass: VerifyClass): void {
    this.refused[klass]++;
  }

  /** Starts the threads before a job needs them. Resolves with one thread's answer to `describe` of the entry module. */
  start<T>(): Promise<T> {
    return this.run('block', 'describe', null);
  }

  /**
   * Runs an exported function of the entry module on a thread. The caller checks canAcceptWork before the first job of
   * a batch, because half a batch is useless.
   */
  run<T>(klass: VerifyClass, name: string, message: unknown): Promise<T> {
    return this.runLate(klass, name, () => message);
  }

  /** Runs a function with a message that is made when a thread takes the job. Until then the caller may add work to the message. */
  runLate<T>(klass: VerifyClass, name: string, makeMessage: () => unknown): Promise<T> {
    if (this.#closed) return Promise.reject(new PoolClosedError());
    this.posted[klass]++;
    return new Promise<T>((resolve, reject) => {
      this.#queues[klass].push({ klass, name, makeMessage, attempts: 0, resolve: resolve as (result: unknown) => void, reject });
      this.#dispatch();
    });
  }

  /** Rejects waiting jobs, waits for running ones, then ends the threads. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#rejectQueued(new PoolClosedError());
    await Promise.allSettled([...this.#inFlight].map((entry) => new Promise<void>((done) => this.#whenSettled(entry, done))));
    await this.#threads.close();
  }

  #whenSettled(entry: Entry, done: () => void): void {
    this.#settledHooks.set(entry, done);
  }

  #next(): Entry | undefined {
    for (const klass of VERIFY_CLASSES) {
      // Queues are short (a block has about 32 jobs), so shifting an array is fast enough.
      const entry = this.#queues[klass].shift();
      if (entry !== undefined) return entry;
    }
    return undefined;
  }

  #dispatch(): void {
    if (this.#suspects.length > 0 && this.#inFlight.size === 0) this.#start(this.#suspects.shift() as Entry);
    while (this.#suspects.length === 0 && !this.#onTrial() && this.#inFlight.size < this.size * JOBS_PER_THREAD) {
      const entry = this.#next();
      if (entry === undefined) return;
      this.#start(entry);
    }
  }

  /**
   * Returns true while a job runs again. It runs alone in the whole pool: if its thread dies again, the job is the
   * cause, and no other job is lost.
   */
  #onTrial(): boolean {
    for (const entry of this.#inFlight) return entry.attempts > 1;
    return false;
  }

  #start(entry: Entry): void {
    this.#inFlight.add(entry);
    entry.attempts++;
    this.#post(entry).then(
      (result: unknown) => {
        this.#settleJob(entry);
        entry.resolve(result);
        this.#dispatch();
      },
      (reason: unknown) => {
        this.#settleJob(entry);
        this.#failed(entry, reason);
        this.#dispatch();
      },
    );
  }

  /** Posts immediately. A message that cannot be made rejects like a failed job. */
  #post(entry: Entry): Promise<unknown> {
    try {
      return this.#threads.run(entry.makeMessage(), entry.name);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #settleJob(entry: Entry): void {
    this.#inFlight.delete(entry);
    this.#settledHooks.get(entry)?.();
    this.#settledHooks.delete(entry);
  }

  #failed(entry: Entry, reason: unknown): void {
    if (this.#closed || entry.attempts >= MAX_ATTEMPTS) {
      entry.reject(this.#closed ? new PoolClosedError(reason) : reason);
      return;
    }
    this.retries++;
    this.#log.warn(`A worker thread failed. Its job runs once more: ${describeError(reason)}`);
    this.#suspects.push(entry);
  }

  #rejectQueued(reason: unknown): void {
    for (const queue of [this.#suspects, ...VERIFY_CLASSES.map((klass) => this.#queues[klass])]) {
      for (const entry of queue.splice(0)) entry.reject(reason);
    }
  }
}
