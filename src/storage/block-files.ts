// Blocks and undo data in append-only files, in Bitcoin Core's layout (src/node/blockstorage.cpp). So
// -loadblock, -reindex and other programs can read these files, and adit can use a Core node's blocks folder:
//
//   blkNNNNN.dat   { magic, 4 | length, LE32 | block }                                           at most 128 MiB, then the next number
//   revNNNNN.dat   { magic, 4 | length, LE32 | undo data | sha256d(hash of previous block | undo data), 32 }
//   xor.dat        8-byte key over the bytes of both, when there is one
//
// An append resolves when the kernel has the bytes. From then on they survive the death of the process, and the caller
// may write the index row. Files are synced (fsync) when they are full, in sync() and in close().

import { mkdirSync, readdirSync, statSync, unlinkSync } from 'node:fs';
import { open as openFile, truncate, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { equalBytes } from '../consensus/bytes/hex.js';
import type { Hashes } from '../crypto/crypto.js';
import { SerialQueue } from '../lib/serial-queue.js';
import { assertKnownBlock, assertReadable, type BlockPosition, endOfRecords, fileName, readLength } from './block-records.js';
import { ReadHandles } from './read-handles.js';
import { type FileOpener, RECORD_HEAD_BYTES, RecordFile, type RecordFormat, readExactly } from './record-file.js';
import { fromSystemError, StoreError } from './store-error.js';
import { assertWriting } from './write-stop.js';
import { chooseXorKey } from './xor-key.js';

export interface BlockFilesOptions {
  /** Folder of blkNNNNN.dat and revNNNNN.dat; created when missing. */
  readonly dir: string;
  /** Message start of the network, 4 bytes. */
  readonly magic: Uint8Array;
  /** Size at which a new file starts (128 MiB). */
  readonly maxFileBytes?: number;
  /** Growth of a blk file in bytes that takeGrowth reports (16 MiB). */
  readonly blockChunkBytes?: number;
  /** Growth of a rev file in bytes that takeGrowth reports (1 MiB). */
  readonly undoChunkBytes?: number;
  /**
   * Highest block position in the index; null for none. Opening fails if that block is incomplete and no earlier known
   * block is complete.
   */
  readonly lastKnown: BlockPosition | null;
  /**
   * Positions of the blocks in the index, the nearest to the end first. Read if the last block is incomplete, as after
   * a power failure. Blocks after the last complete one are lost; see lastWhole.
   */
  readonly knownBackwards?: () => Iterable<BlockPosition>;
  /** Value of -blocksxor; see chooseXorKey. */
  readonly xor?: boolean | undefined;
  /**
   * Highest undo position in the index by file. The record at this position, and everything before it, is never cut
   * off.
   */
  readonly lastKnownUndo?: ReadonlyMap<number, number>;
}

/** Repairs made by opening, for the log. */
export interface BlockFilesRepair {
  /** Bytes of an incomplete block that were cut off. */
  readonly tornBytes: number;
}

/** Size of a block header. */
const HEADER_BYTES = 80;
const MAX_BLOCK_FILE_BYTES = 128 << 20;
/** Core reserves disk space in pieces of this size, and checks for pruning when it does. */
const BLOCK_CHUNK_BYTES = 16 << 20;
const UNDO_CHUNK_BYTES = 1 << 20;
const CHECKSUM_BYTES = 32;
/**
 * Age in milliseconds above which a file is certainly on the disk. The kernel keeps written data in memory for half a
 * minute, or ten minutes on some systems.
 */
const SURELY_WRITTEN_MS = 60 * 60 * 1000;
/**
 * Number of cached read handles. A reorganisation, or an explorer with many requests, reads the blk and rev files of a
 * few numbers.
 */
const READ_HANDLES = 16;
/**
 * Number of rev files open for appending. Blocks that arrive out of order in the initial download have their undo data
 * in older files.
 */
const UNDO_WRITERS = 8;

/** The block and undo files of one network. */
export class BlockFiles {
  readonly repair: BlockFilesRepair;
  readonly #undoWriters = new Map<number, RecordFile>();
  readonly #readHandles: ReadHandles;
  readonly #appends = new SerialQueue();
  #closing: Promise<void> | null = null;
  #grown = false;
  /** True if files were created since the folder was last synced. */
  #newNames = false;
  /**
   * Paths of files that the previous run may have written without a sync before it was killed. The first sync of this
   * run also syncs them.
   */
  #left: readonly string[] = [];
  readonly #options: BlockFilesOptions;
  readonly #hashes: Hashes;
  readonly #opener: FileOpener;
  readonly #format: RecordFormat;
  readonly #blkSizes: Map<number, number>;
  readonly #revSizes: Map<number, number>;
  #currentFile: number;
  #current: RecordFile;

  private constructor(
    options: BlockFilesOptions,
    hashes: Hashes,
    opener: FileOpener,
    format: RecordFormat,
    blkSizes: Map<number, number>,
    revSizes: Map<number, number>,
    currentFile: number,
    current: RecordFile,
    tornBytes: number,
    /** Position of the last block in the index that is complete. */
    readonly lastWhole: BlockPosition | null,
    /** Error that shows why the last block in the index is not complete; null if it is complete. */
    readonly loss: StoreError | null,
  ) {
    this.#options = options;
    this.#hashes = hashes;
    this.#opener = opener;
    this.#format = format;
    this.#blkSizes = blkSizes;
    this.#revSizes = revSizes;
    this.#currentFile = currentFile;
    this.#current = current;
    this.repair = { tornBytes };
    this.#newNames = current.created;
    this.#readHandles = new ReadHandles(READ_HANDLES, opener);
  }

  /**
   * Opens the folder, compares the files with the index, and cuts off an incomplete block at the end of the last file.
   */
  static async open(options: BlockFilesOptions, deps: { hashes: Hashes; opener?: FileOpener }): Promise<BlockFiles> {
    const { dir } = options;
    const opener = deps.opener ?? openFile;
    const blkSizes = new Map<number, number>();
    const revSizes = new Map<number, number>();
    const changed = new Map<string, number>();
    try {
      mkdirSync(dir, { recursive: true });
      for (const name of readdirSync(dir)) {
        const match = /^(blk|rev)(\d{5,7})\.dat$/.exec(name);
        if (match === null) continue;
        const { size, mtimeMs } = statSync(join(dir, name));
        (match[1] === 'blk' ? blkSizes : revSizes).set(Number(match[2]), size);
        changed.set(join(dir, name), mtimeMs);
      }
    } catch (error) {
      throw fromSystemError(error, `read the folder ${dir}`);
    }
    const isEmpty = options.lastKnown === null && blkSizes.size === 0 && revSizes.size === 0;
    const format: RecordFormat = { magic: options.magic, xorKey: await chooseXorKey(dir, options.xor, isEmpty) };
    await assertReadable(dir, format, blkSizes);

    const { lastKnown, loss } = await lastWhole(options, format, blkSizes);
    const newest = Math.max(0, ...blkSizes.keys());
    // Without an index, the end of the last complete record in an existing file is unknown. Leave that file unchanged
    // and start a new one.
    const currentFile = lastKnown === null && (blkSizes.get(newest) ?? 0) > 0 ? newest + 1 : newest;
    const current = await RecordFile.open(join(dir, fileName('blk', currentFile)), format, 0, opener);
    try {
      const tornBytes = await current.cutTornTail(lastKnown?.file === currentFile ? lastKnown.pos - RECORD_HEAD_BYTES : 0);
      blkSizes.set(currentFile, current.size);
      const files = new BlockFiles(
        options,
        deps.hashes,
        opener,
        format,
        blkSizes,
        revSizes,
        currentFile,
        current,
        tornBytes,
        lastKnown,
        loss,
      );
      files.#left = lately(changed);
      files.#newNames ||= files.#left.length > 0;
      return files;
    } catch (error) {
      await current.close().catch(() => {});
      throw error;
    }
  }

  /**
   * Appends a block. Resolves when the kernel has it. Positions are in the order of the calls. If the append fails, the
   * files are unchanged.
   */
  async appendBlock(block: Uint8Array): Promise<BlockPosition> {
    return (await this.appendBlocks([block]))[0] as BlockPosition;
  }

  /** Appends blocks, with one write per file. If the append fails, blocks in earlier files may have been written. */
  appendBlocks(blocks: readonly Uint8Array[]): Promise<BlockPosition[]> {
    return this.#serialized(async () => {
      const maxBytes = this.#options.maxFileBytes ?? MAX_BLOCK_FILE_BYTES;
      const positions: BlockPosition[] = [];
      for (let first = 0; first < blocks.length; ) {
        let size = this.#current.size;
        let end = first;
        for (; end < blocks.length; end++) {
          const more = RECORD_HEAD_BYTES + (blocks[end] as Uint8Array).length;
          if (size > 0 && size + more > maxBytes) break;
          size += more;
        }
        if (end === first) {
          await this.#rollOver();
          continue;
        }
        const offsets = await this.#current.append(blocks.slice(first, end).map((payload) => ({ payload, trailer: null })));
        this.#noteGrowth(offsets[0] as number, this.#current.size, this.#options.blockChunkBytes ?? BLOCK_CHUNK_BYTES);
        this.#blkSizes.set(this.#currentFile, this.#current.size);
        for (const pos of offsets) positions.push({ file: this.#currentFile, pos });
        first = end;
      }
      return positions;
    });
  }

  async #rollOver(): Promise<void> {
    await this.#current.sync();
    const file = this.#currentFile + 1;
    const next = await RecordFile.open(join(this.#options.dir, fileName('blk', file)), this.#format, 0, this.#opener);
    await this.#syncFolder();
    await this.#current.close();
    this.#current = next;
    this.#currentFile = file;
    this.#blkSizes.set(file, next.size);
  }

  /**
   * Syncs the folder, so that the names of new files are on the disk. Windows has no such call; its file system writes
   * the names later.
   */
  async #syncFolder(): Promise<void> {
    this.#newNames = false;
    const folder = await this.#opener(this.#options.dir, 'r').catch(() => null);
    await folder?.sync().catch(() => {});
    await folder?.close().catch(() => {});
  }

  /**
   * Appends undo data of blocks to the rev file of their blk file, in one write.
   * @param file number of the blk file
   * @param records `undo` as in codec/undo.ts; `prevHash` hash of the block's parent, internal order; `checksum` sha256d
   *   of both, if the caller has it
   * @returns positions of the payloads
   */
  appendUndo(
    file: number,
    records: readonly { readonly undo: Uint8Array; readonly prevHash: Uint8Array; readonly checksum?: Uint8Array | undefined }[],
  ): Promise<number[]> {
    return this.#serialized(async () => {
      const writer = await this.#undoWriter(file);
      const positions = await writer.append(
        records.map(({ undo, prevHash, checksum }) => ({ payload: undo, trailer: checksum ?? this.#checksum(prevHash, undo) })),
      );
      this.#noteGrowth(positions[0] as number, writer.size, this.#options.undoChunkBytes ?? UNDO_CHUNK_BYTES);
      this.#revSizes.set(file, writer.size);
      return positions;
    });
  }

  #checksum(prevHash: Uint8Array, undo: Uint8Array): Uint8Array {
    const message = new Uint8Array(prevHash.length + undo.length);
    message.set(prevHash);
    message.set(undo, prevHash.length);
    return this.#hashes.sha256d(message);
  }

  async #undoWriter(file: number): Promise<RecordFile> {
    const open = this.#undoWriters.get(file);
    if (open !== undefined) return open;
    if (this.#undoWriters.size >= UNDO_WRITERS) {
      const [oldest, writer] = this.#undoWriters.entries().next().value as [number, RecordFile];
      this.#undoWriters.delete(oldest);
      await writer.close();
    }
    const writer = await RecordFile.open(join(this.#options.dir, fileName('rev', file)), this.#format, CHECKSUM_BYTES, this.#opener);
    const known = this.#options.lastKnownUndo?.get(file);
    if (known !== undefined && (await writer.wholeRecordAt(known - RECORD_HEAD_BYTES)) === null) {
      await writer.close();
      throw new StoreError('STORE_CORRUPTION', `${basename(writer.path)} holds no undo data at ${known}, where the index expects some`);
    }
    await writer.cutTornTail(known === undefined ? 0 : known - RECORD_HEAD_BYTES);
    this.#undoWriters.set(file, writer);
    this.#newNames ||= writer.created;
    return writer;
  }

  /**
   * Reads a block's bytes.
   * @param memory memory for the bytes; default, and if it is too small: a new array
   * @throws StoreError STORE_CORRUPTION or STORE_NOT_FOUND
   */
  async readBlock(at: BlockPosition, memory?: Uint8Array): Promise<Uint8Array> {
    const path = join(this.#options.dir, fileName('blk', at.file));
    return this.#readHandles.use(path, async (handle) => {
      const length = await readLength(handle, path, this.#format, at.pos, this.#blkSizes.get(at.file) ?? 0, 0);
      const block = memory !== undefined && memory.length >= length ? memory.subarray(0, length) : new Uint8Array(length);
      await readExactly(handle, path, block, at.pos, this.#format.xorKey);
      return block;
    });
  }

  /**
   * Reads a part of a block's bytes into a new array.
   * @param offset offset from the block's first byte
   * @throws StoreError as readBlock
   */
  async readPart(at: BlockPosition, offset: number, length: number): Promise<Uint8Array> {
    const path = join(this.#options.dir, fileName('blk', at.file));
    return this.#readHandles.use(path, async (handle) => {
      const size = await readLength(handle, path, this.#format, at.pos, this.#blkSizes.get(at.file) ?? 0, 0);
      if (!(offset >= 0 && length >= 0 && offset + length <= size)) {
        throw new StoreError(
          'STORE_CORRUPTION',
          `The block of ${basename(path)} at ${at.pos} has no bytes ${offset} to ${offset + length}`,
        );
      }
      const part = new Uint8Array(length);
      await readExactly(handle, path, part, at.pos + offset, this.#format.xorKey);
      return part;
    });
  }

  /**
   * Reads undo data and verifies its checksum.
   * @param prevHash hash of the block's parent
   * @throws StoreError STORE_CORRUPTION or STORE_NOT_FOUND
   */
  async readUndo(at: BlockPosition, prevHash: Uint8Array): Promise<Uint8Array> {
    const path = join(this.#options.dir, fileName('rev', at.file));
    return this.#readHandles.use(path, async (handle) => {
      const length = await readLength(handle, path, this.#format, at.pos, this.#revSizes.get(at.file) ?? 0, CHECKSUM_BYTES);
      const bytes = new Uint8Array(length + CHECKSUM_BYTES);
      await readExactly(handle, path, bytes, at.pos, this.#format.xorKey);
      const undo = bytes.subarray(0, length);
      if (!equalBytes(this.#checksum(prevHash, undo), bytes.subarray(length))) {
        throw new StoreError('STORE_CORRUPTION', `Checksum mismatch of the undo data in ${basename(path)} at ${at.pos}`);
      }
      return undo;
    });
  }

  /**
   * Yields the complete records after the last block that was in the index when the files were opened: blocks whose
   * rows the database lost or never had. The order is that of the files. In each file, the search stops at the first
   * bytes that are no record.
   * @param headBytes number of first bytes of each block to read; a smaller block is read as a whole
   */
  async *behindLastKnown(headBytes: number): AsyncGenerator<{ at: BlockPosition; bytes: number; head: Uint8Array }, void, undefined> {
    const lastKnown = this.lastWhole;
    if (lastKnown === null) return;
    for (const { file, path } of this.files()) {
      if (file < lastKnown.file) continue;
      const size = this.#blkSizes.get(file) ?? 0;
      const length = (pos: number): Promise<number> =>
        this.#readHandles.use(path, (handle) => readLength(handle, path, this.#format, pos, size, 0));
      let pos = RECORD_HEAD_BYTES;
      if (file === lastKnown.file) pos += lastKnown.pos + (await length(lastKnown.pos));
      while (pos <= size) {
        const bytes = await length(pos).catch(endOfRecords);
        if (bytes === null) break;
        if (bytes >= HEADER_BYTES) {
          const head = new Uint8Array(Math.min(bytes, headBytes));
          await this.#readHandles.use(path, (handle) => readExactly(handle, path, head, pos, this.#format.xorKey));
          yield { at: { file, pos }, bytes, head };
        }
        pos += bytes + RECORD_HEAD_BYTES;
      }
    }
  }

  /** Syncs everything that was appended before the call (fsync). */
  sync(): Promise<void> {
    return this.#serialized(() => this.#syncAll());
  }

  async #syncAll(): Promise<void> {
    await this.#current.sync();
    for (const writer of this.#undoWriters.values()) await writer.sync();
    await this.#syncLeft();
    if (this.#newNames) await this.#syncFolder();
  }

  async #syncLeft(): Promise<void> {
    for (const path of this.#left) {
      try {
        // An operator may have made full files read-only.
        const handle = await this.#opener(path, 'r');
        try {
          await handle.sync();
        } finally {
          await handle.close();
        }
      } catch (error) {
        // The file was pruned during the sync.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw fromSystemError(error, `sync ${basename(path)}`);
      }
    }
    this.#left = [];
  }

  /** Bytes of all blk and rev files. */
  get sizeOnDisk(): number {
    let bytes = 0;
    for (const size of this.#blkSizes.values()) bytes += size;
    for (const size of this.#revSizes.values()) bytes += size;
    return bytes;
  }

  #noteGrowth(payloadPos: number, end: number, chunkBytes: number): void {
    const before = payloadPos - RECORD_HEAD_BYTES;
    if (Math.ceil(end / chunkBytes) > Math.ceil(before / chunkBytes)) this.#grown = true;
  }

  /** Returns whether a file has grown beyond a multiple of blockChunkBytes or undoChunkBytes since the last call. */
  takeGrowth(): boolean {
    const grown = this.#grown;
    this.#grown = false;
    return grown;
  }

  /** Bytes by which the files may grow before takeGrowth returns true. */
  get chunkBytes(): number {
    return (this.#options.blockChunkBytes ?? BLOCK_CHUNK_BYTES) + (this.#options.undoChunkBytes ?? UNDO_CHUNK_BYTES);
  }

  /** Returns the finished files by number, with the bytes of blocks and undo data together. */
  finished(): { file: number; bytes: number }[] {
    return this.files()
      .filter(({ file }) => file < this.#currentFile)
      .map(({ file }) => ({ file, bytes: (this.#blkSizes.get(file) ?? 0) + (this.#revSizes.get(file) ?? 0) }));
  }

  /** Returns whether there is a blk file with this number. */
  hasFile(file: number): boolean {
    return this.#blkSizes.has(file);
  }

  /** Folder and format, for another thread that reads the files. */
  get folder(): { dir: string } & RecordFormat {
    return { dir: this.#options.dir, ...this.#format };
  }
  /** XOR key of the folder; null for none. */
  get xorKey(): Uint8Array | null {
    return this.#format.xorKey;
  }

  /** Returns the blk files by number, the order in which a reindex reads them. */
  files(): { file: number; path: string }[] {
    return [...this.#blkSizes.keys()].sort((a, b) => a - b).map((file) => ({ file, path: join(this.#options.dir, fileName('blk', file)) }));
  }

  /** Deletes all undo files. A reindex writes them again. */
  removeUndoFiles(): Promise<void> {
    return this.#serialized(async () => {
      for (const writer of this.#undoWriters.values()) await writer.close();
      this.#undoWriters.clear();
      for (const file of [...this.#revSizes.keys()]) {
        const path = join(this.#options.dir, fileName('rev', file));
        this.#readHandles.forgetFile(path);
        try {
          unlinkSync(path);
        } catch (error) {
          throw fromSystemError(error, `remove ${basename(path)}`);
        }
        this.#revSizes.delete(file);
      }
    });
  }

  /**
   * Stops counting files and their undo data in sizeOnDisk. Must be called before `remove`. Numbers without files are
   * skipped.
   * @param numbers finished files only
   */
  giveUp(numbers: readonly number[]): Promise<void> {
    return this.#serialized(async () => {
      for (const file of numbers) {
        if (file === this.#currentFile) throw new RangeError('the file that blocks are appended to cannot be removed');
        this.#blkSizes.delete(file);
        this.#revSizes.delete(file);
        await this.#undoWriters.get(file)?.discard();
        this.#undoWriters.delete(file);
      }
    });
  }

  /**
   * Deletes files after `giveUp`, on libuv's threads. Reads of these files that are in progress fail.
   * @throws StoreError
   */
  async remove(numbers: readonly number[]): Promise<void> {
    for (const file of numbers) {
      for (const kind of ['blk', 'rev'] as const) await this.#removeFile(join(this.#options.dir, fileName(kind, file)));
    }
    await this.#syncFolder();
  }

  /** Deletes a file. Truncates it first: otherwise it would use disk space as long as another thread has it open. */
  async #removeFile(path: string): Promise<void> {
    assertWriting(`remove ${basename(path)}`);
    this.#readHandles.forgetFile(path);
    try {
      await truncate(path);
      await unlink(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw fromSystemError(error, `remove ${basename(path)}`);
    }
  }

  /** Waits for appends in progress, syncs, and closes the files. A second call does nothing. */
  close(): Promise<void> {
    this.#closing ??= this.#appends.run(async () => {
      this.#readHandles.close();
      try {
        await this.#syncAll();
      } finally {
        await this.#current.close();
        for (const writer of this.#undoWriters.values()) await writer.close();
      }
    });
    return this.#closing;
  }

  #serialized<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing !== null) return Promise.reject(new StoreError('STORE_CLOSED', 'The block files are closed'));
    return this.#appends.run(work);
  }
}

/**
 * Returns the files that were written during the last hour of writing. Compares the files' modification times with each
 * other, because the clock may have been changed since.
 */
function lately(changed: ReadonlyMap<string, number>): string[] {
  let newest = 0;
  for (const ms of changed.values()) newest = Math.max(newest, ms);
  return [...changed].filter(([, ms]) => ms > newest - SURELY_WRITTEN_MS).map(([path]) => path);
}

/**
 * Returns the last block in the index that is complete, and the error of the very last block if that is another one.
 * @throws StoreError if no block is complete
 */
async function lastWhole(
  { dir, lastKnown, knownBackwards }: BlockFilesOptions,
  format: RecordFormat,
  sizes: ReadonlyMap<number, number>,
): Promise<{ lastKnown: BlockPosition | null; loss: StoreError | null }> {
  if (lastKnown === null) return { lastKnown, loss: null };
  const failure = async (at: BlockPosition): Promise<StoreError | null> => {
    try {
      await assertKnownBlock(dir, format, at);
      return null;
    } catch (error) {
      if (error instanceof StoreError && error.code === 'STORE_CORRUPTION') return error;
      throw error;
    }
  };
  const loss = await failure(lastKnown);
  if (loss === null) return { lastKnown, loss };
  for (const at of knownBackwards?.() ?? []) {
    // If the file is too short for a block, skip the block without reading.
    if (at.pos < (sizes.get(at.file) ?? 0) && (await failure(at)) === null) return { lastKnown: at, loss };
  }
  throw loss;
}
