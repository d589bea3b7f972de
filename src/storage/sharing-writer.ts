// Which thread writes a batch: the one that has the database open, or the one that writes beside it (write-thread.ts),
// which takes a core 40 to 130 ms to start and 9 MB while it runs.

import type { WriteBatch } from './write-batch.js';
import type { BatchWriter } from './write-thread.js';

export interface SharingWriterDeps {
  /** Writes on the calling thread, before the call returns. */
  readonly here: BatchWriter;
  /** Starts the thread, unless it runs. */
  readonly startThread: () => BatchWriter;
}

/** Hands large batches to the thread, and with them all that comes before they are written; the rest is written here. */
export class SharingWriter {
  readonly #large: number;
  readonly #deps: SharingWriterDeps;
  #there: BatchWriter | null = null;
  #underWay = 0;

  /** @param large operations of a batch that is for the thread, which runs for those alone; 0: all are, and it stays */
  constructor(large: number, deps: SharingWriterDeps) {
    this.#large = large;
    this.#deps = deps;
  }

  /**
   * Uses the batch up.
   * @param alone nothing else waits for the calling thread, so the other one is not started for this
   */
  write(batch: WriteBatch, sync: boolean, alone: boolean): Promise<void> {
    return this.#on(alone || batch.length < this.#large, (writer) => writer.write(batch, sync));
  }

  /** Removes the keys gte <= key < lt. */
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

  /** Nothing is written any more once it resolves. All calls must have resolved before. */
  async close(): Promise<void> {
    const there = this.#there;
    this.#there = null;
    await there?.close();
  }
}
