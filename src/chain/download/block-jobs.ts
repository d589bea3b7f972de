// Table of the blocks on their way into the active chain, with their number and bytes in memory.

import type { BlockView } from '../../consensus/block/block-view.js';
import type { HeaderNode } from '../tree/header-node.js';
import { BlockJob } from './block-job.js';

/**
 * Limits in bytes and blocks for parsed blocks in memory that wait to be connected. Blocks above these limits are read
 * back from the files.
 */
const STORED_BYTES = 32 << 20;
const STORED_BLOCKS = 1_024;

/** Number and bytes of blocks. */
export interface BlockFigures {
  blocks: number;
  bytes: number;
}

export class BlockJobs {
  readonly #jobs = new Map<HeaderNode, BlockJob>();
  readonly #storing: BlockFigures = { blocks: 0, bytes: 0 };
  readonly #stored: BlockFigures = { blocks: 0, bytes: 0 };

  /** Blocks that are being checked or written. */
  get storing(): Readonly<BlockFigures> {
    return this.#storing;
  }

  /** Stored blocks in memory that wait to be connected. */
  get stored(): Readonly<BlockFigures> {
    return this.#stored;
  }

  find(node: HeaderNode): BlockJob | undefined {
    return this.#jobs.get(node);
  }

  /** Adds a block that has arrived. */
  receive(node: HeaderNode, block: BlockView): BlockJob {
    const earlier = this.#jobs.get(node);
    if (earlier !== undefined) this.end(earlier, 'dropped');
    const job = new BlockJob(node, block, true);
    this.#jobs.set(node, job);
    this.#count(job, 1);
    return job;
  }

  /** Adds a block that was read from the files. */
  adopt(node: HeaderNode, block: BlockView): BlockJob {
    const job = new BlockJob(node, block, false);
    if (!this.#jobs.has(node)) this.#jobs.set(node, job);
    return job;
  }

  /**
   * Called when the files and the index have a received block. The block stays in memory within the limits.
   * @param height height of the tip. Stored blocks at or below it are dropped first if the limits are exceeded
   */
  store(job: BlockJob, height: number): void {
    if (!this.#fits(job)) {
      for (const [node, old] of this.#jobs) if (node.height <= height && old.held && old.state.kind === 'stored') this.end(old, 'dropped');
      if (!this.#fits(job)) {
        this.end(job, 'dropped');
        return;
      }
    }
    this.#count(job, -1);
    job.moveTo({ kind: 'stored' });
    this.#count(job, 1);
  }

  #fits({ block }: BlockJob): boolean {
    return this.#stored.blocks < STORED_BLOCKS && this.#stored.bytes + block.totalSize <= STORED_BYTES;
  }

  /** Takes a block back from the prefetcher. A block that was read from the files leaves memory. */
  release(job: BlockJob): void {
    if (job.ended) return;
    if (job.held) job.moveTo({ kind: 'stored' });
    else this.end(job, 'dropped');
  }

  /** Ends the job of a block. */
  end(job: BlockJob, kind: 'connected' | 'invalid' | 'dropped'): void {
    this.#count(job, -1);
    job.moveTo({ kind });
    if (this.#jobs.get(job.node) === job) this.#jobs.delete(job.node);
  }

  /** Ends the job of a stored block, if it has one, because the verdict on the block is known. */
  judge(node: HeaderNode, kind: 'connected' | 'invalid'): void {
    const job = this.#jobs.get(node);
    if (job !== undefined && !job.storing) this.end(job, kind);
  }

  #count(job: BlockJob, sign: 1 | -1): void {
    if (!job.held) return;
    const figures = job.storing ? this.#storing : this.#stored;
    figures.blocks += sign;
    figures.bytes += sign * job.block.totalSize;
  }
}
