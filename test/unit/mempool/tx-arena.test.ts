// The arena against a map of copies: random stores and frees, with places that are read after they were freed, and no growth without end.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { type ArenaPlace, NO_SEGMENT, TxArena } from '../../../src/mempool/tx-arena.js';

const place = (length: number): ArenaPlace => ({ segment: NO_SEGMENT, offset: 0, length, stored: false });
const read = ({ segment, offset, length }: ArenaPlace): Uint8Array => segment.bytes.subarray(offset, offset + length);
const fill = (length: number, seed: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 31 + seed) & 255);

t.test('every place reads what was stored there', async () => {
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('store' as const), length: fc.integer({ min: 1, max: 90_000 }), seed: fc.nat(255) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('store' as const), length: fc.integer({ min: 200_000, max: 400_000 }), seed: fc.nat(255) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('free' as const), pick: fc.nat(1_000) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const arena = new TxArena();
      const here: [ArenaPlace, Uint8Array][] = [];
      const views: [Uint8Array, Uint8Array][] = [];
      for (const one of steps) {
        if (one.kind === 'store') {
          const bytes = fill(one.length, one.seed);
          const added = place(one.length);
          arena.store(added, bytes);
          here.push([added, bytes]);
          views.push([read(added), bytes]);
        } else if (here.length > 0) {
          const [[gone, bytes]] = here.splice(one.pick % here.length, 1);
          arena.free(gone);
          assert.deepEqual(read(gone), bytes, 'also right after it was freed');
        }
        for (const [at, bytes] of here) assert.ok(Buffer.compare(read(at), bytes) === 0);
      }
      // A range is never written again.
      for (const [view, bytes] of views) assert.ok(Buffer.compare(view, bytes) === 0);
    }),
    { numRuns: 60 },
  );
});

t.test('room follows what is kept', async (t) => {
  const arena = new TxArena();
  let kept: ArenaPlace[] = [];
  const peaks: number[] = [];
  for (let round = 0; round < 20; round++) {
    for (let i = 0; i < 5_000; i++) {
      const added = place(200 + (i % 100));
      arena.store(added, fill(added.length, i));
      kept.push(added);
    }
    // One in ten stays for a round, from everywhere.
    const stay = kept.filter((_, i) => i % 10 === round % 10);
    for (const one of kept) if (!stay.includes(one)) arena.free(one);
    kept = stay;
    peaks.push(arena.reservedBytes);
  }
  const live = kept.reduce((sum, { length }) => sum + length, 0);
  t.ok(arena.reservedBytes <= 2 * live + 3 * (256 << 10), `${arena.reservedBytes} bytes for ${live}`);
  for (const one of kept) arena.free(one);
  t.ok(arena.reservedBytes <= 256 << 10, 'nothing kept, one segment at most');
});
