// The contract of a Store, run over every implementation.

import t from 'tap';
import { type BatchOp, iterateCursor, type Store, type StoreEntry } from '../../../src/storage/store.js';
import { WriteBatch } from '../../../src/storage/write-batch.js';
import { fc } from '../../framework/fast-check.js';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const hex = (value: Uint8Array | undefined): string | undefined => (value === undefined ? undefined : Buffer.from(value).toString('hex'));
const put = (key: Uint8Array, value: Uint8Array): BatchOp => ({ type: 'put', key, value });
const del = (key: Uint8Array): BatchOp => ({ type: 'del', key });

async function all(entries: AsyncIterable<StoreEntry>): Promise<string[]> {
  const texts: string[] = [];
  for await (const [key, value] of entries) texts.push(`${hex(key)}=${hex(value)}`);
  return texts;
}

/** Registers the suite. @param create gives a new, empty store */
export function storeSuite(name: string, create: () => Promise<Store>): void {
  t.test(`${name}: reads what was written, in the order of the requested keys`, async (t) => {
    const store = await create();
    t.equal(await store.get(bytes(1)), undefined);
    await store.batch([
      put(bytes(1), bytes(10)),
      put(bytes(2, 0), bytes()),
      put(bytes(2), bytes(20, 21)),
      put(bytes(255, 255), bytes(255)),
    ]);
    t.equal(hex(await store.get(bytes(1))), '0a');
    t.equal(hex(await store.get(bytes(2, 0))), '', 'an empty value is a value');
    t.same((await store.getMany([bytes(255, 255), bytes(9), bytes(2), bytes(1), bytes(2)])).map(hex), [
      'ff',
      undefined,
      '1415',
      '0a',
      '1415',
    ]);
    const many = await store.getMany(Array.from({ length: 300 }, (_, i) => bytes(i % 256)));
    t.equal(many.filter((value) => value !== undefined).length, 4, 'keys 1 and 2, twice each');
    t.same(await store.getMany([]), []);
    await store.close();
  });

  t.test(`${name}: a batch applies its operations in order and copies them`, async (t) => {
    const store = await create();
    const key = bytes(7);
    const value = bytes(1);
    const first = store.batch([put(key, value), del(key), put(key, value), put(bytes(8), value), del(bytes(8)), del(bytes(99))]);
    const second = store.batch([put(bytes(9), bytes(3)), put(key, bytes(4))], { sync: true });
    const third = store.batch([put(key, bytes(5))]);
    key[0] = 70;
    value[0] = 77;
    await Promise.all([first, second, third]);
    t.same(await all(store.iterate()), ['07=05', '09=03']);
    await store.batch([]);
    await store.close();
  });

  t.test(`${name}: erases a batch in one buffer after writing it, and refuses to write it again`, async (t) => {
    const store = await create();
    const batch = new WriteBatch();
    batch.put(bytes(1), bytes(2, 3));
    batch.del(bytes(4));
    const memory = batch.bytes;
    await store.batch(batch);
    t.same(await all(store.iterate()), ['01=0203']);
    // Moved to another thread it has no length here.
    t.ok(memory.length === 0 || memory.every((byte) => byte === 0), 'some values are secret');
    await t.rejects(store.batch(batch), /used it up/);
    t.throws(() => batch.put(bytes(5), bytes(6)), /used it up/);
    t.same(await all(store.iterate()), ['01=0203']);
    await store.close();
  });

  t.test(`${name}: applies batches of every size in the order of the calls`, async (t) => {
    const store = await create();
    const key = (i: number): Uint8Array => bytes(1 + (i >> 16), (i >> 8) & 255, i & 255);
    const large = (value: number): BatchOp[] => Array.from({ length: 20_000 }, (_, i) => put(key(i), bytes(value)));
    await Promise.all([
      store.batch([put(key(7), bytes(1))]),
      store.batch(large(2)),
      store.batch([put(key(8), bytes(3)), del(key(9))], { sync: true }),
      store.clear(key(100), key(19_900)),
      store.batch([put(key(500), bytes(4))]),
    ]);
    const found = await all(store.iterate());
    t.equal(found.length, 20_000 - 19_800 - 1 + 1);
    t.same(found.slice(6, 10), ['010006=02', '010007=02', '010008=03', '01000a=02']);
    t.same(found.slice(98, 101), ['010063=02', '0101f4=04', '014dbc=02']);
    const again = store.batch(large(5));
    await Promise.all([again, store.close()]);
    await t.rejects(store.batch(large(6)), { code: 'STORE_CLOSED' });
  });

  t.test(`${name}: takes views of larger and of shared buffers`, async (t) => {
    const store = await create();
    const large = Uint8Array.from({ length: 64 }, (_, i) => i);
    const shared = new Uint8Array(new SharedArrayBuffer(16));
    shared.fill(9);
    await store.batch([put(large.subarray(3, 6), large.subarray(10, 12)), put(shared.subarray(0, 2), shared.subarray(4, 7))]);
    t.same(await all(store.iterate()), ['030405=0a0b', '0909=090909']);
    t.equal(hex(await store.get(large.subarray(3, 6))), '0a0b');
    t.equal(hex(await store.get(shared.subarray(2, 4))), '090909');
    await store.close();
  });

  t.test(`${name}: returns keys and values of every small size unchanged`, async (t) => {
    const store = await create();
    const sizes = Array.from({ length: 80 }, (_, size) => size);
    const keyOf = (size: number): Uint8Array => new Uint8Array(size + 1).fill(size % 5);
    const contentOf = (size: number): Uint8Array => Uint8Array.from({ length: 79 - size }, (_, i) => (size * 3 + i) % 256);
    await store.batch(sizes.map((size) => put(keyOf(size), contentOf(size))));
    await store.batch(sizes.filter((size) => size % 7 === 0).map((size) => del(keyOf(size))));
    const values = await store.getMany(sizes.map(keyOf));
    for (const size of sizes) t.equal(hex(values[size]), size % 7 === 0 ? undefined : hex(contentOf(size)), `size ${size}`);
    t.equal((await all(store.iterate())).length, 68);
    await store.close();
  });

  t.test(`${name}: iterates over ranges in both directions, with limits`, async (t) => {
    const store = await create();
    const keys = [bytes(1), bytes(1, 0), bytes(1, 255), bytes(2), bytes(2, 2, 2), bytes(128), bytes(255)];
    await store.batch(keys.map((key, i) => put(key, bytes(i))).reverse());
    const texts = keys.map((key, i) => `${hex(key)}=0${i}`);
    t.same(await all(store.iterate()), texts);
    t.same(await all(store.iterate({ reverse: true })), texts.toReversed());
    t.same(await all(store.iterate({ gte: bytes(1, 0), lt: bytes(2) })), texts.slice(1, 3));
    t.same(await all(store.iterate({ gte: bytes(1, 0), lt: bytes(2), reverse: true })), texts.slice(1, 3).toReversed());
    t.same(await all(store.iterate({ gte: bytes(1, 1) })), texts.slice(2));
    t.same(await all(store.iterate({ lt: bytes(128) })), texts.slice(0, 5));
    t.same(await all(store.iterate({ lt: bytes(129), reverse: true, limit: 2 })), ['80=05', '020202=04']);
    t.same(await all(store.iterate({ limit: 3 })), texts.slice(0, 3));
    t.same(await all(store.iterate({ limit: 0 })), []);
    t.same(await all(store.iterate({ gte: bytes(3), lt: bytes(128) })), []);
    t.same(await all(store.iterate({ gte: bytes(128), lt: bytes(3) })), [], 'an inverted range is empty');
    t.same(await all(store.iterate({ gte: bytes(128), lt: bytes(3), reverse: true })), []);
    await store.close();
  });

  t.test(`${name}: clears a range, and nothing outside it`, async (t) => {
    const store = await create();
    const keys = [bytes(1), bytes(2), bytes(2, 0), bytes(2, 255, 255), bytes(3), bytes(3, 0)];
    await store.batch(keys.map((key) => put(key, bytes(7))));
    const before = store.cursor();
    await store.clear(bytes(2), bytes(3));
    t.same(await all(store.iterate()), ['01=07', '03=07', '0300=07']);
    const read = await store.getMany([bytes(2), bytes(2, 0), bytes(3), bytes(1), bytes(2, 255, 255)]);
    t.same(read.map(hex), [undefined, undefined, '07', '07', undefined]);
    t.equal((await before.next()).length, 6, 'a view from before has all of them');
    await before.close();
    await store.batch([put(bytes(2, 0), bytes(8))]);
    t.same(await all(store.iterate()), ['01=07', '0200=08', '03=07', '0300=07'], 'and the range can be filled again');
    await store.clear(bytes(3), bytes(2));
    await store.clear(bytes(9), bytes(9));
    t.equal((await all(store.iterate())).length, 4, 'an inverted or empty range is nothing');
    await store.close();
    await t.rejects(store.clear(bytes(1), bytes(2)), { code: 'STORE_CLOSED' });
  });

  t.test(`${name}: a cursor shows the rows at the time it was opened, in chunks`, async (t) => {
    const store = await create();
    const key = (i: number) => bytes(i >> 8, i & 255);
    await store.batch(Array.from({ length: 2500 }, (_, i) => put(key(i), bytes(1))));
    const cursor = store.cursor({ gte: key(100), limit: 2000 });
    await store.batch([put(key(150), bytes(2)), del(key(151)), put(bytes(0, 150, 1), bytes(3))]);
    const seen: StoreEntry[] = [];
    for (;;) {
      const chunk = await cursor.next(333);
      t.ok(chunk.length <= 333, 'no chunk exceeds what was asked');
      if (chunk.length === 0) break;
      seen.push(...chunk);
    }
    t.same(
      seen.map(([k]) => hex(k)),
      Array.from({ length: 2000 }, (_, i) => hex(key(100 + i))),
    );
    t.ok(seen.every(([, value]) => value[0] === 1));
    t.same(await cursor.next(), [], 'the end stays the end');
    await cursor.close();
    await cursor.close();
    t.equal((await all(store.iterate({ gte: key(150), lt: key(153) }))).join(' '), '0096=02 009601=03 0098=01');
    await store.close();
  });

  t.test(`${name}: closes the cursor when a loop over it breaks`, async (t) => {
    const store = await create();
    await store.batch(Array.from({ length: 50 }, (_, i) => put(bytes(i), bytes(i))));
    let closed = 0;
    const watched = () => {
      const cursor = store.cursor();
      const close = (): Promise<void> => {
        closed++;
        return cursor.close();
      };
      return { next: (max?: number) => cursor.next(max), close };
    };
    for await (const [key] of iterateCursor(watched)) if (key[0] === 3) break;
    t.equal(closed, 1);
    await store.close();
  });

  t.test(`${name}: iterates over values that are larger than a chunk`, async (t) => {
    const store = await create();
    const value = new Uint8Array(700_000).fill(5);
    await store.batch([1, 2, 3, 4, 5].map((i) => put(bytes(i), value)));
    let count = 0;
    for await (const [, read] of store.iterate()) {
      count++;
      t.equal(read.length, 700_000);
    }
    t.equal(count, 5);
    t.ok((await store.approximateSize(bytes(0), bytes(255))) >= 0);
    await store.close();
  });

  t.test(`${name}: refuses every call after close, and completes a read that is under way`, async (t) => {
    const store = await create();
    await store.batch([put(bytes(1), bytes(1)), put(bytes(2), bytes(2))]);
    const left = store.cursor();
    await left.next(1);
    const reading = store.getMany(Array.from({ length: 100 }, () => bytes(1)));
    const closing = store.close();
    t.equal((await reading).length, 100, 'a read under way is answered');
    await closing;
    await store.close();
    const closedCode = { name: 'StoreError', code: 'STORE_CLOSED' };
    await t.rejects(store.get(bytes(1)), closedCode);
    await t.rejects(store.getMany([bytes(1)]), closedCode);
    await t.rejects(store.batch([put(bytes(1), bytes(1))]), closedCode);
    await t.rejects(left.next(), closedCode);
    t.throws(() => store.cursor(), closedCode);
    await t.rejects(all(store.iterate()), closedCode);
    await t.resolves(left.close());
  });

  t.test(`${name}: behaves as a sorted map over random histories`, async (t) => {
    const keyArbitrary = fc.uint8Array({ minLength: 1, maxLength: 3, max: 4 });
    const opArbitrary = fc.oneof(
      fc.record({ type: fc.constant('put' as const), key: keyArbitrary, value: fc.uint8Array({ maxLength: 6 }) }),
      fc.record({ type: fc.constant('del' as const), key: keyArbitrary }),
    );
    const history = fc.array(fc.array(opArbitrary, { maxLength: 12 }), { maxLength: 6 });
    const store = await create();
    await fc.assert(
      fc.asyncProperty(history, keyArbitrary, keyArbitrary, fc.boolean(), fc.nat(8), async (batches, gte, lt, reverse, limit) => {
        const model = new Map<string, string>();
        await store.batch((await all(store.iterate())).map((text) => del(Buffer.from(text.split('=')[0], 'hex'))));
        for (const batch of batches) {
          await store.batch(batch);
          for (const op of batch) {
            if (op.type === 'put') model.set(hex(op.key) as string, hex(op.value) as string);
            else model.delete(hex(op.key) as string);
          }
        }
        const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => `${key}=${value}`);
        const inRange = sorted.filter((text) => {
          const key = Buffer.from(text.split('=')[0], 'hex');
          return Buffer.compare(key, gte) >= 0 && Buffer.compare(key, lt) < 0;
        });
        const expected = (reverse ? inRange.reverse() : inRange).slice(0, limit);
        const seen = await all(store.iterate({ gte, lt, reverse, limit }));
        return JSON.stringify(seen) === JSON.stringify(expected);
      }),
      { numRuns: 60 },
    );
    t.pass('60 histories');
    await store.close();
  });

  t.test(`${name}: reports the memory that it uses`, async (t) => {
    const store = await create();
    const before = store.memoryBytes();
    await store.batch(Array.from({ length: 300 }, (_, i) => put(Uint8Array.of(i >> 8, i & 0xff), new Uint8Array(10_000))));
    const taken = store.memoryBytes() - before;
    t.ok(taken > 2_900_000 && taken < 6_000_000, `${taken} bytes for three million`);
    await store.close();
    t.ok(store.memoryBytes() <= before + taken, 'a closed one can be asked');
  });
}
