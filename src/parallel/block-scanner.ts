// Scans stored blocks on the pool's threads, without delaying the node thread.
import { type BlockToScan, type FoundTx, readFinds, SCAN_MESSAGE_VERSION, type ScanJob, type ScanResult } from '../jobs/scan-blocks.js';
import { inParts } from './in-parts.js';
import type { WorkPool } from './pool.js';

/** Scripts to search for, as they were when the scan of some blocks began. */
export interface ScanTargets {
  readonly marks: SharedArrayBuffer;
  readonly scripts: SharedArrayBuffer | null;
}

/** Scans blocks in files; PooledBlockScanner, or a test's implementation. */
export interface BlockScanner {
  /** Number of concurrent calls that keep every thread busy. */
  readonly depth: number;
  /** Number of blocks that were skipped because of their filters, since the start. */
  readonly skipped: number;
  /** Returns the transactions found in each block, in order; null for a block that could not be read. @throws if the pool is closed */
  scan(blocks: readonly BlockToScan[], targets: ScanTargets): Promise<(readonly FoundTx[] | null)[]>;
}

export class PooledBlockScanner implements BlockScanner {
  skipped = 0;
  readonly #pool: WorkPool;
  readonly #folder: ScanJob['folder'];

  constructor(pool: WorkPool, folder: ScanJob['folder']) {
    this.#pool = pool;
    this.#folder = folder;
  }

  get depth(): number {
    return this.#pool.size * 2;
  }

  scan(blocks: readonly BlockToScan[], targets: ScanTargets): Promise<(readonly FoundTx[] | null)[]> {
    return inParts(blocks, async (rest) => {
      const job: ScanJob = { version: SCAN_MESSAGE_VERSION, folder: this.#folder, ...targets, blocks: rest };
      const result = await this.#pool.run<ScanResult>('scan', 'scanBlocks', job);
      this.skipped += result.skipped;
      return readFinds(result);
    });
  }
}
