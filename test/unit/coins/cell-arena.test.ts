// Cells against a naive model: none overlaps another, what is written stays, and what is free is used again or given
// back.
import t from 'tap';
import { CellArena, MAX_CELL_BYTES, SLAB_BYTES } from '../../../src/chain/coins/cell-arena.js';
import { fc } from '../../framework/fast-check.js';

interface Cell {
  readonly ref: number;
  readonly mark: number;
}

/** Few, so that what one step frees is what another takes. */
const size = fc.constantFrom(1, 70, 190, 2_000, MAX_CELL_BYTES);
/** So many cells of a size are taken; or, from one on, all go, or each second, third or fourth. */
const step = fc.oneof(
  fc.record({ take: fc.integer({ min: 1, max: 900 }), size }),
  fc.record({ each: fc.integer({ min: 1, max: 4 }), from: fc.double({ min: 0, max: 1, noNaN: true }) }),
);

/** Where a cell's first two and last two words are: no two cells may share any of them. */
function ends(arena: CellArena, ref: number): number[] {
  const first = CellArena.offsetOf(ref) >> 2;
  const end = first + (arena.sizeOf(ref) >> 2);
  return [first, first + 1, end - 2, end - 1];
}

function holds(arena: CellArena, { ref, mark }: Cell): boolean {
  const words = arena.wordsOf(ref);
  return ends(arena, ref).every((at) => words[at] === mark) && arena.bytesOf(ref).buffer === words.buffer;
}

t.test('allocates and frees cells of any size without overlap', async (t) => {
  const overlapsNever = fc.property(fc.array(step, { minLength: 10, maxLength: 40 }), (steps) => {
    const arena = new CellArena();
    let cells: Cell[] = [];
    let used = 0;
    let mark = 0;
    // Several slabs from the beginning.
    for (const one of [{ take: 1_500, size: MAX_CELL_BYTES }, ...steps]) {
      if ('take' in one) {
        for (let i = 0; i < one.take; i++) {
          const ref = arena.allocate(one.size);
          if (ref === 0 || arena.sizeOf(ref) < one.size) return false;
          cells.push({ ref, mark: ++mark });
          for (const at of ends(arena, ref)) arena.wordsOf(ref)[at] = mark;
          used += arena.sizeOf(ref);
        }
      } else {
        const from = Math.floor(cells.length * one.from);
        const goes = (i: number): boolean => i >= from && (i - from) % one.each === 0;
        for (const { ref } of cells.filter((_, i) => goes(i))) {
          used -= arena.sizeOf(ref);
          arena.free(ref);
        }
        cells = cells.filter((_, i) => !goes(i));
      }
      if (arena.usedBytes !== used || arena.allocatedBytes < used || !cells.every((cell) => holds(arena, cell))) return false;
    }
    for (const { ref } of cells) arena.free(ref);
    return arena.usedBytes === 0 && arena.allocatedBytes <= SLAB_BYTES;
  });
  t.doesNotThrow(() => fc.assert(overlapsNever, { numRuns: 60 }));
});
