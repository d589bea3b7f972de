// Every change of the chain, one at a time, in the order in which they were asked for; and the state of fault, in which
// a chain whose storage failed refuses all further ones.

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

  /** @param onFault told once of the fault @param changed told after each change, before the next one */
  constructor(log: Logger, onFault: (fault: ChainFault) => void, changed: () => void) {
    this.#log = log;
    this.#onFault = onFault;
    this.#changed = changed;
  }

  /** Set once storage failed; every change is refused from then on. */
  get fault(): ChainFault | null {
    return this.#fault;
  }

  /** Changes under way and waiting. */
  get size(): number {
    return this.#queue.size;
  }

  /** Whether others wait behind the change under way. */
  get crowded(): boolean {
    return this.#queue.size > 1;
  }

  /** Resolves when every change asked for so far is over. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /**
   * Runs a change in its turn. The job answers by `reply`, and may go on writing afterwards; the next change waits for
   * all of it. Whatever it throws means that memory and disk may differ: the chain refuses everything from then on.
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

  /** A change that answers when all of it is done. */
  changeWhole(job: () => Promise<void>): Promise<void> {
    return this.change<void>(async (reply) => {
      await job();
      reply();
    });
  }

  /** Runs upkeep in its turn, without a caller that awaits it. The job looks for a fault itself. */
  upkeep(job: () => Promise<unknown>): void {
    this.#queue.run(job).catch((error: unknown) => this.fail(error));
  }

  /** Takes nothing more in. @param job runs behind all changes, also after a fault */
  close(job: () => Promise<void>): Promise<void> {
    this.#closed = true;
    return this.#queue.run(job);
  }

  /** Writes beside the queue: whatever fails ends the chain, unless it is about to close and takes nothing more in. */
  async storeConcurrently<T>(work: () => Promise<T>): Promise<T> {
    this.refuseAfterFault();
    try {
      return await work();
    } catch (error) {
      throw this.#closed ? error : this.fail(error);
    }
  }

  /**
   * Reads beside the queue: a failing store ends the chain here too. Threads that fail at a proposal's scripts end only
   * its check.
   */
  async readConcurrently<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof StoreError ? this.fail(error) : error;
    }
  }

  /** @throws ChainFault */
  refuseAfterFault(): void {
    if (this.#fault !== null) throw this.#fault;
  }

  /** Enters the state of fault, once. */
  fail(error: unknown): ChainFault {
    if (this.#fault === null) {
      const message = error instanceof Error ? error.message : String(error);
      this.#fault = error instanceof ChainFault ? error : new ChainFault(`The chain stopped: ${message}`, error);
      this.#log.error(this.#fault.message);
      this.#onFault(this.#fault);
    }
    return this.#fault;
  }

  /** The same for work of the chain's own: one that closes refuses changes, and a storage that failed has said so. */
  reportFailure(error: unknown): void {
    if (!this.#closed) this.fail(error);
  }
}
