// An append-only file of records in Core's layout: magic, 4 bytes; payload length, LE32; payload; in rev files a
// 32-byte checksum that the length does not include. Writes use explicit offsets, never the file's own position, so a
// failed write cannot shift later ones.

import { type FileHandle, open as openFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { readU32 } from '../consensus/bytes/reader.js';
import { writeU32 } from '../consensus/bytes/writer.js';
import { fromSystemError, StoreError } from './store-error.js';
import { assertWriting } from './write-stop.js';
import { applyXor } from './xor-key.js';

/** Size of magic and length before each payload. */
export const RECORD_HEAD_BYTES = 8;

/** Format that all record files of a folder share. */
export interface RecordFormat {
  readonly magic: Uint8Array;
  readonly xorKey: Uint8Array | null;
}

/** Opens files: node:fs/promises' open, or a wrapper for tests. */
export type FileOpener = (path: string, flags: string) => Promise<FileHandle>;

/** Number of bytes read at once while walking over records. */
const WALK_WINDOW_BYTES = 64 << 10;

/** Returns whether the four bytes at `at` are the network's message start. */
export function isMagic(bytes: Uint8Array, at: number, magic: Uint8Array): boolean {
  return bytes[at] === magic[0] && bytes[at + 1] === magic[1] && bytes[at + 2] === magic[2] && bytes[at + 3] === magic[3];
}

/**
 * Fills `target` with bytes of the file from `offset`, and removes the XOR key. Throws STORE_CORRUPTION if the file
 * ends earlier.
 */
export async function readExactly(
  handle: FileHandle,
  path: string,
  target: Uint8Array,
  offset: number,
  xorKey: Uint8Array | null,
): Promise<void> {
  let done = 0;
  while (done < target.length) {
    let bytesRead: number;
    try {
      ({ bytesRead } = await handle.read(target, done, target.length - done, offset + done));
    } catch (error) {
      throw fromSystemError(error, `read ${basename(path)}`);
    }
    if (bytesRead === 0) throw new StoreError('STORE_CORRUPTION', `${basename(path)} ends at ${offset + done}, inside a record`);
    done += bytesRead;
  }
  applyXor(target, offset, xorKey);
}

/** A record file open for appending. */
export class RecordFile {
  /** True if unsynced bytes were written. */
  dirty = false;
  readonly #handle: FileHandle;
  readonly #format: RecordFormat;
  /** Number of bytes after the payload that the length does not include: 0 in blk files, 32 in rev files. */
  readonly #trailerBytes: number;
  /** Memory in which `append` puts records together. New memory for each group would cost page faults and collections. */
  #memory = new Uint8Array(0);

  private constructor(
    readonly path: string,
    handle: FileHandle,
    format: RecordFormat,
    trailerBytes: number,
    /** End of the last complete record, where the next record is written. */
    public size: number,
    /** True if this call created the file. The folder must then be synced, so that the file's name is on the disk. */
    readonly created: boolean,
  ) {
    this.#handle = handle;
    this.#format = format;
    this.#trailerBytes = trailerBytes;
  }

  /** Opens or creates a file. */
  static async open(path: string, format: RecordFormat, trailerBytes: number, open: FileOpener = openFile): Promise<RecordFile> {
    let handle: FileHandle | undefined;
    try {
      // 'r+' and not 'a': Linux ignores offsets of writes to files opened for appending.
      let created = false;
      handle = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        created = true;
        return open(path, 'wx+');
      });
      const { size } = await handle.stat();
      return new RecordFile(path, handle, format, trailerBytes, size, created);
    } catch (error) {
      await handle?.close().catch(() => {});
      throw fromSystemError(error, `open ${basename(path)}`);
    }
  }

  /** Returns the length of the payload whose head is at `offset`; null if there is no complete record. */
  async wholeRecordAt(offset: number): Promise<number | null> {
    if (offset < 0 || offset + RECORD_HEAD_BYTES > this.size) return null;
    const head = new Uint8Array(RECORD_HEAD_BYTES);
    await readExactly(this.#handle, this.path, head, offset, this.#format.xorKey);
    if (!isMagic(head, 0, this.#format.magic)) return null;
    const length = readU32(head, 4);
    return offset + RECORD_HEAD_BYTES + length + this.#trailerBytes <= this.size ? length : null;
  }

  /**
   * Walks from `from` (the start or the end of a record) to the end of the last complete record, and cuts off what a
   * killed process has left after it: an incomplete record, or zeros that another program reserved. Other bytes stay,
   * because cutting unknown data could destroy blocks.
   * @returns number of bytes cut off
   */
  async cutTornTail(from: number): Promise<number> {
    let at = from;
    const window = new Uint8Array(WALK_WINDOW_BYTES);
    let windowStart = 0;
    let windowBytes = 0;
    let torn = false;
    while (at < this.size) {
      if (at + RECORD_HEAD_BYTES > this.size) {
        torn = true;
        break;
      }
      if (at < windowStart || at + RECORD_HEAD_BYTES > windowStart + windowBytes) {
        windowStart = at;
        windowBytes = Math.min(WALK_WINDOW_BYTES, this.size - at);
        await readExactly(this.#handle, this.path, window.subarray(0, windowBytes), at, this.#format.xorKey);
      }
      const head = at - windowStart;
      if (!isMagic(window, head, this.#format.magic)) break;
      const next = at + RECORD_HEAD_BYTES + readU32(window, head + 4) + this.#trailerBytes;
      if (next > this.size) {
        torn = true;
        break;
      }
      at = next;
    }
    if (at >= this.size || !(torn || (await this.#onlyZerosFrom(at)))) return 0;
    const cut = this.size - at;
    try {
      await this.#handle.truncate(at);
    } catch (error) {
      throw fromSystemError(error, `cut back ${basename(this.path)}`);
    }
    this.size = at;
    this.dirty = true;
    return cut;
  }

  async #onlyZerosFrom(offset: number): Promise<boolean> {
    const window = new Uint8Array(WALK_WINDOW_BYTES);
    for (let at = offset; at < this.size; at += window.length) {
      const part = window.subarray(0, Math.min(window.length, this.size - at));
      // Read without the XOR key: space reserved by Core is zero on the disk.
      await readExactly(this.#handle, this.path, part, at, null);
      if (part.some((byte) => byte !== 0)) return false;
    }
    return true;
  }

  /**
   * Appends records. Resolves when the kernel has all of them. After an error the file has its old length.
   * @param records trailer: the checksum in rev files, null in blk files
   * @returns offsets of the payloads
   */
  async append(records: readonly { readonly payload: Uint8Array; readonly trailer: Uint8Array | null }[]): Promise<number[]> {
    assertWriting(`write ${basename(this.path)}`);
    const start = this.size;
    let length = 0;
    for (const { payload } of records) length += RECORD_HEAD_BYTES + payload.length + this.#trailerBytes;
    // The caller appends one group at a time, so the memory of the last one is free.
    if (this.#memory.length < length) this.#memory = new Uint8Array(length);
    const bytes = this.#memory.subarray(0, length);
    const offsets: number[] = [];
    let at = 0;
    for (const { payload, trailer } of records) {
      bytes.set(this.#format.magic, at);
      writeU32(bytes, at + 4, payload.length);
      at += RECORD_HEAD_BYTES;
      offsets.push(start + at);
      bytes.set(payload, at);
      at += payload.length;
      if (trailer !== null) bytes.set(trailer, at);
      at += this.#trailerBytes;
    }
    applyXor(bytes, start, this.#format.xorKey);
    try {
      let done = 0;
      while (done < length) {
        const { bytesWritten } = await this.#handle.write(bytes, done, length - done, start + done);
        if (bytesWritten === 0) throw new Error('the system wrote no bytes');
        done += bytesWritten;
      }
    } catch (error) {
      // If truncating fails too, the next append overwrites the same bytes.
      await this.#handle.truncate(start).catch(() => {});
      throw fromSystemError(error, `write ${basename(this.path)}`);
    }
    this.size = start + length;
    this.dirty = true;
    return offsets;
  }

  /** Syncs the file if it has unsynced bytes (fsync). */
  async sync(): Promise<void> {
    if (!this.dirty) return;
    this.dirty = false;
    try {
      await this.#handle.sync();
    } catch (error) {
      this.dirty = true;
      throw fromSystemError(error, `sync ${basename(this.path)}`);
    }
  }

  /** Syncs and closes. */
  async close(): Promise<void> {
    try {
      await this.sync();
    } finally {
      await this.#handle.close().catch(() => {});
    }
  }

  /** Closes a file that is about to be deleted. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {});
  }
}
