// Tables of the wallet against maps: whatever is added and removed, both answer alike.
import fc from 'fast-check';
import t from 'tap';
import { BUCKET, type Bucket, CoinTable } from '../../../src/wallet/coins/coin-table.js';
import { outpointOf } from '../../../src/wallet/coins/outpoint.js';
import { SpendTable } from '../../../src/wallet/coins/spend-table.js';
import { ByteArena } from '../../../src/wallet/tables/byte-arena.js';
import { ByteTable } from '../../../src/wallet/tables/byte-table.js';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
// Few distinct keys, so that additions meet removals; some long.
const key = fc.oneof(
  fc.uint8Array({ minLength: 0, maxLength: 2, max: 3 }),
  fc.integer({ min: 0, max: 400 }).map((n) => new Uint8Array(20).fill(n & 0xff, 0, 10).fill(n >> 8, 10)),
);

t.test('byte table', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), key), { maxLength: 1500 }), (steps) => {
      const table = new ByteTable();
      const model = new Map<string, number>();
      let rows = 0;
      for (const [kind, bytes] of steps) {
        const name = text(bytes);
        const known = model.get(name);
        if (kind < 2) {
          const row = table.add(bytes);
          if (row !== (known ?? rows)) return false;
          if (known === undefined) model.set(name, rows++);
        } else if (kind === 2) {
          if (table.remove(bytes) !== (known ?? -1)) return false;
          model.delete(name);
        } else if (table.find(bytes) !== (known ?? -1) || table.has(bytes) !== model.has(name)) return false;
      }
      if (table.size !== model.size || table.rows !== rows) return false;
      const live = [...table.liveRows()].map((row) => [text(table.key(row)), row]);
      return JSON.stringify(live) === JSON.stringify([...model].sort((a, b) => a[1] - b[1]));
    }),
    { numRuns: 60 },
  );
  t.pass('same as a map');
});

t.test('byte arena', async (t) => {
  const arena = new ByteArena();
  const parts = Array.from({ length: 3000 }, (_, i) => new Uint8Array(i % 90).fill(i));
  const ids = parts.map((part) => arena.add(part));
  t.ok(ids.every((id, i) => text(arena.get(id)) === text(parts[i])));
  const view = arena.get(ids[5]);
  arena.wipe();
  t.ok(
    view.every((byte) => byte === 0),
    'wiped where it is',
  );
});

t.test('coins: sums and buckets', async (t) => {
  const step = fc.record({
    coin: fc.integer({ min: 0, max: 30 }),
    bucket: fc.integer({ min: 0, max: 3 }),
    ownership: fc.integer({ min: 0, max: 2 }),
    change: fc.constantFrom('bucket', 'ownership', 'remove'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const table = new CoinTable();
      const model = new Map<number, { value: number; ownership: number; bucket: number }>();
      const outpoint = (n: number) => outpointOf(new Uint8Array(32).fill(n), n);
      for (const { coin, bucket, ownership, change } of steps) {
        const row = table.find(outpoint(coin));
        const known = model.get(coin);
        if (row >= 0 !== (known !== undefined)) return false;
        if (!known) {
          const value = coin * 1000 + 1;
          table.add(outpoint(coin), { txRow: coin, vout: coin, value, ownership: ownership as 0, script: new Uint8Array([coin]) });
          model.set(coin, { value, ownership, bucket: BUCKET.NONE });
        } else if (change === 'remove') {
          table.remove(outpoint(coin));
          model.delete(coin);
        } else if (change === 'bucket') {
          table.setBucket(row, bucket as Bucket);
          known.bucket = bucket;
        } else {
          table.setOwnership(row, ownership as 0);
          known.ownership = ownership;
        }
      }
      const coins = [...model.entries()];
      for (const bucket of [1, 2, 3] as const) {
        const inside = coins.filter(([, entry]) => entry.bucket === bucket);
        const listed = [...table.inBucket(bucket)].map((row) => table.txRow(row)).sort((a, b) => a - b);
        if (JSON.stringify(listed) !== JSON.stringify(inside.map(([n]) => n).sort((a, b) => a - b))) return false;
        for (const ownership of [0, 1, 2] as const) {
          const sum = inside.filter(([, entry]) => entry.ownership === ownership).reduce((all, [, { value }]) => all + value, 0);
          if (table.sum(bucket, ownership) !== sum) return false;
        }
      }
      return true;
    }),
    { numRuns: 100 },
  );
  t.pass('same as a list');
});

t.test('who spends an outpoint', async (t) => {
  const table = new SpendTable();
  const a = outpointOf(new Uint8Array(32).fill(1), 0);
  const b = outpointOf(new Uint8Array(32).fill(1), 1);
  for (const [outpoint, row] of [
    [a, 1],
    [a, 2],
    [b, 3],
    [a, 2],
    [a, 4],
  ] as const)
    table.add(outpoint, row);
  t.same(table.spenders(a).sort(), [1, 2, 4]);
  t.same(table.spenders(b), [3]);
  table.remove(a, 2);
  table.remove(b, 3);
  t.same(table.spenders(a).sort(), [1, 4]);
  t.same(table.spenders(b), []);
});
