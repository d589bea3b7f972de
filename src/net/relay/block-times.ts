// How long new blocks take from the first word of them to the block, the tip and the template: what a miner behind this
// node waits.
import { hashKey } from '../../consensus/bytes/hex.js';

/** What is reached after the announcement. */
export const BLOCK_STAGES = ['block', 'tip', 'template'] as const;
export type BlockStage = (typeof BLOCK_STAGES)[number];

/** Announcements that are remembered. */
const MAX_ANNOUNCED = 64;

interface AnnouncedBlock {
  readonly atMs: number;
  /** Stages that were reached. */
  readonly reached: Set<BlockStage>;
}

export class BlockTimes {
  readonly #announced = new Map<string, AnnouncedBlock>();
  /** Told once for each block and stage. */
  readonly #observe: (stage: BlockStage, seconds: number) => void;

  constructor(
    /** Milliseconds that only go forward. */
    readonly nowMs: () => number,
    observe: (stage: BlockStage, seconds: number) => void,
  ) {
    this.#observe = observe;
  }

  /**
   * A peer spoke of a block, or sent it, and its header is good. Only the first word counts.
   * @param atMs when it came, by nowMs
   */
  noteAnnounced(hash: Uint8Array, atMs: number): void {
    const key = hashKey(hash);
    if (this.#announced.has(key)) return;
    this.#announced.set(key, { atMs, reached: new Set() });
    if (this.#announced.size > MAX_ANNOUNCED) this.#announced.delete(this.#announced.keys().next().value as string);
  }

  /** A stage is reached; blocks no peer spoke of (submitblock) and stages that were reached before are passed over. */
  noteReached(hash: Uint8Array, stage: BlockStage): void {
    const announced = this.#announced.get(hashKey(hash));
    if (announced === undefined || announced.reached.has(stage)) return;
    announced.reached.add(stage);
    this.#observe(stage, (this.nowMs() - announced.atMs) / 1000);
  }
}
