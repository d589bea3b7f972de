// Templates that were given out without their transactions: these are held until the block that builds on the template
// can no longer be of use, two blocks later, and for 64 templates at most. Used by the template service; filled by
// light requests, read by submitblock.
import type { ChosenRecords } from './chosen-records.js';

/** A template as it was given out. */
export interface PinnedTemplate {
  readonly workId: string;
  /** Of the block to be built. */
  readonly height: number;
  readonly records: ChosenRecords;
}

const MOST = 64;
const RETAINED_BLOCKS = 2;

export class PinnedTemplates {
  readonly #pinned = new Map<string, PinnedTemplate>();

  get size(): number {
    return this.#pinned.size;
  }

  /** The longest unused one goes when there are too many. */
  pin(template: PinnedTemplate): void {
    this.#pinned.delete(template.workId);
    this.#pinned.set(template.workId, template);
    for (const workId of this.#pinned.keys()) {
      if (this.#pinned.size <= MOST) break;
      this.#pinned.delete(workId);
    }
  }

  get(workId: string): PinnedTemplate | null {
    return this.#pinned.get(workId) ?? null;
  }

  /** @param height of the new tip */
  tipChanged(height: number): void {
    for (const { workId, height: built } of this.#pinned.values()) if (height >= built + RETAINED_BLOCKS) this.#pinned.delete(workId);
  }
}
