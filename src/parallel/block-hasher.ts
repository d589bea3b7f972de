// Ids and merkle roots of a block on the pool's threads: in a block of unseen transactions they are a sixth of what the
// node thread would do, and while it waits it serves others.
import type { BlockView, MerkleResult } from '../consensus/block/block-view.js';
import { foldLevels, merkleHeight } from '../consensus/block/merkle.js';
import { adoptIds, HASH_MESSAGE_VERSION, type HashJob, type HashJobResult, hashBufferSize, writeHashBuffer } from '../jobs/hash-txs.js';
import type { WorkPool } from './pool.js';

/** Makes ids and roots ahead of those who ask for them. */
export interface BlockHasher {
  /**
   * Gives the block's transactions their ids, and the block its roots. One block after the other, in the order in which
   * they come.
   * @returns whether it did; otherwise they are made when asked for, as always
   */
  hash(block: BlockView): Promise<boolean>;
}

/** A range costs a message, some 20 us of the node thread: as much as a dozen ids. */
const LEAST_TXS = 64;
const HASH_BYTES = 32;

export class PooledBlockHasher implements BlockHasher {
  readonly #pool: Pick<WorkPool, 'size' | 'run'>;
  /** What each block's jobs share; no larger than the largest block asks for, some 6 MB. */
  #buffer = new SharedArrayBuffer(0);
  /** Settled once the block before came back. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param pool of the caller, which closes it */
  constructor(pool: Pick<WorkPool, 'size' | 'run'>) {
    this.#pool = pool;
  }

  hash(block: BlockView): Promise<boolean> {
    // Whatever goes wrong, as for want of memory, the block can make its own.
    const hashed = this.#last.then(() => this.#hash(block)).catch(() => false);
    this.#last = hashed;
    return hashed;
  }

  async #hash(block: BlockView): Promise<boolean> {
    const { txs, hashes } = block;
    const height = merkleHeight(txs.length);
    // Ranges are whole subtrees: a power of two of leaves.
    const rangeHeight = merkleHeight(Math.max(LEAST_TXS, Math.ceil(txs.length / this.#pool.size)));
    const levels = Math.min(height, rangeHeight);
    const size = hashBufferSize(txs);
    if (this.#buffer.byteLength < size) this.#buffer = new SharedArrayBuffer(size);
    const buffer = this.#buffer;
    writeHashBuffer(buffer, txs);
    const tops = await this.#runRanges(buffer, txs.length, 2 ** rangeHeight, levels);
    if (tops === null) {
      // A thread that was given up may still write to it.
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

  /** The answers of all ranges, in order; null when one is missing. */
  async #runRanges(buffer: SharedArrayBuffer, count: number, rangeTxs: number, levels: number): Promise<HashJobResult[] | null> {
    const jobs: Promise<HashJobResult>[] = [];
    for (let first = 0; first < count; first += rangeTxs) {
      const end = Math.min(count, first + rangeTxs);
      const job: HashJob = { version: HASH_MESSAGE_VERSION, buffer, count, first, end, levels };
      jobs.push(this.#pool.run<HashJobResult>('block', 'hashTxs', job));
    }
    const tops: HashJobResult[] = [];
    // All of them, whatever becomes of one: a thread may write to the buffer until its job has ended.
    for (const [i, answer] of (await Promise.allSettled(jobs)).entries()) {
      if (answer.status === 'rejected' || answer.value.first !== i * rangeTxs) return null;
      tops.push(answer.value);
    }
    return tops;
  }
}
