// Slabs for tests of templates: a new slab each time, with lists of the slabs that were taken, published and discarded.
import type { TemplateSlab, TemplateSlabs } from '../../src/template/source.js';

export class HandSlabs implements TemplateSlabs {
  readonly taken: TemplateSlab[] = [];
  readonly published: number[] = [];
  readonly discarded: number[] = [];
  /** Promise to await before a slab is handed out; null: a slab is free at once. */
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
