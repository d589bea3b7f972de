// Transactions of templates that were returned without them (light templates). They are retained until a block on the
// template can no longer be useful, two blocks later, and for at most 64 templates. submitblock reads them.
import type { ChosenRecords } from './chosen-records.js';

/** A template that was returned without its transactions. */
export interface PinnedTemplate {
  readonly workId: string;
  /** Height of the block to be built. */
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

  /** Adds a template. If there are too many, the least recently used one is dropped. */
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

  /** Drops old templates. @param height height of the new tip */
  tipChanged(height: number): void {
    for (const { workId, height: built } of this.#pinned.values()) if (height >= built + RETAINED_BLOCKS) this.#pinned.delete(workId);
  }
}
