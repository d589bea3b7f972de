// Runs the changes of the chain one at a time, in the order of the calls. After a fault every further change is
// refused.

import { SerialQueue } from '../lib/serial-queue.js';
import type { Logger } from '../log/logger.js';
import { StoreError } from '../storage/store-error.js';
import { ChainFault } from './chain-fault.js';

export class Changes {
  readonly #queue = new SerialQueue();
  #fault: ChainFault | null = null;
  #closed = false;
  readonly #log: Logger;
  readonly #onFault: (fault: ChainFault) => void;
  readonly #changed: () => void;

  /**
   * @param onFault called once with the fault
   * @param changed called after each change, before the next one
   */
  constructor(log: Logger, onFault: (fault: ChainFault) => void, changed: () => void) {
    this.#log = log;
    this.#onFault = onFault;
    this.#changed = changed;
  }

  /** Error after which every change is refused; null while there is no such error. */
  get fault(): ChainFault | null {
    return this.#fault;
  }

  /** True if every new change is refused, after a fault or because the chain is closing. */
  get refusing(): boolean {
    return this.#closed || this.#fault !== null;
  }

  /** Number of running and queued changes. */
  get size(): number {
    return this.#queue.size;
  }

  /** True if other changes are queued behind the running one. */
  get crowded(): boolean {
    return this.#queue.size > 1;
  }

  /** Resolves when all changes queued so far are finished. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /**
   * Queues a change. The job resolves the returned promise by calling `reply` and may continue writing afterwards. The
   * next change starts when the job has finished. If the job throws, memory and disk may disagree, so the chain refuses
   * every further change.
   */
  change<T>(job: (reply: (value: T) => void) => Promise<void>): Promise<T> {
    if (this.#closed) return Promise.reject(new ChainFault('The chain is closed', undefined));
    return new Promise<T>((resolve, reject) => {
      const run = async (): Promise<void> => {
        this.refuseAfterFault();
        await job(resolve);
        this.#changed();
      };
      this.#queue.run(run).catch((error: unknown) => reject(this.fail(error)));
    });
  }

  /** Queues a change. The promise resolves when the whole job is finished. */
  changeWhole(job: () => Promise<void>): Promise<void> {
    return this.change<void>(async (reply) => {
      await job();
      reply();
    });
  }

  /** Queues upkeep that no caller awaits. The job itself must check for a fault. */
  upkeep(job: () => Promise<unknown>): void {
    this.#queue.run(job).catch((error: unknown) => this.fail(error));
  }

  /**
   * Refuses new changes.
   * @param job runs after all queued changes, even after a fault
   */
  close(job: () => Promise<void>): Promise<void> {
    this.#closed = true;
    return this.#queue.run(job);
  }

  /**
   * Runs a read concurrently with the queue. A StoreError is a fault of the chain. Other errors, such as the failure of
   * a thread that checks a proposal, are only passed to the caller.
   */
  async readConcurrently<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof StoreError ? this.fail(error) : error;
    }
  }

  /**
   * Throws if a fault was recorded.
   * @throws ChainFault
   */
  refuseAfterFault(): void {
    if (this.#fault !== null) throw this.#fault;
  }

  /** Records the first fault, logs it and stops the node. */
  fail(error: unknown): ChainFault {
    if (this.#fault === null) {
      const message = error instanceof Error ? error.message : String(error);
      this.#fault = error instanceof ChainFault ? error : new ChainFault(`The chain stopped: ${message}`, error);
      this.#log.error(this.#fault.message);
      this.#onFault(this.#fault);
    }
    return this.#fault;
  }

  /**
   * Reports the failure of background work as a fault. Does nothing while the chain is closing, because the store has
   * already reported such errors.
   */
  reportFailure(error: unknown): void {
    if (!this.#closed) this.fail(error);
  }
}
