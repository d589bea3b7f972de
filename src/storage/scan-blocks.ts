// Reads blocks from files of other programs: Core's blk files, bootstrap.dat, and text files with one hex block per
// line. Uses limited memory. After damaged bytes, continues at the next block.

import { readdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readU32 } from '../consensus/bytes/reader.js';
import { isMagic, RECORD_HEAD_BYTES, readExactly } from './record-file.js';
import { fromSystemError, StoreError } from './store-error.js';
import { applyXor, loadXorKey } from './xor-key.js';

/** A block found in a file. */
export interface ScannedBlock {
  /** Byte offset of the block (binary files) or of its line (hex files). */
  readonly pos: number;
  /** Bytes of the block, or its first ScanOptions.headBytes, in a new array. */
  readonly bytes: Uint8Array;
  /** Size of the block. */
  readonly length: number;
  /** True if the block came from a text file. readScanned cannot read such a block again. */
  readonly text: boolean;
}

export interface ScanOptions {
  /** Message start of the network, 4 bytes. */
  readonly magic: Uint8Array;
  /** XOR key of the file; null for none. Default: xor.dat in the same folder, if it exists. */
  readonly xorKey?: Uint8Array | null;
  /**
   * Returns whether a payload may be a block, given its first bytes, at least a header. Called before `parses`. A region
   * full of magics would take quadratic time if each payload in it was read and parsed as a whole.
   */
  readonly begins?: (head: Uint8Array) => boolean;
  /**
   * Returns whether a payload is a block. If not, the search continues one byte after the start of the payload's magic.
   * Not called for a record that another one follows, because its length is right.
   */
  readonly parses?: (bytes: Uint8Array) => boolean;
  /** Number of bytes of each block that the caller needs; default: all. The scan of binary files skips the others. */
  readonly headBytes?: number;
}

/** Core's MAX_BLOCK_SERIALIZED_SIZE. A record that claims more is damaged. */
const MAX_BLOCK_BYTES = 4_000_000;
/** Size of a header. Core skips records that are shorter than this too. */
const MIN_BLOCK_BYTES = 80;
const READ_BYTES = 1 << 20;
/** Bytes of one read if only the heads of blocks are needed. */
const READ_HEAD_BYTES = 4 << 10;
/** Longest line of a hex file: a block and a line end. */
const MAX_LINE_BYTES = 2 * MAX_BLOCK_BYTES + 16;

/** A window over a file. Its memory is at most one block plus one read. */
class FileWindow {
  #buffer: Uint8Array;
  /** File offset of buffer[0]. */
  #base = 0;
  #filled = 0;
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #xorKey: Uint8Array | null;
  readonly #readBytes: number;

  constructor(handle: FileHandle, path: string, xorKey: Uint8Array | null, readBytes = READ_BYTES) {
    this.#handle = handle;
    this.#path = path;
    this.#xorKey = xorKey;
    this.#readBytes = readBytes;
    this.#buffer = new Uint8Array(readBytes);
  }

  /**
   * Returns the bytes from file offset `from`: at least `count`, unless the file ends before. The result is a view,
   * valid until the next call.
   */
  async view(from: number, count: number): Promise<Uint8Array> {
    let start = from - this.#base;
    if (start < 0 || start + count > this.#filled) {
      // Drop the part before `from` only when new bytes are read, so that small steps copy nothing.
      const unread = start < 0 ? 0 : Math.max(0, this.#filled - start);
      if (unread > 0) this.#buffer.copyWithin(0, start, this.#filled);
      this.#base = from;
      this.#filled = unread;
      start = 0;
      await this.#readMore(count);
    }
    return this.#buffer.subarray(start, this.#filled);
  }

  async #readMore(count: number): Promise<void> {
    if (this.#buffer.length < count) {
      const grown = new Uint8Array(count + this.#readBytes);
      grown.set(this.#buffer.subarray(0, this.#filled));
      this.#buffer = grown;
    }
    while (this.#filled < count) {
      let bytesRead: number;
      try {
        ({ bytesRead } = await this.#handle.read(
          this.#buffer,
          this.#filled,
          this.#buffer.length - this.#filled,
          this.#base + this.#filled,
        ));
      } catch (error) {
        throw fromSystemError(error, `read ${this.#path}`);
      }
      if (bytesRead === 0) return;
      applyXor(this.#buffer.subarray(this.#filled, this.#filled + bytesRead), this.#base + this.#filled, this.#xorKey);
      this.#filled += bytesRead;
    }
  }
}

async function openInput(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw fromSystemError(error, `open ${path}`);
  }
}

/**
 * Yields the blocks of a blk file, a bootstrap file, or a text file with one hex block per line. The first bytes decide
 * the kind.
 */
export async function* scanBlocks(path: string, options: ScanOptions): AsyncGenerator<ScannedBlock, void, undefined> {
  const xorKey = options.xorKey === undefined ? await loadXorKey(dirname(path)) : options.xorKey;
  const handle = await openInput(path);
  try {
    const raw = await new FileWindow(handle, path, null).view(0, MIN_BLOCK_BYTES);
    if (looksLikeHex(raw)) yield* hexLines(handle, path);
    else yield* records(handle, path, options, xorKey);
  } finally {
    await handle.close();
  }
}

/**
 * Reads a block of a binary file again.
 * @param pos as in ScannedBlock
 * @throws StoreError
 */
export async function readScanned(path: string, pos: number, length: number): Promise<Uint8Array> {
  const xorKey = await loadXorKey(dirname(path));
  const handle = await openInput(path);
  try {
    const bytes = new Uint8Array(length);
    await readExactly(handle, path, bytes, pos, xorKey);
    return bytes;
  } finally {
    await handle.close();
  }
}

/**
 * Returns the blk files of a folder by number; empty if there are none.
 * @throws StoreError
 */
export function blockFilesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => /^blk\d{5,7}\.dat$/.test(name))
      .sort((a, b) => Number(a.slice(3, -4)) - Number(b.slice(3, -4)))
      .map((name) => join(dir, name));
  } catch (error) {
    throw fromSystemError(error, `read the folder ${dir}`);
  }
}

/**
 * Returns whether a file starts with 80 hex digits. No network's magic is text, and an XOR key rarely turns it into
 * text.
 */
function looksLikeHex(start: Uint8Array): boolean {
  if (start.length < MIN_BLOCK_BYTES) return false;
  for (let i = 0; i < MIN_BLOCK_BYTES; i++) if (HEX[start[i]] === 255) return false;
  return true;
}

async function* records(
  handle: FileHandle,
  path: string,
  options: ScanOptions,
  xorKey: Uint8Array | null,
): AsyncGenerator<ScannedBlock, void, undefined> {
  const { magic, headBytes = MAX_BLOCK_BYTES } = options;
  const window = new FileWindow(handle, path, xorKey, headBytes < READ_HEAD_BYTES ? READ_HEAD_BYTES : READ_BYTES);
  let at = 0;
  for (;;) {
    const view = await window.view(at, RECORD_HEAD_BYTES);
    if (view.length < RECORD_HEAD_BYTES) return;
    const skip = findMagic(view, magic);
    if (skip > 0) {
      at += skip;
      continue;
    }
    const length = readU32(view, 4);
    if (length >= MIN_BLOCK_BYTES && length <= MAX_BLOCK_BYTES) {
      const pos = at + RECORD_HEAD_BYTES;
      const bytes = await payload(window, { pos, length }, options);
      if (bytes !== null) {
        yield { pos, bytes, length, text: false };
        at = pos + length;
        continue;
      }
    }
    // The record is damaged, or has the magic bytes by chance. Continue the search one byte later.
    at += 1;
  }
}

/** Returns the bytes of a payload that the caller needs; null if it is no block. */
async function payload(
  window: FileWindow,
  { pos, length }: { pos: number; length: number },
  { magic, headBytes = MAX_BLOCK_BYTES, begins, parses }: ScanOptions,
): Promise<Uint8Array | null> {
  const isBlock = (whole: Uint8Array): boolean => whole.length === length && parses?.(whole) !== false;
  if (headBytes < length) {
    const head = (await window.view(pos, headBytes)).slice(0, headBytes);
    if (isMagic(await window.view(pos + length, magic.length), 0, magic)) return head;
    return begins?.(head) !== false && isBlock((await window.view(pos, length)).subarray(0, length)) ? head : null;
  }
  const view = await window.view(pos, length + magic.length);
  const whole = view.subarray(0, length);
  return isMagic(view, length, magic) || (begins?.(whole) !== false && isBlock(whole)) ? whole.slice() : null;
}

/** Returns the offset of the first magic in `bytes`; if there is none, the offset where the next search may begin. */
function findMagic(bytes: Uint8Array, magic: Uint8Array): number {
  const last = bytes.length - magic.length;
  let at = bytes.indexOf(magic[0]);
  while (at !== -1 && at <= last) {
    if (isMagic(bytes, at, magic)) return at;
    at = bytes.indexOf(magic[0], at + 1);
  }
  return last + 1;
}

/** Value of a hex digit by its character code; 255 for other characters. */
const HEX = new Uint8Array(256).fill(255);
for (let i = 0; i < 16; i++) {
  HEX['0123456789abcdef'.charCodeAt(i)] = i;
  HEX['0123456789ABCDEF'.charCodeAt(i)] = i;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

async function* hexLines(handle: FileHandle, path: string): AsyncGenerator<ScannedBlock, void, undefined> {
  const window = new FileWindow(handle, path, null);
  let at = 0;
  for (let line = 1; ; line++) {
    let view = await window.view(at, 1);
    if (view.length === 0) return;
    let end = view.indexOf(LINE_FEED);
    while (end === -1) {
      if (view.length > MAX_LINE_BYTES) throw new StoreError('STORE_FORMAT', `${path}: line ${line} is longer than any block`);
      const seen = view.length;
      view = await window.view(at, seen + 1);
      if (view.length === seen) break;
      end = view.indexOf(LINE_FEED, seen);
    }
    const next = end === -1 ? view.length : end + 1;
    let length = end === -1 ? view.length : end;
    if (length > 0 && view[length - 1] === CARRIAGE_RETURN) length--;
    if (length > MAX_LINE_BYTES) throw new StoreError('STORE_FORMAT', `${path}: line ${line} is longer than any block`);
    if (length > 0) {
      const bytes = decodeHex(view, length);
      if (bytes === null) throw new StoreError('STORE_FORMAT', `${path}: line ${line} is not a block in hex`);
      yield { pos: at, bytes, length: bytes.length, text: true };
    }
    at += next;
  }
}

/** Decodes the first `length` characters of ASCII hex; null if they are not hex. */
function decodeHex(text: Uint8Array, length: number): Uint8Array | null {
  if (length % 2 !== 0) return null;
  const bytes = new Uint8Array(length / 2);
  for (let i = 0; i < bytes.length; i++) {
    const high = HEX[text[2 * i]];
    const low = HEX[text[2 * i + 1]];
    if ((high | low) > 15) return null;
    bytes[i] = (high << 4) | low;
  }
  return bytes;
}
