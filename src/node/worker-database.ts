// The database with the statistics of Stratum V1 workers: one row for each worker (stratum/statistics/worker-row.ts). A
// fault of this database is logged and never stops mining.
import type { Logger } from '../log/logger.js';
import { openStore } from '../storage/open-store.js';
import type { Store } from '../storage/store.js';
import type { ChangedRow } from '../stratum/index.js';
import { STRATUM_NAME } from './stratum-thread.js';

export class WorkerDatabase {
  readonly #log: Logger;
  readonly #store: Store | null;
  #writing: Promise<void> = Promise.resolve();
  #failed = false;

  private constructor(store: Store | null, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  /** Opens or creates the database. If that is not possible, statistics are lost at each restart. */
  static async open(path: string, log: Logger): Promise<WorkerDatabase> {
    const onLogDamage = (text: string): void => log.warn(`${STRATUM_NAME}: statistics of workers: ${text}`);
    const store = await openStore({
      ...{ path, onLogDamage },
      cacheBytes: 1 << 20,
      writeBufferBytes: 4 << 20,
      writeThread: true,
    }).catch((error: Error) => {
      log.error(`${STRATUM_NAME}: Statistics of workers are not stored, because ${path} cannot be opened: ${error.message}`);
      return null;
    });
    return new WorkerDatabase(store, log);
  }

  /** Returns all rows. @returns no rows if they cannot be read */
  async readRows(): Promise<(readonly [key: Uint8Array, row: Uint8Array])[]> {
    await this.#writing;
    const rows: (readonly [Uint8Array, Uint8Array])[] = [];
    try {
      for await (const row of this.#store?.iterate() ?? []) rows.push(row);
      return rows;
    } catch (error) {
      this.#log.error(`${STRATUM_NAME}: Statistics of workers cannot be read: ${(error as Error).message}`);
      return [];
    }
  }

  /** Writes rows in the background. The first failure is logged, and then each one that follows a success. */
  writeRows(rows: readonly ChangedRow[]): void {
    if (this.#store === null) return;
    const ops = rows.map(({ key, row }) => (row === null ? { type: 'del' as const, key } : { type: 'put' as const, key, value: row }));
    const written = this.#store.batch(ops).then(
      () => {
        this.#failed = false;
      },
      (error: Error) => {
        if (!this.#failed) this.#log.error(`${STRATUM_NAME}: Statistics of workers cannot be written: ${error.message}`);
        this.#failed = true;
      },
    );
    this.#writing = Promise.all([this.#writing, written]).then(() => {});
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#store?.close();
  }
}
