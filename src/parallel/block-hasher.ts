// Computes ids and merkle roots of a block on the pool's threads. In a block of unseen transactions this computation
// would be a sixth of the node thread's work. The node thread can do other work meanwhile.
import type { BlockView, MerkleResult } from '../consensus/block/block-view.js';
import { foldLevels, merkleHeight } from '../consensus/block/merkle.js';
import { adoptIds, HASH_MESSAGE_VERSION, type HashJob, type HashJobResult, hashBufferSize, writeHashBuffer } from '../jobs/hash-txs.js';
import type { WorkPool } from './pool.js';

/** Computes ids and roots before they are needed. */
export interface BlockHasher {
  /**
   * Sets the ids of the block's transactions, and the block's roots. Blocks are processed one after another, in order.
   * @returns false on failure; the ids and roots are then computed when they are first read, as usual
   */
  hash(block: BlockView): Promise<boolean>;
}

/** Least number of transactions per range. A message costs about 20 us of the node thread, as much as a dozen ids. */
const LEAST_TXS = 64;
const HASH_BYTES = 32;

export class PooledBlockHasher implements BlockHasher {
  readonly #pool: Pick<WorkPool, 'size' | 'run'>;
  /** Buffer of the current block's jobs, never larger than the largest block needs, about 6 MB. */
  #buffer = new SharedArrayBuffer(0);
  /** Promise that settles when the previous block is finished. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param pool owned by the caller, which closes it */
  constructor(pool: Pick<WorkPool, 'size' | 'run'>) {
    this.#pool = pool;
  }

  hash(block: BlockView): Promise<boolean> {
    // After any failure, for example lack of memory, the block can compute its own ids.
    const hashed = this.#last.then(() => this.#hash(block)).catch(() => false);
    this.#last = hashed;
    return hashed;
  }

  async #hash(block: BlockView): Promise<boolean> {
    const { txs, hashes } = block;
    const height = merkleHeight(txs.length);
    // A range is a whole subtree: its number of leaves is a power of two.
    const rangeHeight = merkleHeight(Math.max(LEAST_TXS, Math.ceil(txs.length / this.#pool.size)));
    const levels = Math.min(height, rangeHeight);
    const size = hashBufferSize(txs);
    if (this.#buffer.byteLength < size) this.#buffer = new SharedArrayBuffer(size);
    const buffer = this.#buffer;
    writeHashBuffer(buffer, txs);
    const tops = await this.#runRanges(buffer, txs.length, 2 ** rangeHeight, levels);
    if (tops === null) {
      // Replace the buffer, because a thread that was ended may still write to it.
      this.#buffer = new SharedArrayBuffer(0);
      return false;
    }
    adoptIds(buffer, txs);
    const join = (roots: readonly MerkleResult[]): MerkleResult => {
      const level = new Uint8Array((roots.length + 1) * HASH_BYTES);
      for (const [i, { root }] of roots.entries()) level.set(root, i * HASH_BYTES);
      const above = foldLevels(level, roots.length, height - levels, hashes);
      return { root: level.slice(0, HASH_BYTES), mutated: above || roots.some(({ mutated }) => mutated) };
    };
    block.roots = { txids: join(tops.map(({ txids }) => txids)), wtxids: join(tops.map(({ wtxids }) => wtxids)) };
    return true;
  }

  /** Returns the results of all ranges, in order; null if one is missing. */
  async #runRanges(buffer: SharedArrayBuffer, count: number, rangeTxs: number, levels: number): Promise<HashJobResult[] | null> {
    const jobs: Promise<HashJobResult>[] = [];
    for (let first = 0; first < count; first += rangeTxs) {
      const end = Math.min(count, first + rangeTxs);
      const job: HashJob = { version: HASH_MESSAGE_VERSION, buffer, count, first, end, levels };
      jobs.push(this.#pool.run<HashJobResult>('block', 'hashTxs', job));
    }
    const tops: HashJobResult[] = [];
    // Waits for all jobs even if one fails, because a thread may write to the buffer until its job has ended.
    for (const [i, answer] of (await Promise.allSettled(jobs)).entries()) {
      if (answer.status === 'rejected' || answer.value.first !== i * rangeTxs) return null;
      tops.push(answer.value);
    }
    return tops;
  }
}
