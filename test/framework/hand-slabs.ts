// Slabs for template tests: a fresh one each time, with a note of what became of it.
import type { TemplateSlab, TemplateSlabs } from '../../src/template/source.js';

export class HandSlabs implements TemplateSlabs {
  readonly taken: TemplateSlab[] = [];
  readonly published: number[] = [];
  readonly discarded: number[] = [];
  /** Awaited before a slab is given out. */
  gate: Promise<void> = Promise.resolve();

  async takeWhenFree(sizeBytes: number): Promise<TemplateSlab> {
    await this.gate;
    const slab = { index: this.taken.length, buffer: new SharedArrayBuffer(sizeBytes) };
    this.taken.push(slab);
    return slab;
  }
  publish(slab: TemplateSlab): void {
    this.published.push(slab.index);
  }
  discard(slab: TemplateSlab): void {
    this.discarded.push(slab.index);
  }
}
