// Writes of one database on a thread of their own, in the order in which they are handed over: RocksDB may hold a write
// up for as long as it likes (a full memtable, an fsync), and nothing else waits meanwhile. Both sides are here.

import { type MessagePort, Worker } from 'node:worker_threads';
import { noteLoading, withinLimit } from '../lib/loading-threads.js';
import { WORKER_ENTRY } from '../lib/worker-entries.js';
import { packBatch, unpackBatch } from './packed-batch.js';
import type { BatchOp } from './store.js';
import { StoreError } from './store-error.js';

/** What can be done to a database by the thread. */
export interface BatchWriter {
  write(ops: readonly BatchOp[], sync: boolean): Promise<void>;
  /** Removes the keys gte <= key < lt. */
  clear(gte: Uint8Array, lt: Uint8Array): Promise<void>;
  /** Resolves when nothing is written any more. All calls must have resolved before. */
  close(): Promise<void>;
}

type Task =
  | { readonly kind: 'write'; readonly packed: ArrayBuffer; readonly count: number; readonly sync: boolean }
  | { readonly kind: 'clear'; readonly gte: Uint8Array; readonly lt: Uint8Array };
/** An error's text, null for success: errors do not cross as objects. The first answer says that the thread is up. */
type Answer = string | null;

/** The node thread's side. */
export class WriteThread implements BatchWriter {
  readonly #worker: Worker;
  /** In the order of the tasks, which is that of the answers. */
  readonly #waiting: { resolve(): void; reject(error: Error): void }[] = [];
  #ended: Error | null = null;
  readonly #loaded: Promise<void>;

  /**
   * @param handle of the open database, which must stay open until close resolved
   * @param entry the thread's module; workers/storage.js unless a test brings its own
   */
  constructor(handle: bigint, entry: URL = WORKER_ENTRY.storage) {
    this.#worker = new Worker(entry, { name: 'adit-storage', workerData: handle });
    // Refused when it dies.
    this.#loaded = this.#take().catch(() => {});
    noteLoading(this.#loaded);
    this.#worker.on('message', (answer: Answer) => this.#answered(answer));
    this.#worker.on('error', (error: Error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('it ended')));
  }

  write(ops: readonly BatchOp[], sync: boolean): Promise<void> {
    const packed = packBatch(ops);
    return this.#hand({ kind: 'write', packed, count: ops.length, sync }, [packed]);
  }

  clear(gte: Uint8Array, lt: Uint8Array): Promise<void> {
    return this.#hand({ kind: 'clear', gte, lt }, []);
  }

  async close(): Promise<void> {
    await withinLimit(this.#loaded);
    await this.#worker.terminate();
  }

  #hand(task: Task, transferred: ArrayBuffer[]): Promise<void> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    const taken = this.#take();
    this.#worker.postMessage(task, transferred);
    return taken;
  }

  /** Waits for the next answer that no earlier task waits for. An idle thread does not keep the process. */
  #take(): Promise<void> {
    if (this.#waiting.length === 0) this.#worker.ref();
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #answered(answer: Answer): void {
    const first = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#worker.unref();
    if (answer === null) first?.resolve();
    else first?.reject(new Error(answer));
  }

  #end(error: Error): void {
    this.#ended ??= new StoreError('STORE_IO', `The thread that writes the database is gone: ${error.message}`, error);
    for (const { reject } of this.#waiting.splice(0)) reject(this.#ended);
  }
}

/** The thread's side: does what is asked for, one after the other. @param writer works on this thread */
export function serveWrites(writer: BatchWriter, port: MessagePort): void {
  const run = (task: Task): Promise<void> =>
    task.kind === 'write' ? writer.write(unpackBatch(task.packed, task.count), task.sync) : writer.clear(task.gte, task.lt);
  port.on('message', (task: Task) => {
    run(task).then(
      () => port.postMessage(null),
      (error: unknown) => port.postMessage(error instanceof Error ? error.message : String(error)),
    );
  });
  port.postMessage(null);
}
