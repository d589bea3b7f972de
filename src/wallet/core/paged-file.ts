// Reads a file page by page, each page once at most. So page numbers in a hostile file cannot cause more work than the
// file's size allows.
import type { FileHandle } from 'node:fs/promises';
import { openFile } from '../../lib/open-file.js';

/** Error of a Bitcoin Core wallet file that cannot be read. The message says why, and what the operator can do. */
export class CoreFileError extends Error {
  override readonly name = 'CoreFileError';
}

/** Bytes read at once, because pages of a tree are mostly adjacent. */
const WINDOW = 1 << 18;

/** Random access to the bytes of a file. */
export interface ByteSource {
  readonly size: number;
  /** Reads bytes into a new array; fewer at the end of the file. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Key and value of a row in a wallet's database, in arrays that the caller owns. */
export interface CoreRow {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Open file. The bytes may contain private keys, so closing overwrites the buffer. */
export class OpenFile implements ByteSource {
  readonly #handle: FileHandle;
  readonly #window = new Uint8Array(WINDOW);
  #from = 0;
  #filled = 0;
  readonly #changedMs: number;

  private constructor(
    handle: FileHandle,
    readonly size: number,
    changedMs: number,
  ) {
    this.#changedMs = changedMs;
    this.#handle = handle;
  }
  /** Opens a file. @throws as openFile */
  static async open(path: string): Promise<OpenFile> {
    const handle = await openFile(path);
    try {
      const info = await handle.stat();
      return new OpenFile(handle, info.size, info.mtimeMs);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
  async read(offset: number, length: number): Promise<Uint8Array> {
    const isHeld = offset >= this.#from && offset + length <= this.#from + this.#filled;
    if (!isHeld && length > WINDOW) return this.#readInto(new Uint8Array(length), offset);
    if (!isHeld) {
      this.#from = offset;
      this.#filled = (await this.#readInto(this.#window, offset)).length;
    }
    return this.#window.slice(offset - this.#from, Math.min(offset - this.#from + length, this.#filled));
  }
  async #readInto(into: Uint8Array, offset: number): Promise<Uint8Array> {
    let filled = 0;
    while (filled < into.length) {
      const { bytesRead } = await this.#handle.read(into, filled, into.length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return into.subarray(0, filled);
  }
  /**
   * Checks that the file has not changed since it was opened.
   * @throws CoreFileError if another program has written it
   */
  async assertUnchanged(): Promise<void> {
    const { size, mtimeMs } = await this.#handle.stat();
    if (size !== this.size || mtimeMs !== this.#changedMs)
      throw new CoreFileError('The file is being written by another program: unload the wallet there first');
  }
  async close(): Promise<void> {
    this.#window.fill(0);
    await this.#handle.close();
  }
}

/** File as pages of one size, numbered from 0. */
export class PagedFile {
  readonly count: number;
  readonly #seen: Uint8Array;
  readonly #source: ByteSource;

  constructor(
    source: ByteSource,
    readonly pageSize: number,
  ) {
    this.#source = source;
    this.count = Math.floor(source.size / pageSize);
    this.#seen = new Uint8Array(this.count);
  }
  /** Reads a page. @throws CoreFileError if the page does not exist or was read before */
  async page(number: number): Promise<Uint8Array> {
    if (number >= this.count) throw new CoreFileError(`The file is damaged: it has no page ${number}`);
    if (this.#seen[number] === 1) throw new CoreFileError(`The file is damaged: page ${number} is referenced twice`);
    this.#seen[number] = 1;
    const bytes = await this.#source.read(number * this.pageSize, this.pageSize);
    if (bytes.length !== this.pageSize)
      throw new CoreFileError('The file is being written by another program: unload the wallet there first');
    return bytes;
  }
}
