// Reads blocks from files (-loadblock, -reindex): blk and bootstrap files, or one hex block per line, in any order. A
// block that precedes its parent waits. The bytes of waiting blocks stay in memory within a limit. Above the limit only
// the position is kept, and the block is read again.

import { statSync } from 'node:fs';
import { parseBlock } from '../../consensus/block/block-view.js';
import { HEADER_SIZE } from '../../consensus/block/header-view.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import { DecodeError, readU32 } from '../../consensus/bytes/reader.js';
import { proofOfWork } from '../../consensus/rules/bits.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { Clock } from '../../lib/clock.js';
import { ProgressMeter } from '../../lib/progress.js';
import { yieldToLoop } from '../../lib/time-slice.js';
import type { Logger } from '../../log/logger.js';
import { readScanned, type ScannedBlock, scanBlocks } from '../../storage/scan-blocks.js';

export interface ImportProgress {
  /** Blocks accepted as new. */
  readonly blocks: number;
  /** Bytes that were read so far. The next field has the bytes of all files. */
  readonly bytes: number;
  readonly totalBytes: number;
  /** Height of the tip. */
  readonly height: number;
  readonly blocksPerSecond: number;
  /** Estimated seconds until the end, at the speed so far; null while unknown. */
  readonly secondsLeft: number | null;
}

/** Position of a block in an imported file. */
export interface BlockSource {
  readonly path: string;
  readonly pos: number;
}

/** Receives the blocks of an import. */
export interface ImportSink {
  readonly hashes: Hashes;
  readonly clock: Clock;
  readonly log: Logger;
  readonly magic: Uint8Array;
  /** Largest target of the network. */
  readonly powLimit: bigint;
  /** Limit for the bytes of waiting blocks in memory. */
  readonly orphanBytes: number;
  /** Returns whether a block's header is in the tree. */
  has(hash: Uint8Array): boolean;
  /** Returns whether a block's bytes are stored, so it can be skipped. */
  stored(hash: Uint8Array): boolean;
  /** Number of bytes of each block that `accept` needs; undefined for all. */
  readonly headBytes?: number;
  /**
   * Checks and stores a block, given its bytes or the first headBytes of them. They need not be a block.
   * @returns whether it was new
   */
  accept(bytes: Uint8Array, source: BlockSource): Promise<boolean>;
  height(): number;
  stopping(): boolean;
}

/** Interval between reports in milliseconds. There is one more at the end. */
const REPORT_MS = 10_000;
/**
 * Largest number of waiting blocks. Each takes about 200 bytes of memory in addition to its own bytes. Core downloads
 * at most 1,024 blocks ahead of the first missing one, so few blocks wait when its files are read.
 */
const MAX_WAITING = 200_000;

/**
 * Imports several files as one sequence.
 * @returns number of blocks accepted as new
 */
export async function importBlocks(
  paths: readonly string[],
  sink: ImportSink,
  onProgress?: (progress: ImportProgress) => void,
): Promise<number> {
  const run = new ImportRun(paths, sink, onProgress);
  for (;;) {
    const before = run.accepted;
    const dropped = run.dropped;
    for (const path of paths) await run.pass(path);
    // Read the files again while blocks were dropped and the last pass accepted new ones.
    if (run.dropped === dropped || run.accepted === before || sink.stopping()) break;
  }
  run.report();
  return run.accepted;
}

/** A block whose parent is missing. */
interface Waiting {
  readonly hash: Uint8Array;
  readonly source: BlockSource;
  /** Number of bytes that `accept` needs. */
  readonly length: number;
  readonly text: boolean;
  /** These bytes; null if they were dropped because of the limit. Then the block is read again. */
  bytes: Uint8Array | null;
}

/** Position of the parent's hash in a header. */
const PREV_HASH_AT = 4;
/** Position of the bits in a header. */
const BITS_AT = 72;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

class ImportRun {
  accepted = 0;
  /** Number of waiting blocks that were dropped and cannot be read again individually. */
  dropped = 0;
  #bytes = 0;
  /** Bytes of the files before the current one. */
  #bytesBefore = 0;
  readonly #totalBytes: number;
  readonly #blockMeter: ProgressMeter;
  readonly #byteMeter: ProgressMeter;
  /** Waiting blocks by parent hash, in order of arrival. */
  readonly #waiting = new Map<string, Waiting[]>();
  #waitingCount = 0;
  /** Waiting blocks whose bytes are in memory, oldest first. */
  readonly #held = new Set<Waiting>();
  #heldBytes = 0;
  readonly #sink: ImportSink;
  readonly #onProgress: ((progress: ImportProgress) => void) | undefined;

  constructor(paths: readonly string[], sink: ImportSink, onProgress: ((progress: ImportProgress) => void) | undefined) {
    this.#sink = sink;
    this.#onProgress = onProgress;
    const now = (): number => sink.clock.monotonicMs();
    this.#blockMeter = new ProgressMeter(now, 0, REPORT_MS);
    this.#byteMeter = new ProgressMeter(now, 0, REPORT_MS);
    this.#totalBytes = paths.reduce((sum, path) => sum + sizeOf(path), 0);
  }

  async pass(path: string): Promise<void> {
    const sink = this.#sink;
    const parses = (bytes: Uint8Array): boolean => sink.stored(this.#hashOf(bytes)) || this.#parses(bytes);
    const { headBytes, magic, powLimit } = sink;
    const begins = (head: Uint8Array): boolean => proofOfWork(this.#hashOf(head), readU32(head, BITS_AT), powLimit);
    for await (const found of scanBlocks(path, { magic, begins, parses, ...(headBytes === undefined ? {} : { headBytes }) })) {
      if (sink.stopping()) return;
      this.#bytes = this.#bytesBefore + found.pos + found.length;
      await this.#importBlock(found, path);
      if (this.#blockMeter.shouldReport()) this.report();
      await yieldToLoop();
    }
    this.#bytesBefore += sizeOf(path);
    this.#bytes = this.#bytesBefore;
  }

  #hashOf(bytes: Uint8Array): Uint8Array {
    return this.#sink.hashes.sha256d(bytes.subarray(0, HEADER_SIZE));
  }

  async #importBlock(found: ScannedBlock, path: string): Promise<void> {
    const sink = this.#sink;
    const { bytes, pos, text } = found;
    if (bytes.length < HEADER_SIZE) {
      sink.log.warn(`Skipped a record of ${bytes.length} bytes in ${path}: it is not a block`);
      return;
    }
    const hash = this.#hashOf(bytes);
    if (sink.stored(hash)) {
      await this.#acceptChildren(hash);
      return;
    }
    const prevHash = bytes.slice(PREV_HASH_AT, PREV_HASH_AT + 32);
    const source = { path, pos };
    if (!sink.has(prevHash) && !sink.has(hash)) {
      this.#wait(prevHash, { hash, source, length: bytes.length, text, bytes });
      return;
    }
    if (await sink.accept(bytes, source)) this.accepted++;
    if (sink.has(hash)) await this.#acceptChildren(hash);
  }

  #parses(bytes: Uint8Array): boolean {
    try {
      parseBlock(bytes, this.#sink.hashes);
      return true;
    } catch (error) {
      if (error instanceof DecodeError) return false;
      throw error;
    }
  }

  /** Accepts the blocks that waited for this one, and their waiting descendants. */
  async #acceptChildren(first: Uint8Array): Promise<void> {
    const queue = [first];
    for (let i = 0; i < queue.length; i++) {
      const key = hashKey(queue[i] as Uint8Array);
      const children = this.#waiting.get(key) ?? [];
      this.#waiting.delete(key);
      for (const child of children) {
        this.#waitingCount--;
        this.#releaseBytes(child);
        if (this.#sink.stopping()) return;
        const bytes = child.bytes ?? (await readScanned(child.source.path, child.source.pos, child.length));
        if (await this.#sink.accept(bytes, child.source)) this.accepted++;
        if (this.#sink.has(child.hash)) queue.push(child.hash);
        if (this.#blockMeter.shouldReport()) this.report();
      }
    }
  }

  #wait(prevHash: Uint8Array, entry: Waiting): void {
    if (this.#waitingCount >= MAX_WAITING) {
      this.dropped++;
      return;
    }
    const key = hashKey(prevHash);
    const list = this.#waiting.get(key);
    if (list === undefined) this.#waiting.set(key, [entry]);
    else list.push(entry);
    this.#waitingCount++;
    this.#held.add(entry);
    this.#heldBytes += entry.length;
    for (const oldest of this.#held) {
      if (this.#heldBytes <= this.#sink.orphanBytes) break;
      this.#releaseBytes(oldest);
      oldest.bytes = null;
      if (oldest.text) this.#dropWaiting(oldest);
    }
  }

  #releaseBytes(entry: Waiting): void {
    if (this.#held.delete(entry)) this.#heldBytes -= entry.length;
  }

  /** Drops a waiting block that cannot be read again individually. */
  #dropWaiting(entry: Waiting): void {
    this.dropped++;
    this.#waitingCount--;
    for (const [key, list] of this.#waiting) {
      const at = list.indexOf(entry);
      if (at < 0) continue;
      list.splice(at, 1);
      if (list.length === 0) this.#waiting.delete(key);
      return;
    }
  }

  report(): void {
    const bytes = Math.min(this.#bytes, this.#totalBytes);
    this.#onProgress?.({
      blocks: this.accepted,
      bytes,
      totalBytes: this.#totalBytes,
      height: this.#sink.height(),
      blocksPerSecond: this.#blockMeter.rate(this.accepted),
      secondsLeft: this.#byteMeter.secondsLeft(bytes, this.#totalBytes),
    });
  }
}
