// The assembler on a thread of its own, whose mirror lives between tasks. It starts with the first task: a node whose
// mempool is empty has none. No task is ever aborted by a signal, because that would end the thread and its mirror.
// Should the thread die anyway, the next one answers "resync" and gets a full copy.

import type { AssembleReply, AssembleRequest, ImproveResult } from '../jobs/assemble-messages.js';
import { SerialQueue } from '../lib/serial-queue.js';
import type { Every } from '../lib/watchdog.js';
import { WORKER_ENTRY } from '../lib/worker-entries.js';
import type { Assembler } from './assembler.js';
import { PoolClosedError } from './pool.js';
import { WorkerThreads } from './worker-threads.js';

export interface PooledAssemblerOptions {
  /** The thread's entry module; workers/assemble.js unless a test brings its own. */
  readonly filename?: string;
  /** When a task without an answer is looked for; a timer unless a test brings its own. */
  readonly every?: Every;
}

export interface PooledAssemblerDeps {
  /** Hears of a thread that dies. */
  readonly log: { warn(message: string): void };
}

export class PooledAssembler implements Assembler {
  readonly #thread: WorkerThreads;
  /**
   * One after the other, so that the deltas arrive in order also when a task fails, and a thread that is given up has no
   * other task.
   */
  readonly #tasks = new SerialQueue();
  #closed = false;

  constructor(options: PooledAssemblerOptions = {}, { log }: PooledAssemblerDeps = { log: { warn() {} } }) {
    const { filename = WORKER_ENTRY.assemble.href, every } = options;
    this.#thread = new WorkerThreads({
      filename,
      threads: 1,
      jobsPerThread: 1,
      warn: (what) => log.warn(what),
      ...(every && { every }),
    });
  }

  assemble(request: AssembleRequest): Promise<AssembleReply> {
    return this.#tasks.runNow(() => this.#run<AssembleReply>(request, 'assemble'));
  }

  improve(ms: number): Promise<ImproveResult> {
    return this.#tasks.run(() => this.#run<ImproveResult>(ms, 'improve'));
  }

  /**
   * An assembler for another mempool on the same thread, so that both find compiled what either has run: one at a time.
   * Tasks of both run in the order in which they come. close() drops its mirror alone. A task that fails closes it too:
   * the next might take the thread along once more, and with it the mirror of this one.
   */
  secondAssembler(): Assembler {
    let used = false;
    let closed = false;
    const run = async <T>(message: unknown, name: string): Promise<T> => {
      // A mirror that was dropped would come back.
      if (closed) throw new PoolClosedError();
      used = true;
      try {
        return await this.#run<T>(message, name);
      } catch (error) {
        closed = true;
        throw error;
      }
    };
    return {
      assemble: (request) => this.#tasks.runNow(() => run<AssembleReply>(request, 'assembleBeside')),
      improve: (ms) => this.#tasks.run(() => run<ImproveResult>(ms, 'improveBeside')),
      close: () => {
        closed = true;
        return this.#tasks.run(async () => {
          // A thread that dies takes it along.
          if (used) await this.#run(null, 'forgetBeside').catch(() => undefined);
        });
      },
    };
  }

  async #run<T>(message: unknown, name: string): Promise<T> {
    if (this.#closed) throw new PoolClosedError();
    return (await this.#thread.run(message, name)) as T;
  }

  async close(): Promise<void> {
    await this.#tasks.idle();
    this.#closed = true;
    await this.#thread.close();
  }
}
