// Compares the mempool's tables of numbers with maps, sets and lists, over random histories. They use few keys, so that
// operations often concern the same key.
import assert from 'node:assert/strict';
import t from 'tap';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import { IdTable } from '../../../src/mempool/id-table.js';
import { LinkTable } from '../../../src/mempool/link-table.js';
import type { RecordArena } from '../../../src/mempool/record-arena.js';
import { RowHeap } from '../../../src/mempool/row-heap.js';
import { NO_ROW, Rows } from '../../../src/mempool/rows.js';
import { SpenderTable } from '../../../src/mempool/spender-table.js';
import { fc } from '../../framework/fast-check.js';

/** A simple arena: each record is an array. */
class PlainArena {
  readonly records: Uint8Array[] = [];
  bytesOf(row: number): Uint8Array {
    return this.records[row];
  }
  store(_row: number, _tx: TxView): void {}
}

const idOf = (pick: number): Uint8Array => {
  // Most bytes are equal, so that a comparison of only a few bytes would give wrong results.
  const id = new Uint8Array(32).fill(pick % 7);
  id[31] = pick;
  return id;
};

t.test('IdTable finds rows by id like a map over random additions and removals', async () => {
  const step = fc.record({ add: fc.boolean(), pick: fc.nat(200) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const rows = new Rows();
      const arena = new PlainArena();
      const table = new IdTable(rows, arena as unknown as RecordArena, 32);
      const model = new Map<number, number>();
      for (const { add, pick } of steps) {
        const there = model.get(pick);
        if (add && there === undefined) {
          const row = rows.allocate();
          rows.offset[row] = 5;
          arena.records[row] = new Uint8Array(120);
          arena.records[row].set(idOf(pick), 5 + 32);
          table.add(row);
          model.set(pick, row);
        } else if (!add && there !== undefined) {
          table.delete(there);
          model.delete(pick);
          rows.recycle(there);
        }
        assert.equal(table.size, model.size);
        for (let each = 0; each <= 200; each++) assert.equal(table.get(idOf(each)), model.get(each) ?? NO_ROW);
      }
    }),
    { numRuns: 60 },
  );
  assert.equal(new IdTable(new Rows(), new PlainArena() as unknown as RecordArena, 0).get(new Uint8Array(31)), NO_ROW, 'no id at all');
});

t.test('SpenderTable finds spenders of outpoints like a map over random changes', async () => {
  const outpointOf = (pick: number): Uint8Array => {
    const outpoint = new Uint8Array(36).fill(pick % 7);
    outpoint[32] = pick;
    return outpoint;
  };
  const step = fc.record({ add: fc.boolean(), picks: fc.uniqueArray(fc.nat(200), { minLength: 1, maxLength: 3 }), which: fc.nat(500) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
      const rows = new Rows();
      const arena = new PlainArena();
      const table = new SpenderTable(rows, arena as unknown as RecordArena);
      const model = new Map<number, number>();
      const here: { row: number; picks: readonly number[] }[] = [];
      const place = (i: number): number => 64 + 5 + i * 41;
      for (const { add, picks, which } of steps) {
        if (add || here.length === 0) {
          const row = rows.allocate();
          rows.offset[row] = 7;
          const record = new Uint8Array(7 + 64 + 5 + picks.length * 41);
          picks.forEach((pick, i) => {
            record.set(outpointOf(pick), 7 + place(i));
          });
          arena.records[row] = record;
          picks.forEach((pick, i) => {
            table.add(row, place(i));
            model.set(pick, row);
          });
          here.push({ row, picks });
        } else {
          const [{ row, picks: gone }] = here.splice(which % here.length, 1);
          gone.forEach((pick, i) => {
            table.delete(row, place(i));
            if (model.get(pick) === row) model.delete(pick);
          });
        }
        assert.equal(table.size, model.size);
        for (let each = 0; each <= 200; each++) assert.equal(table.get(outpointOf(each)), model.get(each) ?? NO_ROW);
      }
    }),
    { numRuns: 40 },
  );
});

t.test('LinkTable lists parents and children in the order of linking over random changes', async () => {
  const step = fc.record({ kind: fc.integer({ min: 0, max: 4 }), a: fc.nat(14), b: fc.nat(14) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const rows = new Rows();
      const links = new LinkTable(rows);
      const pairs = new Set<string>();
      for (let row = 0; row < 15; row++) links.clear(rows.allocate());
      for (const { kind, a, b } of steps) {
        if (kind > 0 && a !== b && !pairs.has(`${a} ${b}`)) {
          links.link(a, b);
          pairs.add(`${a} ${b}`);
        } else if (kind === 0) {
          const gone = [...pairs].filter((pair) => pair.split(' ').includes(String(a)));
          assert.equal(links.unlinkAll(a), gone.length);
          for (const pair of gone) pairs.delete(pair);
        }
        for (let row = 0; row < 15; row++) {
          const list = [...pairs].map((pair) => pair.split(' ').map(Number));
          // In the order in which they were made.
          const parents = list.filter(([, child]) => child === row).map(([parent]) => parent);
          const children = list.filter(([parent]) => parent === row).map(([, child]) => child);
          assert.deepEqual(links.parents(row), parents);
          assert.deepEqual(links.children(row), children);
          assert.equal(links.hasParents(row), parents.length > 0);
          assert.equal(links.hasChildren(row), children.length > 0);
          for (const parent of parents) assert(links.isParent(parent, row));
          assert.equal(links.isParent(a, b), pairs.has(`${a} ${b}`));
        }
      }
    }),
    { numRuns: 60 },
  );
});

t.test('RowHeap always has the smallest row on top over random changes', async () => {
  const steps = fc.array(fc.record({ kind: fc.constantFrom(0, 0, 0, 1, 2, 3), pick: fc.nat(100), rank: fc.nat(30) }), { maxLength: 120 });
  fc.assert(
    fc.property(steps, (list) => {
      const rows = new Rows();
      const heap = new RowHeap(rows, 'agePlace', (a, b) => rows.time[a] < rows.time[b]);
      const here: number[] = [];
      for (const { kind, pick, rank } of list) {
        if (kind === 0 || here.length === 0) {
          const row = rows.allocate();
          rows.time[row] = rank;
          heap.insert(row);
          here.push(row);
        } else if (kind === 1) {
          const [row] = here.splice(pick % here.length, 1);
          heap.remove(row);
          assert.equal(rows.agePlace[row], -1);
          rows.recycle(row);
        } else if (kind === 3) {
          const gone = here.splice(0, pick % (here.length + 1));
          heap.removeAll(gone);
          for (const row of gone) {
            assert.equal(rows.agePlace[row], -1);
            heap.remove(row);
            rows.recycle(row);
          }
        } else {
          const row = here[pick % here.length];
          rows.time[row] = rank;
          heap.update(row);
        }
        const top = heap.peek();
        if (here.length === 0) assert.equal(top, undefined);
        else assert.equal(rows.time[top as number], Math.min(...here.map((row) => rows.time[row])));
      }
    }),
    { numRuns: 400 },
  );
});

t.test('columns retain their values when they grow, and freed rows are used again', async (t) => {
  const rows = new Rows();
  for (let i = 0; i < 5_000; i++) {
    const row = rows.allocate();
    rows.fee[row] = 2 ** 50 + i;
    rows.height[row] = -i;
    rows.flags[row] = i & 1;
  }
  let sum = 0;
  for (let i = 0; i < 5_000; i++) if (rows.fee[i] === 2 ** 50 + i && rows.height[i] === -i && rows.flags[i] === (i & 1)) sum++;
  t.equal(sum, 5_000);
  t.equal(rows.here().length, 2_500);
  rows.recycle(77);
  t.equal(rows.allocate(), 77);
  t.ok(rows.capacity < 16_384);
});
