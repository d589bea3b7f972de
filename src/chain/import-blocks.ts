// Reads blocks from files (-loadblock): blk and bootstrap files, or one hex block per line, with full validation. Blocks that come
// before their parents wait in memory, within bounds; when too many wait, the file is read once more. Callers: Chain.

import { type BlockView, parseBlock } from '../consensus/block/block-view.js';
import { hashKey } from '../consensus/bytes/hex.js';
import { DecodeError } from '../consensus/bytes/reader.js';
import type { Hashes } from '../crypto/crypto.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../log/logger.js';
import { scanBlocks } from '../storage/scan-blocks.js';

/** How far an import came. */
export interface ImportProgress {
  /** Blocks accepted as new. */
  readonly blocks: number;
  /** Bytes of blocks looked at. */
  readonly bytes: number;
  /** Height of the tip. */
  readonly height: number;
  readonly blocksPerSecond: number;
}

/** What the importer does with a block. */
export interface ImportSink {
  readonly hashes: Hashes;
  readonly clock: Clock;
  readonly log: Logger;
  readonly magic: Uint8Array;
  /** Bytes of waiting blocks. */
  readonly orphanBytes: number;
  /** Whether a block's header is in the tree. */
  has(hash: Uint8Array): boolean;
  /** Checks, stores and connects. @returns whether it was new */
  accept(block: BlockView): Promise<boolean>;
  height(): number;
  stopping(): boolean;
}

/** Milliseconds between two reports. */
const REPORT_MS = 1000;

/** Imports a file. @returns blocks accepted as new */
export async function importBlocks(path: string, sink: ImportSink, onProgress?: (progress: ImportProgress) => void): Promise<number> {
  const run = new ImportRun(sink, onProgress);
  for (;;) {
    const before = run.accepted;
    const dropped = run.dropped;
    await run.pass(path);
    // Blocks that had to be dropped while they waited get another chance as long as that leads anywhere.
    if (run.dropped === dropped || run.accepted === before || sink.stopping()) break;
  }
  run.report();
  return run.accepted;
}

class ImportRun {
  accepted = 0;
  /** Waiting blocks given up for want of room. */
  dropped = 0;
  private bytes = 0;
  private readonly start: number;
  private reported: number;
  /** By parent, in order of arrival. */
  private readonly waiting = new Map<string, BlockView[]>();
  private waitingBytes = 0;

  constructor(
    private readonly sink: ImportSink,
    private readonly onProgress: ((progress: ImportProgress) => void) | undefined,
  ) {
    this.start = sink.clock.monotonicMs();
    this.reported = this.start;
  }

  async pass(path: string): Promise<void> {
    const parses = (bytes: Uint8Array) => this.parse(bytes) !== null;
    for await (const { bytes } of scanBlocks(path, { magic: this.sink.magic, parses })) {
      if (this.sink.stopping()) return;
      this.bytes += bytes.length;
      const block = this.parse(bytes);
      if (block === null) {
        this.sink.log.warn(`A record of ${bytes.length} bytes in ${path} is not a block`);
        continue;
      }
      if (this.sink.has(block.header.prevHash) || this.sink.has(block.hash)) await this.acceptWithChildren(block);
      else this.wait(block);
      if (this.sink.clock.monotonicMs() - this.reported >= REPORT_MS) this.report();
    }
  }

  private parse(bytes: Uint8Array): BlockView | null {
    try {
      return parseBlock(bytes, this.sink.hashes);
    } catch (error) {
      if (error instanceof DecodeError) return null;
      throw error;
    }
  }

  private async acceptWithChildren(first: BlockView): Promise<void> {
    const queue = [first];
    for (let i = 0; i < queue.length; i++) {
      const block = queue[i] as BlockView;
      if (await this.sink.accept(block)) this.accepted++;
      if (!this.sink.has(block.hash)) continue;
      const key = hashKey(block.hash);
      const children = this.waiting.get(key);
      if (children === undefined) continue;
      this.waiting.delete(key);
      for (const child of children) this.waitingBytes -= child.totalSize;
      queue.push(...children);
    }
  }

  private wait(block: BlockView): void {
    const key = hashKey(block.header.prevHash);
    const list = this.waiting.get(key);
    if (list === undefined) this.waiting.set(key, [block]);
    else list.push(block);
    this.waitingBytes += block.totalSize;
    while (this.waitingBytes > this.sink.orphanBytes) {
      const [oldest, blocks] = this.waiting.entries().next().value as [string, BlockView[]];
      this.waiting.delete(oldest);
      for (const dropped of blocks) this.waitingBytes -= dropped.totalSize;
      this.dropped += blocks.length;
    }
  }

  report(): void {
    const now = this.sink.clock.monotonicMs();
    this.reported = now;
    const seconds = Math.max(now - this.start, 1) / 1000;
    this.onProgress?.({ blocks: this.accepted, bytes: this.bytes, height: this.sink.height(), blocksPerSecond: this.accepted / seconds });
  }
}
