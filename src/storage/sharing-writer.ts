// Decides which thread writes a batch: the thread that has the database open, or the storage thread (write-thread.ts).
// Starting the storage thread takes 40 to 130 ms of a core; it uses 9 MB while it runs.

import type { WriteBatch } from './write-batch.js';
import type { BatchWriter } from './write-thread.js';

export interface SharingWriterDeps {
  /** Writes on the calling thread before the call returns. */
  readonly here: BatchWriter;
  /** Starts the storage thread, unless it is running. */
  readonly startThread: () => BatchWriter;
}

/**
 * Passes large batches to the storage thread. Batches that arrive before these are written go there too, which keeps
 * the order. Writes all other batches on the calling thread.
 */
export class SharingWriter {
  readonly #large: number;
  readonly #deps: SharingWriterDeps;
  #there: BatchWriter | null = null;
  #underWay = 0;

  /**
   * Creates a writer.
   * @param large number of operations from which the storage thread writes a batch. The thread then runs only for such
   *   batches. 0: the thread writes all batches and runs until close
   */
  constructor(large: number, deps: SharingWriterDeps) {
    this.#large = large;
    this.#deps = deps;
  }

  /**
   * Writes a batch, which cannot be used afterwards.
   * @param alone the calling thread has no other work that the write could delay, so the storage thread is not started for this batch
   */
  write(batch: WriteBatch, sync: boolean, alone: boolean): Promise<void> {
    return this.#on(alone || batch.length < this.#large, (writer) => writer.write(batch, sync));
  }

  /** Deletes the keys gte <= key < lt. */
  clear(gte: Uint8Array, lt: Uint8Array): Promise<void> {
    return this.#on(this.#large > 0, (writer) => writer.clear(gte, lt));
  }

  async #on(mayBeHere: boolean, work: (writer: BatchWriter) => Promise<void>): Promise<void> {
    if (mayBeHere && this.#there === null) return work(this.#deps.here);
    this.#there ??= this.#deps.startThread();
    this.#underWay++;
    try {
      await work(this.#there);
    } finally {
      if (--this.#underWay === 0 && this.#large > 0) await this.close();
    }
  }

  /** Closes the writer. All calls must have resolved before. When it resolves, no write is in progress. */
  async close(): Promise<void> {
    const there = this.#there;
    this.#there = null;
    await there?.close();
  }
}
