// Ids and merkle roots of a block on the pool's threads: in a block of unseen transactions they are a sixth of what the
// node thread would do, and while it waits it serves others.
import type { BlockView, MerkleResult } from '../consensus/block/block-view.js';
import { foldLevels, merkleHeight } from '../consensus/block/merkle.js';
import { adoptIds, HASH_MESSAGE_VERSION, type HashJob, type HashJobResult, hashBufferSize, writeHashBuffer } from '../jobs/hash-txs.js';
import { SlabPool } from '../jobs/slab-pool.js';
import type { WorkPool } from './pool.js';

/** Makes ids and roots ahead of those who ask for them. */
export interface BlockHasher {
  /**
   * Gives the block's transactions their ids, and the block its roots. Blocks come back in the order in which they came.
   * @returns whether it did; otherwise they are made when asked for, as always
   */
  hash(block: BlockView): Promise<boolean>;
}

/** A range costs a message, some 20 us of the node thread: as much as a dozen ids. */
const LEAST_TXS = 64;
/** Buffers kept: that of a block with an ordinary share of witnesses. */
const MAX_FREE_BYTES = 4 << 20;
const HASH_BYTES = 32;

export class PooledBlockHasher implements BlockHasher {
  readonly #pool: Pick<WorkPool, 'size' | 'run'>;
  readonly #buffers = new SlabPool(MAX_FREE_BYTES);
  /** Settled once the block before came back. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param pool of the caller, which closes it */
  constructor(pool: Pick<WorkPool, 'size' | 'run'>) {
    this.#pool = pool;
  }

  hash(block: BlockView): Promise<boolean> {
    const hashed = this.#hash(block);
    const inTurn = this.#last.then(() => hashed);
    this.#last = inTurn.catch(() => undefined);
    return inTurn;
  }

  async #hash(block: BlockView): Promise<boolean> {
    const { txs, hashes } = block;
    const height = merkleHeight(txs.length);
    // Ranges are whole subtrees: a power of two of leaves.
    const rangeHeight = merkleHeight(Math.max(LEAST_TXS, Math.ceil(txs.length / this.#pool.size)));
    const rangeTxs = 2 ** rangeHeight;
    const buffer = this.#buffers.acquire(hashBufferSize(txs));
    try {
      writeHashBuffer(buffer, txs);
      const levels = Math.min(height, rangeHeight);
      const ranges = Array.from({ length: Math.ceil(txs.length / rangeTxs) }, (_, i) => {
        const first = i * rangeTxs;
        const job: HashJob = {
          version: HASH_MESSAGE_VERSION,
          buffer,
          count: txs.length,
          first,
          end: Math.min(txs.length, first + rangeTxs),
          levels,
        };
        return this.#pool.run<HashJobResult>('block', 'hashTxs', job);
      });
      // A thread may write to the buffer until its job has ended, whatever became of the others.
      const results = await Promise.allSettled(ranges);
      const tops: HashJobResult[] = [];
      for (const [i, result] of results.entries()) {
        if (result.status === 'rejected' || result.value.first !== i * rangeTxs) return false;
        tops.push(result.value);
      }
      adoptIds(buffer, txs);
      const join = (top: (range: HashJobResult) => Uint8Array, mutated: (range: HashJobResult) => boolean): MerkleResult => {
        const level = new Uint8Array((tops.length + 1) * HASH_BYTES);
        for (const [i, range] of tops.entries()) level.set(top(range), i * HASH_BYTES);
        const above = foldLevels(level, tops.length, height - levels, hashes);
        return { root: level.slice(0, HASH_BYTES), mutated: above || tops.some(mutated) };
      };
      block.roots = {
        txids: join(
          ({ txids }) => txids,
          ({ txidsMutated }) => txidsMutated,
        ),
        wtxids: join(
          ({ wtxids }) => wtxids,
          ({ wtxidsMutated }) => wtxidsMutated,
        ),
      };
      return true;
    } finally {
      this.#buffers.release(buffer);
    }
  }
}
