// Reads stored blocks on a thread that has neither the index nor BlockFiles; the caller provides positions. Each read
// opens the file, so that a deleted or moved file is noticed at once, and no deleted file stays in use.
import { basename, join } from 'node:path';
import { equalBytes } from '../consensus/bytes/hex.js';
import type { Hashes } from '../crypto/crypto.js';
import type { BlockPosition } from './block-records.js';
import { fileName, readLength } from './block-records.js';
import { ReadHandles } from './read-handles.js';
import { type RecordFormat, readExactly } from './record-file.js';
import { StoreError } from './store-error.js';
import { loadXorKey } from './xor-key.js';

const HEADER_BYTES = 80;

export class BlockReader {
  readonly #dir: string;
  readonly #magic: Uint8Array;
  readonly #hashes: Hashes;
  readonly #handles = new ReadHandles(0);
  #format: Promise<RecordFormat> | null = null;

  /** @param magic message start of the network, 4 bytes */
  constructor(dir: string, magic: Uint8Array, hashes: Hashes) {
    this.#dir = dir;
    this.#magic = magic;
    this.#hashes = hashes;
  }

  /**
   * Loads the format of the files, including the XOR key. The node writes the key when it opens the folder, so the key
   * is there before any position is known.
   */
  #loadFormat(): Promise<RecordFormat> {
    this.#format ??= loadXorKey(this.#dir)
      .then((xorKey) => ({ magic: this.#magic, xorKey }))
      .catch((error: unknown) => {
        this.#format = null;
        throw error;
      });
    return this.#format;
  }

  /**
   * Reads a block's bytes or a part of them into a new array.
   * @param hash hash of the block, internal order; if the position has another block, the file is corrupt
   * @param part offset from the block's start, and size; null for the whole block
   * @returns null if the block has no such part, or the part is empty
   * @throws StoreError
   */
  async read(
    at: BlockPosition,
    hash: Uint8Array,
    part: { readonly offset: number; readonly size: number } | null,
  ): Promise<Uint8Array | null> {
    const path = join(this.#dir, fileName('blk', at.file));
    const format = await this.#loadFormat();
    return this.#handles.use(path, async (handle) => {
      const length = await readLength(handle, path, format, at.pos, (await handle.stat()).size, 0);
      const header = new Uint8Array(HEADER_BYTES);
      if (length >= HEADER_BYTES) await readExactly(handle, path, header, at.pos, format.xorKey);
      if (!equalBytes(this.#hashes.sha256d(header), hash)) {
        throw new StoreError('STORE_CORRUPTION', `${basename(path)} has another block at ${at.pos} than expected`);
      }
      const { offset, size } = part ?? { offset: 0, size: length };
      if (size === 0 || offset + size > length) return null;
      const bytes = new Uint8Array(size);
      await readExactly(handle, path, bytes, at.pos + offset, format.xorKey);
      return bytes;
    });
  }
}
