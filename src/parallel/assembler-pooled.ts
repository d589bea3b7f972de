// The assembler on a thread of its own: a Piscina pool of exactly one thread, whose mirror lives between tasks. No task is ever
// aborted by a signal, because that would end the thread and its mirror. Should the thread die anyway, the next one answers
// "resync" and gets a full copy.
import { Piscina } from 'piscina';
import type { AssembleReply, AssembleRequest, ImproveResult } from '../jobs/assemble-messages.js';
import type { Assembler } from './assembler.js';
import { watchLoading } from './threads-loaded.js';

export interface PooledAssemblerOptions {
  /** The thread's entry module; workers/assemble.js unless a test brings its own. */
  readonly filename?: string;
}

export class PooledAssembler implements Assembler {
  readonly #pool: Piscina;
  readonly #loaded: () => Promise<void>;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(options: PooledAssemblerOptions = {}) {
    this.#pool = new Piscina({
      filename: options.filename ?? new URL('../../workers/assemble.js', import.meta.url).href,
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
    });
    this.#loaded = watchLoading(this.#pool);
    // A thread that dies between tasks is replaced by Piscina; without a listener the process would end.
    this.#pool.on('error', () => {});
  }

  /** One after the other, so that the deltas arrive in order also when a task fails. */
  assemble(request: AssembleRequest): Promise<AssembleReply> {
    return this.#inTurn(() => this.#pool.run(request, { name: 'assemble' }) as Promise<AssembleReply>);
  }

  improve(ms: number): Promise<ImproveResult> {
    return this.#inTurn(() => this.#pool.run(ms, { name: 'improve' }) as Promise<ImproveResult>);
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const reply = this.#tail.then(task);
    this.#tail = reply.catch(() => {});
    return reply;
  }

  async close(): Promise<void> {
    await this.#tail;
    await this.#loaded();
    await this.#pool.destroy();
  }
}
