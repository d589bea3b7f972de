// Measures the time from the first announcement of a block to the block itself, the tip and the template: the delay
// that a miner behind this node sees.

import { hashKey } from '../../consensus/bytes/hex.js';
import type { BlockHash } from '../../consensus/ids.js';

/** Stages after the announcement. */
export const BLOCK_STAGES = ['block', 'tip', 'template'] as const;
export type BlockStage = (typeof BLOCK_STAGES)[number];

/** Maximum number of announcements that are remembered. */
const MAX_ANNOUNCED = 64;

interface AnnouncedBlock {
  readonly atMs: number;
  /** Stages that were reached already. */
  readonly reached: Set<BlockStage>;
}

export class BlockTimes {
  readonly #announced = new Map<string, AnnouncedBlock>();
  /** Called once for each block and stage. */
  readonly #observe: (stage: BlockStage, seconds: number) => void;

  constructor(
    /** Returns milliseconds of a monotonic clock. */
    readonly nowMs: () => number,
    observe: (stage: BlockStage, seconds: number) => void,
  ) {
    this.#observe = observe;
  }

  /**
   * Records the first announcement of a block (or the block itself) with a valid header. Later ones are ignored.
   * @param atMs time of receipt, by nowMs
   */
  noteAnnounced(hash: BlockHash, atMs: number): void {
    const key = hashKey(hash);
    if (this.#announced.has(key)) return;
    this.#announced.set(key, { atMs, reached: new Set() });
    if (this.#announced.size > MAX_ANNOUNCED) this.#announced.delete(this.#announced.keys().next().value as string);
  }

  /** Reports that a block reached a stage. Ignores blocks that no peer announced (submitblock) and repeated stages. */
  noteReached(hash: BlockHash, stage: BlockStage): void {
    const announced = this.#announced.get(hashKey(hash));
    if (announced === undefined || announced.reached.has(stage)) return;
    announced.reached.add(stage);
    this.#observe(stage, (this.nowMs() - announced.atMs) / 1000);
  }
}
