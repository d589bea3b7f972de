// The assembler on a thread of its own, whose mirror stays between tasks. The thread starts with the first task, so a
// node with an empty mempool has none. Tasks are never aborted, because that would end the thread and its mirror. If
// the thread dies, the next one answers "resync" and gets a full copy.

import type { AssembleReply, AssembleRequest, ImproveResult } from '../jobs/assemble-messages.js';
import { SerialQueue } from '../lib/serial-queue.js';
import type { Every } from '../lib/watchdog.js';
import { WORKER_ENTRY } from '../lib/worker-entries.js';
import type { Assembler } from './assembler.js';
import { PoolClosedError } from './pool.js';
import { WorkerThreads } from './worker-threads.js';

export interface PooledAssemblerOptions {
  /** Entry module of the thread; workers/assemble.js unless a test passes its own. */
  readonly filename?: string;
  /** Runs the check for unanswered tasks at intervals; a timer unless a test passes its own. */
  readonly every?: Every;
}

export interface PooledAssemblerDeps {
  /** Receives a warning when a thread dies. */
  readonly log: { warn(message: string): void };
}

export class PooledAssembler implements Assembler {
  readonly #thread: WorkerThreads;
  /**
   * Runs one task after another. So deltas arrive in order even if a task fails, and ending a stuck thread interrupts no
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
   * Returns an assembler for another mempool on the same thread, so that both use the same compiled code. Only one such
   * assembler may exist at a time. Tasks of both run in order of arrival. close() drops only the second mirror. A failing
   * task also closes the second assembler: its next task might end the thread again, and with it the main mirror.
   */
  secondAssembler(): Assembler {
    let used = false;
    let closed = false;
    const run = async <T>(message: unknown, name: string): Promise<T> => {
      // A task after close() would create the mirror again.
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
          // If the thread dies, the mirror is gone too.
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
