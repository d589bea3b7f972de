// The assembler on a thread of its own: a Piscina pool of exactly one thread, whose mirror lives between tasks. It
// starts with the first task: a node whose mempool is empty has none. No task is ever aborted by a signal, because that
// would end the thread and its mirror. Should the thread die anyway, the next one answers "resync" and gets a full copy.

import { Piscina } from 'piscina';
import type { AssembleReply, AssembleRequest, ImproveResult } from '../jobs/assemble-messages.js';
import { SerialQueue } from '../lib/serial-queue.js';
import { WORKER_ENTRY } from '../lib/worker-entries.js';
import type { Assembler } from './assembler.js';
import { PoolClosedError } from './pool.js';
import { watchLoading } from './threads-loaded.js';

export interface PooledAssemblerOptions {
  /** The thread's entry module; workers/assemble.js unless a test brings its own. */
  readonly filename?: string;
}

export class PooledAssembler implements Assembler {
  readonly #filename: string;
  #thread: Piscina | null = null;
  #loaded: () => Promise<void> = async () => {};
  /** One after the other, so that the deltas arrive in order also when a task fails. */
  readonly #tasks = new SerialQueue();
  #closed = false;

  constructor(options: PooledAssemblerOptions = {}) {
    this.#filename = options.filename ?? WORKER_ENTRY.assemble.href;
  }

  assemble(request: AssembleRequest): Promise<AssembleReply> {
    return this.#tasks.runNow(async () => this.#running().run(request, { name: 'assemble' }) as Promise<AssembleReply>);
  }

  improve(ms: number): Promise<ImproveResult> {
    return this.#tasks.run(() => this.#running().run(ms, { name: 'improve' }) as Promise<ImproveResult>);
  }

  #newThread(): Piscina {
    const pool = new Piscina({
      filename: this.#filename,
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
    });
    // A thread that dies between tasks is replaced by Piscina; without a listener the process would end. One that dies
    // while it loads is not, and a task that waits for it would wait for ever: the pool is ended, which fails the task,
    // and the next task has a new one.
    pool.on('error', () => {
      setImmediate(() => {
        if (pool.threads.length === 0) void pool.destroy();
      });
    });
    return pool;
  }

  #running(): Piscina {
    if (this.#closed) throw new PoolClosedError();
    if (this.#thread !== null && this.#thread.threads.length > 0) return this.#thread;
    void this.#thread?.destroy();
    this.#thread = this.#newThread();
    this.#loaded = watchLoading(this.#thread);
    return this.#thread;
  }

  async close(): Promise<void> {
    await this.#tasks.idle();
    this.#closed = true;
    await this.#loaded();
    await this.#thread?.destroy();
  }
}
