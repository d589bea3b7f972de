// Reads records of the block files synchronously, on threads that have positions but no BlockFiles.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { equalBytes } from '../consensus/bytes/hex.js';
import { readU32 } from '../consensus/bytes/reader.js';
import type { Hashes } from '../crypto/crypto.js';
import { type BlockPosition, fileName } from './block-records.js';
import { isMagic, RECORD_HEAD_BYTES, type RecordFormat } from './record-file.js';
import { fromSystemError, StoreError } from './store-error.js';
import { applyXor } from './xor-key.js';

const HEADER_BYTES = 80;
const CHECKSUM_BYTES = 32;

/** Folder of the block files, and their format. */
export interface RecordFolder extends RecordFormat {
  readonly dir: string;
}

export class SyncRecords {
  readonly #hashes: Hashes;
  readonly #capacity: number;
  /** Open files by path, the least recently used first. */
  readonly #files = new Map<string, number>();

  /**
   * @param capacity number of files that stay open. With 0 every read opens its file, so that a pruned file is noticed
   *   at once and its space is freed
   */
  constructor(hashes: Hashes, capacity: number) {
    this.#hashes = hashes;
    this.#capacity = capacity;
  }

  /**
   * Reads a block, or a part of it.
   * @param hash hash of the block, internal order; if the position has another block, the file is corrupt
   * @param part offset from the block's start, and size; null for the whole block
   * @returns null if the block has no such part, or the part is empty
   * @throws StoreError
   */
  readBlock(
    folder: RecordFolder,
    at: BlockPosition,
    hash: Uint8Array | null,
    part: { readonly offset: number; readonly size: number } | null,
  ): Uint8Array | null {
    return this.#use(folder, 'blk', at, (fd, name) => {
      const length = this.#length(fd, name, folder, at.pos, 0);
      if (part === null) {
        const bytes = this.#read(fd, name, at.pos, length, folder.xorKey);
        this.#assertHeader(bytes.subarray(0, HEADER_BYTES), hash, name, at.pos);
        return bytes;
      }
      if (hash !== null) {
        this.#assertHeader(this.#read(fd, name, at.pos, Math.min(HEADER_BYTES, length), folder.xorKey), hash, name, at.pos);
      }
      const { offset, size } = part;
      return size === 0 || offset + size > length ? null : this.#read(fd, name, at.pos + offset, size, folder.xorKey);
    });
  }

  #assertHeader(header: Uint8Array, hash: Uint8Array | null, name: string, pos: number): void {
    if (hash !== null && (header.length < HEADER_BYTES || !equalBytes(this.#hashes.sha256d(header), hash)))
      throw new StoreError('STORE_CORRUPTION', `${name} has another block at ${pos} than expected`);
  }

  /**
   * Reads undo data and verifies its checksum.
   * @param prevHash hash of the block's parent, internal order
   * @throws StoreError
   */
  readUndo(folder: RecordFolder, at: BlockPosition, prevHash: Uint8Array): Uint8Array {
    return this.#use(folder, 'rev', at, (fd, name) => {
      const length = this.#length(fd, name, folder, at.pos, CHECKSUM_BYTES);
      const bytes = this.#read(fd, name, at.pos, length + CHECKSUM_BYTES, folder.xorKey);
      const undo = bytes.subarray(0, length);
      const message = new Uint8Array(prevHash.length + length);
      message.set(prevHash);
      message.set(undo, prevHash.length);
      if (!equalBytes(this.#hashes.sha256d(message), bytes.subarray(length)))
        throw new StoreError('STORE_CORRUPTION', `Checksum mismatch of the undo data in ${name} at ${at.pos}`);
      return undo;
    });
  }

  #use<T>({ dir }: RecordFolder, kind: 'blk' | 'rev', { file }: BlockPosition, read: (fd: number, name: string) => T): T {
    const name = fileName(kind, file);
    const path = join(dir, name);
    let fd = this.#files.get(path);
    try {
      fd ??= openSync(path, 'r');
      // Inserting the file again moves it to the end of the map.
      this.#files.delete(path);
      this.#files.set(path, fd);
      return read(fd, name);
    } catch (error) {
      throw fromSystemError(error, `read ${name}`);
    } finally {
      while (this.#files.size > this.#capacity) {
        const [oldest, oldFd] = this.#files.entries().next().value as [string, number];
        this.#files.delete(oldest);
        closeSync(oldFd);
      }
    }
  }

  /** Reads the length before a payload, and checks it before memory is allocated for the payload. */
  #length(fd: number, name: string, { magic, xorKey }: RecordFormat, pos: number, trailerBytes: number): number {
    const { size } = fstatSync(fd);
    if (pos < RECORD_HEAD_BYTES || pos > size) throw new StoreError('STORE_NOT_FOUND', `${name} has no record at ${pos}`);
    const head = this.#read(fd, name, pos - RECORD_HEAD_BYTES, RECORD_HEAD_BYTES, xorKey);
    if (!isMagic(head, 0, magic)) throw new StoreError('STORE_CORRUPTION', `${name} has no record at ${pos}: wrong magic`);
    const length = readU32(head, 4);
    if (pos + length + trailerBytes > size) {
      const end = 'which exceeds the end of the file';
      throw new StoreError('STORE_CORRUPTION', `The record of ${name} at ${pos} has a length of ${length} bytes, ${end}`);
    }
    return length;
  }

  #read(fd: number, name: string, at: number, length: number, xorKey: Uint8Array | null): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const count = readSync(fd, bytes, done, length - done, at + done);
      if (count === 0) throw new StoreError('STORE_CORRUPTION', `${name} ends at ${at + done}, inside a record`);
      done += count;
    }
    applyXor(bytes, at, xorKey);
    return bytes;
  }
}
