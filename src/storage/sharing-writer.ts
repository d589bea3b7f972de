// Decides which thread writes a batch: the one that has the database open, or the storage thread (write-thread.ts),
// which takes 40 to 130 ms of a core to start and 9 MB while it runs.

import type { WriteBatch } from './write-batch.js';
import type { BatchWriter } from './write-thread.js';

export interface SharingWriterDeps {
  /** Writes on the calling thread before the call returns. */
  readonly here: BatchWriter;
  /** Starts the storage thread, unless it is running. */
  readonly startThread: () => BatchWriter;
}

/**
 * Passes large batches to the storage thread, and also all batches that arrive before they are written. Writes the
 * others on the calling thread.
 */
export class SharingWriter {
  readonly #large: number;
  readonly #deps: SharingWriterDeps;
  #there: BatchWriter | null = null;
  #underWay = 0;

  /**
   * @param large number of operations from which the storage thread writes a batch; it then runs only for those. 0: it
   *   writes all batches and stays
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

  /** Closes the writer. All calls must have resolved before; when it resolves, nothing is written any more. */
  async close(): Promise<void> {
    const there = this.#there;
    this.#there = null;
    await there?.close();
  }
}
