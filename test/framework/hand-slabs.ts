// Slabs for template tests: a fresh one each time, with a note of what became of it.
import type { TemplateSlab, TemplateSlabs } from '../../src/template/source.js';

export class HandSlabs implements TemplateSlabs {
  readonly taken: TemplateSlab[] = [];
  readonly published: number[] = [];
  readonly discarded: number[] = [];
  /** Waited for before a slab is given out; null: one is free. */
  gate: Promise<void> | null = null;

  takeSlabWhenFree(sizeBytes: number): TemplateSlab | Promise<TemplateSlab> {
    return this.gate === null ? this.#take(sizeBytes) : this.gate.then(() => this.#take(sizeBytes));
  }
  #take(sizeBytes: number): TemplateSlab {
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
