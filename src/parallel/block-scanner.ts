// Looks through stored blocks on the pool's threads, for scans that must be quick and hold nothing else up.
import { type BlockToScan, type FoundTx, readFinds, SCAN_MESSAGE_VERSION, type ScanJob, type ScanResult } from '../jobs/scan-blocks.js';
import { inParts } from './in-parts.js';
import type { WorkPool } from './pool.js';

/** What is looked for, as it was when the scan of some blocks began. */
export interface ScanTargets {
  readonly marks: SharedArrayBuffer;
  readonly scripts: SharedArrayBuffer | null;
}

/** Blocks in files; parallel's PooledBlockScanner, or a test's. */
export interface BlockScanner {
  /** Jobs that keep every thread busy. */
  readonly depth: number;
  /** Blocks that filters have spared since the start. */
  readonly skipped: number;
  /** What each block holds, in order; null for one that could not be read. @throws when the pool is closed */
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
