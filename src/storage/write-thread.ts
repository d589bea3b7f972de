// The storage thread: writes databases in the order of the batches. RocksDB may delay a write for any time (a full
// memtable, an fsync), and only this thread waits for it. Both sides of the communication are in this file.

import { type MessagePort, Worker } from 'node:worker_threads';
import { noteLoading, withinLimit } from '../lib/loading-threads.js';
import { SerialQueue } from '../lib/serial-queue.js';
import { WORKER_ENTRY } from '../lib/worker-entries.js';
import { StoreError } from './store-error.js';
import { type TakenBatch, WriteBatch } from './write-batch.js';

/** Writer of one database. */
export interface BatchWriter {
  /** Writes a batch, which cannot be used afterwards. */
  write(batch: WriteBatch, sync: boolean): Promise<void>;
  /** Deletes the keys gte <= key < lt. */
  clear(gte: Uint8Array, lt: Uint8Array): Promise<void>;
  /** Closes the writer. All calls must have resolved before. When it resolves, no write is in progress. */
  close(): Promise<void>;
}

type Task = { readonly id: number; readonly handle: bigint } & (
  | { readonly kind: 'write'; readonly taken: TakenBatch; readonly sync: boolean }
  | { readonly kind: 'clear'; readonly gte: Uint8Array; readonly lt: Uint8Array }
  | { readonly kind: 'forget' }
);
/** A task without its number. */
type Wanted = Task extends infer T ? (T extends Task ? Omit<T, 'id'> : never) : never;

/** Number of the first answer, with which the thread reports that it is running. */
const UP = 0;

/**
 * Answer to the task with this number. `error` is a text, or null for success, because error objects do not cross
 * threads.
 */
interface Answer {
  readonly id: number;
  readonly error: string | null;
}

/**
 * The side of the thread that has the databases open. Starts the storage thread for the first writer, and ends it when
 * the last writer is closed.
 */
export class WriteThread {
  readonly #entry: URL;
  #run: Run | null = null;

  /** @param entry module of the thread; workers/storage.js by default */
  constructor(entry: URL = WORKER_ENTRY.storage) {
    this.#entry = entry;
  }

  /**
   * Returns a writer.
   * @param handle of an open database, which must stay open until the writer's close has resolved
   */
  writer(handle: bigint): BatchWriter {
    this.#run ??= new Run(this.#entry);
    const run = this.#run;
    run.writers++;
    return {
      write: (batch, sync) => {
        const taken = batch.takeBuffer();
        return run.postTask({ kind: 'write', handle, taken, sync }, [taken.buffer]);
      },
      clear: (gte, lt) => run.postTask({ kind: 'clear', handle, gte, lt }),
      close: async () => {
        if (--run.writers === 0) {
          if (this.#run === run) this.#run = null;
          await run.endThread();
        } else await run.postTask({ kind: 'forget', handle }).catch(() => {});
      },
    };
  }
}

/** One run of the storage thread, from its start to its end. */
class Run {
  writers = 0;
  readonly #worker: Worker;
  /** Pending tasks by number. */
  readonly #waiting = new Map<number, { resolve(): void; reject(error: Error): void }>();
  #lastId = UP;
  #ended: Error | null = null;
  #isEnding = false;
  readonly #loaded: Promise<void>;

  constructor(entry: URL) {
    this.#worker = new Worker(entry, { name: 'adit-storage' });
    // Rejected if the thread dies before it has loaded.
    this.#loaded = this.#waitForAnswer(UP).catch(() => {});
    noteLoading(this.#loaded);
    this.#worker.on('message', (answer: Answer) => this.#answered(answer));
    this.#worker.on('error', (error: Error) => this.#onThreadEnd(error));
    this.#worker.on('exit', () => this.#onThreadEnd(new Error('it exited unexpectedly')));
  }

  postTask(task: Wanted, transferred: ArrayBuffer[] = []): Promise<void> {
    if (this.#ended !== null) {
      // Overwrite the values, because some are secret.
      for (const buffer of transferred) new Uint8Array(buffer).fill(0);
      return Promise.reject(this.#ended);
    }
    const id = ++this.#lastId;
    const taken = this.#waitForAnswer(id);
    this.#worker.postMessage({ ...task, id }, transferred);
    return taken;
  }

  async endThread(): Promise<void> {
    this.#isEnding = true;
    // Keep the process alive until the thread has ended: no other handle may be left that does so.
    this.#worker.ref();
    await withinLimit(this.#loaded);
    await this.#worker.terminate();
  }

  /** Waits for the answer to a task. An idle thread does not keep the process alive. */
  #waitForAnswer(id: number): Promise<void> {
    if (this.#waiting.size === 0) this.#worker.ref();
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /**
   * Settles the task of an answer. A second answer is ignored, because the caller already believes that its batch is on
   * the disk.
   */
  #answered({ id, error }: Answer): void {
    const task = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0 && !this.#isEnding) this.#worker.unref();
    if (error === null) task?.resolve();
    else task?.reject(new Error(error));
  }

  #onThreadEnd(error: Error): void {
    this.#ended ??= new StoreError('STORE_IO', `The thread that writes the database has ended: ${error.message}`, error);
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}

/**
 * The side of the storage thread: runs the tasks one after the other.
 * @param open returns a writer that works on this thread
 */
export function serveWrites(open: (handle: bigint) => Promise<BatchWriter>, port: MessagePort): void {
  const writers = new Map<bigint, BatchWriter>();
  const run = async (task: Task): Promise<void> => {
    const { handle } = task;
    if (task.kind === 'forget') {
      // Drop the closed writer, because another database may get the same handle later.
      writers.delete(handle);
      return;
    }
    const batch = task.kind === 'write' ? WriteBatch.from(task.taken) : null;
    try {
      const writer = writers.get(handle) ?? (await open(handle));
      writers.set(handle, writer);
      if (task.kind === 'clear') await writer.clear(task.gte, task.lt);
      else await writer.write(batch as WriteBatch, task.sync);
    } finally {
      batch?.useUp();
    }
  };
  const tasks = new SerialQueue();
  const answer = (id: number, error: string | null): void => port.postMessage({ id, error } satisfies Answer);
  port.on('message', (task: Task) => {
    tasks
      .run(() => run(task))
      .then(
        () => answer(task.id, null),
        (error: unknown) => answer(task.id, error instanceof Error ? error.message : String(error)),
      );
  });
  answer(UP, null);
}
