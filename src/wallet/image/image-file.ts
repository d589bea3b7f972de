// Stores the columns of an image as a file in the wallet's database folder, so that replacing or deleting the database
// also removes its images. Columns are read and written in place, in libuv's pool.
//
//   0 magic, 12   12 format, u32   16 id, 16   32 columns one after another, each at a multiple of 8
//   then the directory: number of columns, u32; of each its type, u8, whether it is secret, u8, used elements, double; SHA-256 of each
//   piece of PIECE bytes of each column, 32   then the directory's length, u32, and SHA-256 of head, directory and length, 32
//
// Numbers are in the machine's byte order. The format number shows a file of another byte order.
import { createHash, webcrypto } from 'node:crypto';
import fs, { type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { TimeSlice } from '../../lib/time-slice.js';
import { readExactly } from '../../storage/record-file.js';
import { assertWriting } from '../../storage/write-stop.js';
import { type Column, columnWithCapacity, IMAGE_FORMAT, type ImageColumn, ImageError, typeOf, wipeSecrets } from './table-image.js';

/** Storage for the images of one wallet. An id names an image. */
export interface ImageFiles {
  /** Writes an image. It is complete and on disk when the promise resolves. @param id 16 bytes */
  write(id: Uint8Array, columns: readonly ImageColumn[]): Promise<void>;
  /**
   * Reads an image.
   * @returns null if there is none with this id, or if it is damaged, unreadable or of another format
   */
  read(id: Uint8Array): Promise<ImageColumn[] | null>;
  /** Deletes every image except one. */
  deleteAllExcept(id: Uint8Array | null): Promise<void>;
}

const MAGIC = new TextEncoder().encode('adit tables\n');
const HEAD = 32;
const TAIL = 36;
const DIGEST = 32;
const ENTRY = 10;
const PIECE = 1 << 20;
/** Number of pieces that are read or written concurrently. */
const MAX_CONCURRENT_PIECES = 8;
const NAME = /^tables-[0-9a-f]{32}$/;

const bytesOf = (column: Column): Uint8Array => new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
const padded = (size: number): number => Math.ceil(size / 8) * 8;

function headOf(id: Uint8Array): Uint8Array {
  const head = new Uint8Array(HEAD);
  head.set(MAGIC);
  head.set(new Uint8Array(Uint32Array.of(IMAGE_FORMAT).buffer), 12);
  head.set(id, 16);
  return head;
}
const sealOf = (...parts: readonly Uint8Array[]): Uint8Array => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
};

interface Piece {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly secret: boolean;
}

/** Yields the pieces of all columns with their offsets in the file. */
function* piecesOf(columns: readonly ImageColumn[]): Generator<Piece> {
  let at = HEAD;
  for (const { column, secret } of columns) {
    const bytes = bytesOf(column);
    for (let from = 0; from < bytes.length; from += PIECE) yield { bytes: bytes.subarray(from, from + PIECE), at: at + from, secret };
    at += padded(bytes.length);
  }
}
const endOf = (columns: readonly ImageColumn[]): number => columns.reduce((at, { column }) => at + padded(column.byteLength), HEAD);

/**
 * Hashes a piece in libuv's thread pool, which makes a copy. Pieces with private keys are hashed on this thread,
 * without a copy.
 */
async function digestOf({ bytes, secret }: Piece): Promise<Uint8Array> {
  if (secret) return new Uint8Array(createHash('sha256').update(bytes).digest());
  return new Uint8Array(await webcrypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
}

/** Runs `work` for each piece, several concurrently. @returns the results of `work`, in the order of the pieces */
async function eachPiece<T>(columns: readonly ImageColumn[], work: (piece: Piece, index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let index = 0;
  const pieces = piecesOf(columns);
  const run = async (): Promise<void> => {
    for (const piece of pieces) {
      const own = index++;
      results[own] = await work(piece, own);
    }
  };
  // Wait for all pieces even if one fails, so that the caller can close the file or wipe a column.
  const ends = await Promise.allSettled(Array.from({ length: MAX_CONCURRENT_PIECES }, run));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return results;
}

function directoryOf(columns: readonly ImageColumn[], digests: readonly Uint8Array[]): Uint8Array {
  const directory = new Uint8Array(4 + columns.length * ENTRY + digests.length * DIGEST);
  const view = new DataView(directory.buffer);
  view.setUint32(0, columns.length, true);
  columns.forEach(({ column, secret }, i) => {
    view.setUint8(4 + i * ENTRY, typeOf(column));
    view.setUint8(5 + i * ENTRY, secret ? 1 : 0);
    view.setFloat64(6 + i * ENTRY, column.length, true);
  });
  digests.forEach((digest, i) => {
    directory.set(digest, 4 + columns.length * ENTRY + i * DIGEST);
  });
  return directory;
}

async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
  }
}

/** Reads the directory. @returns empty columns, and the digests that their pieces must have */
async function readDirectory(file: FileHandle, name: string, id: Uint8Array): Promise<{ columns: ImageColumn[]; digests: Uint8Array }> {
  const { size } = await file.stat();
  if (size < HEAD + TAIL) throw new ImageError('the file is cut off');
  const head = new Uint8Array(HEAD);
  const tail = new Uint8Array(TAIL);
  await readExactly(file, name, head, 0, null);
  await readExactly(file, name, tail, size - TAIL, null);
  if (Buffer.compare(head, headOf(id)) !== 0) throw new ImageError('another format');
  const length = new DataView(tail.buffer).getUint32(0, true);
  if (length < 4 || length > size - HEAD - TAIL) throw new ImageError('the file is damaged');
  const directory = new Uint8Array(length);
  await readExactly(file, name, directory, size - TAIL - length, null);
  if (Buffer.compare(sealOf(head, directory, tail.subarray(0, 4)), tail.subarray(4)) !== 0) throw new ImageError('the file is damaged');
  const view = new DataView(directory.buffer);
  const count = view.getUint32(0, true);
  const columns: ImageColumn[] = [];
  const slice = new TimeSlice();
  for (let i = 0; i < count; i++) {
    // Pause if the time slice is over: allocating a large array takes milliseconds, because the garbage collector
    // checks its limits.
    if (slice.over) await slice.next();
    const column = columnWithCapacity(view.getUint8(4 + i * ENTRY), view.getFloat64(6 + i * ENTRY, true));
    columns.push({ column, secret: view.getUint8(5 + i * ENTRY) === 1 });
  }
  if (endOf(columns) !== size - TAIL - length) throw new ImageError('the file is damaged');
  return { columns, digests: directory.subarray(4 + count * ENTRY) };
}

/** Creates the storage for images in the folder of a database. @param folder of the database */
export function createImageFiles(folder: string): ImageFiles {
  const fileOf = (id: Uint8Array): string => path.join(folder, `tables-${Buffer.from(id).toString('hex')}`);
  return {
    async write(id, columns) {
      assertWriting('write the tables of a wallet');
      const file = await fs.open(fileOf(id), 'wx', 0o600);
      try {
        const digests = await eachPiece(columns, async (piece) => {
          const digest = await digestOf(piece);
          await writeAll(file, piece.bytes, piece.at);
          return digest;
        });
        const head = headOf(id);
        const directory = directoryOf(columns, digests);
        const length = new Uint8Array(4);
        new DataView(length.buffer).setUint32(0, directory.length, true);
        await writeAll(file, head, 0);
        await writeAll(file, Buffer.concat([directory, length, sealOf(head, directory, length)]), endOf(columns));
        await file.sync();
        await file.close();
      } catch (error) {
        await file.close().catch(() => {});
        await fs.rm(fileOf(id), { force: true });
        throw error;
      }
    },
    async read(id) {
      const file = await fs.open(fileOf(id), 'r').catch(() => null);
      if (file === null) return null;
      const read: ImageColumn[] = [];
      try {
        const { columns, digests } = await readDirectory(file, fileOf(id), id);
        read.push(...columns);
        await eachPiece(columns, async (piece, index) => {
          await readExactly(file, fileOf(id), piece.bytes, piece.at, null);
          const wanted = digests.subarray(index * DIGEST, (index + 1) * DIGEST);
          if (Buffer.compare(await digestOf(piece), wanted) !== 0) throw new ImageError('the file is damaged');
        });
        return columns;
      } catch {
        // An image that cannot be read is ignored. The database rows contain the same data.
        wipeSecrets(read);
        return null;
      } finally {
        await file.close();
      }
    },
    async deleteAllExcept(id) {
      const currentName = id && path.basename(fileOf(id));
      for (const name of await fs.readdir(folder).catch(() => [])) {
        if (NAME.test(name) && name !== currentName) await fs.rm(path.join(folder, name), { force: true });
      }
    },
  };
}
