// Compares the arena with a map of copies: random records are stored and freed, records move, memory is still read
// after it was freed, and the arena must not grow without end.
import assert from 'node:assert/strict';
import t from 'tap';
import type { TxView } from '../../../src/consensus/tx/tx-view.js';
import { RecordArena } from '../../../src/mempool/record-arena.js';
import { Rows } from '../../../src/mempool/rows.js';
import { fc } from '../../framework/fast-check.js';

const HEADER = 64;
const SEGMENT = 1 << 14;

/** The fields of a transaction that the arena reads. */
function fake(length: number, seed: number): TxView {
  const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + seed) & 255);
  return { totalSize: length, bytes, txid: new Uint8Array(32).fill(seed), wtxid: new Uint8Array(32).fill(seed ^ 255) } as TxView;
}

/** An arena with counters of its copies. */
class Watched {
  readonly rows = new Rows();
  readonly places = new Map<number, string>();
  moves = 0;
  movedBytes = 0;
  readonly arena = new RecordArena(this.rows, SEGMENT, (row) => {
    this.moves++;
    this.movedBytes += HEADER + this.rows.length[row];
    this.places.set(row, this.#place(row));
  });
  store(tx: TxView): number {
    const row = this.rows.allocate();
    this.arena.store(row, tx);
    this.places.set(row, this.#place(row));
    return row;
  }
  free(row: number): void {
    assert.equal(this.places.get(row), this.#place(row), 'a record never moves untold');
    this.places.delete(row);
    this.arena.free(row);
    this.rows.recycle(row);
  }
  view(row: number): Uint8Array {
    const from = this.rows.offset[row];
    return this.arena.bytesOf(row).subarray(from, from + HEADER + this.rows.length[row]);
  }
  #place(row: number): string {
    return `${this.rows.segment[row]} ${this.rows.offset[row]}`;
  }
}

const recordOf = (tx: TxView): Buffer => Buffer.concat([tx.txid, tx.wtxid, tx.bytes]);

t.test('reads every row as stored, and never rewrites memory that was read', async (t) => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('store' as const), length: fc.integer({ min: 60, max: 3_000 }), seed: fc.nat(255) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('store' as const),
        length: fc.integer({ min: 14_000, max: 20_000 }),
        seed: fc.nat(255),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('free' as const), pick: fc.nat(1_000) }) },
  );
  let moves = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 90, minLength: 30 }), (steps) => {
      const watched = new Watched();
      const here = new Map<number, Buffer>();
      const views: [Uint8Array, Buffer][] = [];
      for (const one of steps) {
        if (one.kind === 'store') {
          const tx = fake(one.length, one.seed);
          const row = watched.store(tx);
          here.set(row, recordOf(tx));
          views.push([watched.view(row), recordOf(tx)]);
        } else if (here.size > 0) {
          const row = [...here.keys()][one.pick % here.size];
          here.delete(row);
          watched.free(row);
        }
        for (const [row, record] of here) assert.ok(Buffer.compare(watched.view(row), record) === 0);
      }
      for (const [view, record] of views) assert.ok(Buffer.compare(view, record) === 0);
      const live = [...here.values()].reduce((sum, { length }) => sum + length, 0);
      if (live === 0) assert.ok(watched.arena.reservedBytes <= 20_064, 'nothing kept, one segment at most');
      moves += watched.moves;
    }),
    { numRuns: 40 },
  );
  t.ok(moves > 50, `${moves} records moved`);
});

t.test('uses memory in proportion to live records, and moves a bounded amount per free', async (t) => {
  const watched = new Watched();
  let kept: number[] = [];
  for (let round = 0; round < 12; round++) {
    for (let i = 0; i < 1_500; i++) kept.push(watched.store(fake(200 + (i % 700), i)));
    // In each round another tenth of the records stays until the next one.
    const stay = kept.filter((_, i) => i % 10 === round % 10);
    const staying = new Set(stay);
    for (const row of kept) {
      if (staying.has(row)) continue;
      const freed = HEADER + watched.rows.length[row];
      const before = watched.movedBytes;
      const reserved = watched.arena.reservedBytes;
      watched.free(row);
      // The arena may move as many bytes as it is owed for freed ones, plus a record, plus a segment at the first use
      // after an idle time.
      if (reserved === watched.arena.reservedBytes) assert(watched.movedBytes - before <= SEGMENT + 3 * freed + 2_000);
    }
    kept = stay;
    const live = kept.reduce((sum, row) => sum + HEADER + watched.rows.length[row], 0);
    t.ok(watched.arena.reservedBytes <= 1.5 * live + 3 * SEGMENT, `${watched.arena.reservedBytes} bytes for ${live}`);
  }
  t.ok(watched.moves > 500);
  for (const row of kept) watched.free(row);
  t.ok(watched.arena.reservedBytes <= SEGMENT, 'nothing kept, one segment at most');
});
