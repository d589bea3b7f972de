// Worker threads with classes of work: our own queues above WorkerThreads, for priorities and a second chance for a job
// whose thread died. Users: PooledVerifier, Grinder. Entry of the threads: workers/verify.ts.

import { checksRun } from '../jobs/slab.js';
import { VERIFY_MESSAGE_VERSION, type VerifyShareJob } from '../jobs/verify.js';
import type { Every } from '../lib/watchdog.js';
import { WORKER_ENTRY } from '../lib/worker-entries.js';
import { VERIFY_CLASSES, type VerifyClass } from './verifier.js';
import { describeError, WorkerThreads } from './worker-threads.js';

/**
 * One job runs, one waits in the thread's port, so that a thread never idles while the node thread is busy for a
 * moment.
 */
const JOBS_PER_THREAD = 2;
/** A job whose thread died runs once more, alone: the thread may have died of its neighbour. */
const MAX_ATTEMPTS = 2;

export interface WorkPoolOptions {
  /** Exactly so many threads, from the first job on. */
  readonly threads: number;
  /** The threads' entry module; workers/verify.js unless a test brings its own. */
  readonly filename?: string;
  /** Jobs that may wait per class; blocks have no bound, since refusing one would refuse the chain. */
  readonly maxQueued?: number;
  /** Which cryptography the threads load (crypto/native): the system's library where there is one, unless told. */
  readonly prefer?: 'system' | 'packages';
  /** When jobs without an answer are looked for; a timer unless a test brings its own. */
  readonly every?: Every;
}

export interface WorkPoolDeps {
  /** Hears of threads that die. */
  readonly log: { warn(message: string): void };
}

interface Entry {
  readonly klass: VerifyClass;
  readonly name: string;
  /** Called when the job goes to a thread, again when it goes there a second time. */
  readonly makeMessage: () => unknown;
  attempts: number;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

/** The pool is closed; no job can run. */
export class PoolClosedError extends Error {
  readonly code = 'ADIT_POOL_CLOSED';

  constructor(cause?: unknown) {
    super('The worker pool is closed', { cause });
    this.name = 'PoolClosedError';
  }
}

/** The checks that ran in the batch of a job; 0 for jobs of other kinds. */
function checksOf(message: unknown): number {
  const { slab, version } = (message ?? {}) as Partial<VerifyShareJob>;
  return version === VERIFY_MESSAGE_VERSION && slab !== undefined ? checksRun(slab) : 0;
}

function zeroPerClass(): Record<VerifyClass, number> {
  return { block: 0, proposal: 0, transaction: 0, scan: 0 };
}

/** A fixed number of threads that take jobs by class, first come first served within one. */
export class WorkPool {
  readonly size: number;
  /** Jobs posted and refused since the start, and jobs run again after their thread died. */
  readonly posted = zeroPerClass();
  readonly refused = zeroPerClass();
  retries = 0;
  readonly #threads: WorkerThreads;
  readonly #log: WorkPoolDeps['log'];
  /** Jobs that may wait per class, blocks excepted. */
  readonly maxQueued: number;
  readonly #queues: Record<VerifyClass, Entry[]> = { block: [], proposal: [], transaction: [], scan: [] };
  /** Jobs whose thread died; each waits until it can run alone. */
  readonly #suspects: Entry[] = [];
  readonly #inFlight = new Set<Entry>();
  /** Who waits for a running job to end, whatever its outcome: only close() does. */
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

  /** Jobs waiting, over all classes. */
  get queued(): number {
    return VERIFY_CLASSES.reduce((sum, klass) => sum + this.#queues[klass].length, this.#suspects.length);
  }

  /** Jobs handed to threads. */
  get running(): number {
    return this.#inFlight.size;
  }

  canAcceptWork(klass: VerifyClass): boolean {
    if (this.#closed) return false;
    return klass === 'block' || this.#queues[klass].length < this.maxQueued;
  }

  /** Counts a refusal; the caller asked canAcceptWork and answers for it. */
  countRefusal(klass: VerifyClass): void {
    this.refused[klass]++;
  }

  /** Starts the threads before a job needs them, and waits until one answers the entry's `describe`. */
  start<T>(): Promise<T> {
    return this.run('block', 'describe', null);
  }

  /**
   * Runs an exported function of the entry module on a thread. The bound is the caller's to keep, by canAcceptWork
   * before the first job of a batch: half a batch is of no use.
   */
  run<T>(klass: VerifyClass, name: string, message: unknown): Promise<T> {
    return this.runLate(klass, name, () => message);
  }

  /** The same, with a message that is made when a thread takes the job: until then more work may be packed into it. */
  runLate<T>(klass: VerifyClass, name: string, makeMessage: () => unknown): Promise<T> {
    if (this.#closed) return Promise.reject(new PoolClosedError());
    this.posted[klass]++;
    return new Promise<T>((resolve, reject) => {
      this.#queues[klass].push({ klass, name, makeMessage, attempts: 0, resolve: resolve as (result: unknown) => void, reject });
      this.#dispatch();
    });
  }

  /** Refuses what waits, lets running jobs end, then ends the threads. */
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
      // Queues are short (a block is some 32 jobs), so shifting an array is as quick as anything.
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
   * A job that runs again runs alone in the whole pool: if its thread dies again, it was the job, and no neighbour dies
   * with it.
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

  /** Posts at once; a message that can't be made rejects like a job that failed. */
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
    this.#log.warn(`A worker thread failed, its job runs once more: ${describeError(reason)}`);
    this.#suspects.push(entry);
  }

  #rejectQueued(reason: unknown): void {
    for (const queue of [this.#suspects, ...VERIFY_CLASSES.map((klass) => this.#queues[klass])]) {
      for (const entry of queue.splice(0)) entry.reject(reason);
    }
  }
}
