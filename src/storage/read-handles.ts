// Caches open files for reading and closes the least recently used first.

import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FileOpener } from './record-file.js';
import { fromSystemError, StoreError } from './store-error.js';

interface OpenFile {
  readonly handle: Promise<FileHandle>;
  users: number;
  /** True if the file is to be closed when its last reader has finished. */
  forgotten: boolean;
}

/** Shares read-only handles between concurrent readers. */
export class ReadHandles {
  readonly #files = new Map<string, OpenFile>();
  #closed = false;
  readonly #capacity: number;
  readonly #opener: FileOpener;

  /** @param capacity number of unused handles that stay open */
  constructor(capacity: number, opener: FileOpener = open) {
    this.#capacity = capacity;
    this.#opener = opener;
  }

  /** Runs `read` with a handle that stays open until `read` has finished. */
  async use<T>(path: string, read: (handle: FileHandle) => Promise<T>): Promise<T> {
    if (this.#closed) throw new StoreError('STORE_CLOSED', `Cannot read ${basename(path)}: the block files are closed`);
    const file = this.#files.get(path) ?? { handle: this.#opener(path, 'r'), users: 0, forgotten: false };
    // Deleting and inserting the entry moves it to the end of the map, as the most recently used one.
    this.#files.delete(path);
    this.#files.set(path, file);
    file.users++;
    try {
      let handle: FileHandle;
      try {
        handle = await file.handle;
      } catch (error) {
        this.#files.delete(path);
        throw fromSystemError(error, `open ${basename(path)}`);
      }
      return await read(handle);
    } finally {
      file.users--;
      if (file.forgotten && file.users === 0) closeFile(file);
      this.#trim();
    }
  }

  /**
   * Drops the handle of a file that is about to be deleted. Readers in progress keep the handle until they have
   * finished.
   */
  forgetFile(path: string): void {
    const file = this.#files.get(path);
    if (file === undefined) return;
    this.#files.delete(path);
    file.forgotten = true;
    if (file.users === 0) closeFile(file);
  }

  #trim(): void {
    const limit = this.#closed ? 0 : this.#capacity;
    for (const [path, file] of this.#files) {
      if (this.#files.size <= limit) return;
      if (file.users > 0) continue;
      this.#files.delete(path);
      closeFile(file);
    }
  }

  /** Closes unused handles now, and each other handle when its last reader has finished. */
  close(): void {
    this.#closed = true;
    this.#trim();
  }
}

function closeFile({ handle }: OpenFile): void {
  handle.then((open) => open.close()).catch(() => {});
}
