import { SerialQueue } from '../../lib/serial-queue.js';
import type { BatchOp, Store } from '../../storage/store.js';
import type { WalletImages } from '../image/wallet-images.js';
import { NOT_LOADED, WALLET_CODE, WalletError } from '../manage/wallet-error.js';
import type { WalletBatch } from './wallet-batch.js';

/** A wallet's database: writes one after the other, and whether the wallet has failed or was closed. */
export class WalletStorage {
  #store: Store;
  #images: WalletImages | null = null;
  readonly #writes = new SerialQueue();
  /** Last write in the queue, to which later changes may add rows; null once that write has started. */
  #waiting: { readonly ops: BatchOp[]; sync: boolean; written: Promise<void> } | null = null;
  #generation = 0;
  #isClosed = false;
  #fault: { readonly error: unknown } | null = null;
  readonly #onFault: (error: unknown) => void;

  /** @param onFault called once when the wallet fails */
  constructor(store: Store, onFault: (error: unknown) => void) {
    this.#store = store;
    this.#onFault = onFault;
  }

  get store(): Store {
    return this.#store;
  }
  /** Replaces the database by one with the same rows, for example encrypted ones. No write may be running. */
  replaceStore(store: Store): void {
    this.#store = store;
  }
  /** Image of the wallet's tables; null while the tables are being loaded, or if images are disabled. */
  get images(): WalletImages | null {
    return this.#images;
  }
  /** Starts the journal of an image. Call this when the tables are loaded. */
  useImages(images: WalletImages | null): void {
    this.#images = images;
  }
  /**
   * Counter that increases with every change. Replies that are computed with pauses compare the counter to see whether
   * the wallet is unchanged.
   */
  get generation(): number {
    return this.#generation;
  }
  /** Reason why the wallet failed; null if it has not failed. */
  get fault(): { readonly error: unknown } | null {
    return this.#fault;
  }
  /** True if the wallet was closed, or has failed and will be closed. */
  get isClosed(): boolean {
    return this.#isClosed || this.#fault !== null;
  }
  /** Throws if the wallet is closed or has failed. @throws WalletError */
  assertOpen(): void {
    if (this.isClosed) throw new WalletError(WALLET_CODE.NOT_FOUND, NOT_LOADED);
  }

  /** Reads from the database, after all earlier writes have finished. */
  async read<T>(work: (store: Store) => Promise<T>): Promise<T> {
    await this.#writes.idle();
    this.assertOpen();
    return work(this.#store);
  }
  /** Writes a batch after all earlier ones. @param sync true: sync the write to disk */
  commit(batch: WalletBatch, sync: boolean): Promise<void> {
    const { ops } = batch;
    if (ops.length > 0) this.#generation++;
    this.#images?.journalBatch(batch);
    return ops.length === 0 ? this.#writes.idle() : this.#joinWrite(ops, sync);
  }
  /** Queues rows for writing. Changes made while a write is running share the next write and its fsync. */
  #joinWrite(ops: readonly BatchOp[], sync: boolean): Promise<void> {
    const last = this.#waiting;
    if (last !== null) {
      for (const op of ops) last.ops.push(op);
      last.sync ||= sync;
      return last.written;
    }
    const write = { ops: [...ops], sync, written: Promise.resolve() };
    write.written = this.queueWrite(() => {
      if (this.#waiting === write) this.#waiting = null;
      return this.#store.batch(write.ops, { sync: write.sync });
    });
    this.#waiting = write;
    return write.written;
  }
  /** Runs work after all earlier writes and before all later ones. */
  queueWrite<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting = null;
    return this.#writes.run(async () => {
      // After a failed batch, refuse all later ones: the database must not contain a change without the changes before
      // it.
      if (this.#fault !== null) throw this.#fault.error;
      try {
        return await work();
      } catch (error) {
        // A write after closing is rejected but is no failure of the wallet: no client received a success reply for it.
        if (!this.#isClosed) this.fail(error);
        throw error;
      }
    });
  }
  /**
   * Marks the wallet as failed: memory is ahead of the disk, or halfway through a change. A failed wallet applies no
   * events, writes nothing and counts as closed. WalletManager loads it again from its folder.
   */
  fail(error: unknown): void {
    if (this.#fault !== null) return;
    this.#fault = { error };
    this.#onFault(error);
  }
  /** Refuses changes from now on. Writes that are queued still happen. */
  markClosed(): void {
    this.#isClosed = true;
  }
}
