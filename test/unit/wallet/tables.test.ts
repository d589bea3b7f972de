// Compares tables of the wallet with maps: both must give the same answers whatever is added and removed.
import v8 from 'node:v8';
import vm from 'node:vm';
import t from 'tap';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { AddressBook } from '../../../src/wallet/address-book.js';
import { BUCKET, type Bucket, CoinTable } from '../../../src/wallet/coins/coin-table.js';
import { outpointOf } from '../../../src/wallet/coins/outpoint.js';
import { SpendTable } from '../../../src/wallet/coins/spend-table.js';
import { ImageLoader, ImageSaver } from '../../../src/wallet/image/table-image.js';
import { KeyPool } from '../../../src/wallet/keys/key-pool.js';
import { KeyTable } from '../../../src/wallet/keys/key-table.js';
import { WALLET_PREFIX } from '../../../src/wallet/storage/layout.js';
import { WalletBatch } from '../../../src/wallet/storage/wallet-batch.js';
import { ByteArena } from '../../../src/wallet/tables/byte-arena.js';
import { ByteTable } from '../../../src/wallet/tables/byte-table.js';
import { fc } from '../../framework/fast-check.js';

const crypto = createNativeCrypto();
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
// Only a few distinct keys, so that removals often find their key. Some keys are long.
const key = fc.oneof(
  fc.uint8Array({ minLength: 0, maxLength: 2, max: 3 }),
  fc.integer({ min: 0, max: 400 }).map((n) => new Uint8Array(20).fill(n & 0xff, 0, 10).fill(n >> 8, 10)),
);

t.test('ByteTable behaves like a map', async (t) => {
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

t.test('ByteArena returns what was added and overwrites it in place', async (t) => {
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

t.test('CoinTable sums and lists coins by bucket and ownership like a list', async (t) => {
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

t.test('SpendTable lists the spenders of an outpoint', async (t) => {
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

/** Saves an address book in an image and loads it from there. */
function restored(book: AddressBook): { book: AddressBook; bytes: number } {
  const saver = new ImageSaver();
  book.transferImage(saver);
  const again = new AddressBook();
  again.transferImage(new ImageLoader(saver.columns));
  return { book: again, bytes: saver.columns.reduce((sum, { column }) => sum + column.byteLength, 0) };
}

t.test('AddressBook lists labels like a map and forgets replaced ones', async (t) => {
  const labels = fc.constantFrom('', 'a', 'b', 'a label', '\u{1f511}');
  const steps = fc.array(fc.tuple(fc.constantFrom('set', 'load', 'use', 'image'), fc.nat(8), labels), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (steps) => {
      let book = new AddressBook();
      const model = new Map<number, string>();
      const scriptOf = (n: number): Uint8Array => new Uint8Array(22).fill(n);
      for (const [kind, n, label] of steps) {
        const batch = new WalletBatch();
        if (kind === 'image') book = restored(book).book;
        else if (kind === 'use') book.markUsed(scriptOf(n), batch);
        else {
          if (kind === 'set') book.set(scriptOf(n), label, 'receive', batch);
          else {
            // Loads a row of another address book, as the journal does.
            new AddressBook().set(scriptOf(n), label, 'receive', batch);
            for (const op of batch.ops)
              if (op.type === 'put' && op.key[0] === WALLET_PREFIX.address) book.load(op.key.subarray(1), op.value);
          }
          model.set(n, label);
        }
      }
      for (let n = 0; n <= 8; n++) if (book.label(scriptOf(n)) !== model.get(n)) return false;
      for (const label of ['', 'a', 'b', 'a label', '\u{1f511}']) {
        const rows = [...book.rowsOf(label)].map((row) => book.scriptAt(row)[0]).sort();
        const expected = [...model].filter(([, held]) => held === label).map(([n]) => n);
        if (JSON.stringify(rows) !== JSON.stringify(expected.sort())) return false;
      }
      return JSON.stringify(book.labels('').sort()) === JSON.stringify([...new Set(model.values())].sort());
    }),
  );
  // A replaced label leaves no trace.
  const book = new AddressBook();
  const batch = new WalletBatch();
  for (let i = 0; i < 1000; i++) book.set(new Uint8Array(22), `${i} `.repeat(100), 'receive', batch);
  const { bytes, book: again } = restored(book);
  t.ok(bytes < 5000, `${bytes} bytes`);
  t.same(again.labels(''), ['999 '.repeat(100)]);
});

t.test('KeyPool behaves like a list through random steps', async (_t) => {
  const publicKey = (n: number): Uint8Array =>
    new Uint8Array(33)
      .fill(2, 0, 1)
      .fill(n & 0xff, 1, 17)
      .fill(n >> 8, 17);
  const steps = fc.array(fc.tuple(fc.constantFrom('add', 'add', 'take', 'use', 'split', 'clear', 'load'), fc.nat(400), fc.boolean()), {
    maxLength: 400,
  });
  type Entry = { index: number; id: string; internal: boolean; preSplit: boolean; time: number };
  fc.assert(
    fc.property(steps, (steps) => {
      const keys = new KeyTable(crypto);
      let pool = new KeyPool(keys);
      let model: Entry[] = [];
      let last = 0;
      let made = 0;
      const rows = new Map<string, { key: Uint8Array; value: Uint8Array }>();
      const shown = ({ index, id, internal, preSplit }: { index: number; id: Uint8Array | string; internal: boolean; preSplit: boolean }) =>
        `${index} ${typeof id === 'string' ? id : text(id)} ${internal} ${preSplit}`;
      const queueOf = (entry: Entry): number => (entry.preSplit ? 2 : entry.internal ? 1 : 0);
      for (const [kind, n, internal] of steps) {
        const batch = new WalletBatch();
        if (kind === 'add') {
          const id = keys.id(keys.touch(publicKey(made++)));
          pool.add(id, internal, n, batch);
          model.push({ index: ++last, id: text(id), internal, preSplit: false, time: n });
        } else if (kind === 'take') {
          const wanted = model.some(({ preSplit }) => preSplit) ? 2 : internal ? 1 : 0;
          const expected = model.find((entry) => queueOf(entry) === wanted);
          const taken = pool.takeKey(internal, batch);
          if ((taken && shown(taken)) !== (expected && shown(expected))) return false;
          model = model.filter((entry) => entry !== expected);
        } else if (kind === 'use' && made > 0) {
          const id = keys.id(keys.touch(publicKey(n % made)));
          const expected = model.find((entry) => entry.id === text(id));
          const found = pool.find(id);
          if ((found && shown(found)) !== (expected && shown(expected))) return false;
          if (found && expected) {
            const gone = model.filter((entry) => queueOf(entry) === queueOf(expected) && entry.index <= expected.index);
            if (pool.removeUpTo(found, batch).map(shown).join() !== gone.map(shown).join()) return false;
            model = model.filter((entry) => !gone.includes(entry));
          }
        } else if (kind === 'split' && !model.some(({ preSplit }) => preSplit)) {
          pool.markPreSplit(batch);
          model = model.map((entry) => (entry.internal ? entry : { ...entry, preSplit: true }));
        } else if (kind === 'clear') {
          pool.clear(batch);
          model = [];
        } else if (kind === 'load') {
          pool = new KeyPool(keys);
          for (const name of [...rows.keys()].sort()) if (!pool.load(rows.get(name)!.key, rows.get(name)!.value)) return false;
          pool.lastIndex = last;
        }
        for (const op of batch.ops) {
          if (op.type === 'put') rows.set(text(op.key), { key: op.key, value: op.value });
          else rows.delete(text(op.key));
        }
        const all = [0, 1, 2].flatMap((queue) => model.filter((entry) => queueOf(entry) === queue));
        if (pool.entries().map(shown).join() !== all.map(shown).join()) return false;
        const sizes = [0, 1, 2].map((queue) => model.filter((entry) => queueOf(entry) === queue).length);
        if (`${pool.externalSize},${pool.internalSize},${pool.preSplitSize}` !== sizes.join()) return false;
        const oldest = (queue: number): number => model.find((entry) => queueOf(entry) === queue)?.time ?? -1;
        if (pool.oldest('external', -1) !== oldest(0) || pool.oldest('internal', -1) !== oldest(1)) return false;
        if (rows.size !== model.length) return false;
      }
      return true;
    }),
    { numRuns: 60 },
  );
});

t.test('KeyPool uses less than 80 bytes per key', async (t) => {
  v8.setFlagsFromString('--expose_gc');
  const collect: () => void = vm.runInNewContext('gc');
  // Returns the memory still in use once a collection frees nothing more.
  const used = (): number => {
    for (let last = Number.POSITIVE_INFINITY; ; ) {
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      if (heapUsed + arrayBuffers >= last) return last;
      last = heapUsed + arrayBuffers;
    }
  };
  const count = 50_000;
  const keys = new KeyTable(crypto);
  const pool = new KeyPool(keys);
  const publicKey = new Uint8Array(33).fill(2);
  const rows = Int32Array.from({ length: count }, (_, i) => {
    new DataView(publicKey.buffer).setUint32(4, i);
    return keys.touch(publicKey);
  });
  const before = used();
  for (const row of rows) pool.add(keys.id(row), true, 1, new WalletBatch());
  const each = (used() - before) / count;
  t.equal(pool.internalSize, count);
  t.ok(each < 80, `${each} bytes each`);
});
