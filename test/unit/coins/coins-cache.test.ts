// The coins cache: Core's flags, flushing, eviction, races of prefetch, and long random histories against a naive
// model.

import t from 'tap';
import { CoinsCache } from '../../../src/chain/coins/coins-cache.js';
import type { Coin } from '../../../src/consensus/coin.js';
import { decodeCoin } from '../../../src/storage/codec/coin.js';
import { FIRST_COINS } from '../../../src/storage/layout.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp } from '../../../src/storage/store.js';
import { WriteBatch } from '../../../src/storage/write-batch.js';
import { fc } from '../../framework/fast-check.js';
import { hex } from '../../framework/hex.js';

/** Outpoint number n. */
function outpoint(n: number): Uint8Array {
  const bytes = new Uint8Array(36);
  new DataView(bytes.buffer).setUint32(0, Math.floor(n / 3) * 2654435761, true);
  new DataView(bytes.buffer).setUint32(16, n, true);
  bytes[32] = n % 3;
  return bytes;
}
function coin(seed: number, scriptLength = 22): Coin {
  return { value: seed * 1000, script: new Uint8Array(scriptLength).fill(0x51 + (seed % 20)), height: seed, coinbase: seed % 7 === 0 };
}

/** The writes that a cache hands out. */
function drain(cache: CoinsCache, limit: number): BatchOp[] {
  const batch = new WriteBatch();
  const count = cache.dirty.drain(limit, batch);
  if (count !== batch.length) throw new Error('counted wrongly');
  return [...batch];
}

const text = (value: Coin | undefined): string =>
  value === undefined ? 'none' : `${value.value} ${value.height} ${value.coinbase} ${hex(value.script)}`;

async function flush(cache: CoinsCache, store: MemoryStore, limit = 1000): Promise<number> {
  let writes = 0;
  for (;;) {
    const ops = drain(cache, limit);
    if (ops.length === 0) return writes;
    writes += ops.length;
    await store.batch(ops);
    cache.dirty.markClean();
  }
}
/** Coin n as it stands on disk. */
async function stored(store: MemoryStore, n: number): Promise<Coin | undefined> {
  const value = await store.get(FIRST_COINS.key(outpoint(n)));
  return value && decodeCoin(value);
}
const create = (budgetBytes = 1 << 30): { cache: CoinsCache; store: MemoryStore } => {
  const store = new MemoryStore();
  return { store, cache: new CoinsCache({ budgetBytes }, { store, space: FIRST_COINS }) };
};

t.test('throws for a coin that was neither cached nor prefetched', async (t) => {
  const { cache, store } = create();
  await store.batch([{ type: 'put', key: FIRST_COINS.key(outpoint(1)), value: Uint8Array.of(2, 9, 6) }]);
  t.throws(() => cache.get(outpoint(1)), /prefetched/);
  t.throws(() => cache.spend(outpoint(1)), /prefetched/);
  t.notOk(cache.isKnown(outpoint(1)));
  const reading = cache.prefetch([outpoint(1), outpoint(2), outpoint(1)]);
  t.equal(cache.stats().pendingPrefetches, 1);
  await reading;
  t.equal(cache.stats().pendingPrefetches, 0);
  t.equal(text(cache.get(outpoint(1))), '100000000 1 false ');
  t.equal(cache.get(outpoint(2)), undefined, 'known to be absent');
  t.equal(cache.spend(outpoint(2)), undefined);
  t.equal(cache.dirty.entries, 0);
  await cache.prefetch([outpoint(1)]);
  t.match(cache.stats(), { entries: 2, hits: 1, misses: 3 });
  await t.rejects(cache.prefetch([new Uint8Array(35)]), RangeError);
  await store.batch([{ type: 'put', key: FIRST_COINS.key(outpoint(5)), value: new Uint8Array(0) }]);
  await t.rejects(cache.prefetch([outpoint(5)]), { code: 'STORE_CORRUPTION' });
});

t.test('never writes a coin that was created and spent between two flushes', async (t) => {
  const { cache, store } = create();
  cache.add(outpoint(1), coin(1));
  t.equal(text(cache.get(outpoint(1))), text(coin(1)));
  t.equal(cache.dirty.entries, 1);
  t.equal(text(cache.spend(outpoint(1))), text(coin(1)));
  t.equal(cache.dirty.entries, 0);
  t.equal(cache.get(outpoint(1)), undefined, 'and stays known as spent');
  cache.add(outpoint(1), coin(2));
  cache.spend(outpoint(1));
  t.same(drain(cache, 10), []);
  t.equal(cache.stats().freshSpends, 2);
  t.equal(store.size, 0);
});

t.test('rejects an overwrite unless it is allowed, and then deletes the existing row', async (t) => {
  const { cache, store } = create();
  cache.add(outpoint(1), coin(1));
  t.throws(() => cache.add(outpoint(1), coin(2)), /BIP-0030/);
  cache.add(outpoint(1), coin(2), { possibleOverwrite: true });
  t.equal(text(cache.get(outpoint(1))), text(coin(2)));
  cache.spend(outpoint(1));
  t.same(drain(cache, 10), [], 'it was fresh before, so it still is');
  cache.add(outpoint(2), coin(3), { possibleOverwrite: true });
  cache.spend(outpoint(2));
  t.same(drain(cache, 10), [{ type: 'del', key: FIRST_COINS.key(outpoint(2)) }], 'a row may be there, so it must be deleted');
  cache.dirty.markClean();
  cache.add(outpoint(3), coin(3));
  await flush(cache, store);
  cache.add(outpoint(3), coin(4, 5000), { possibleOverwrite: true });
  t.equal(text(cache.get(outpoint(3))), text(coin(4, 5000)), 'a larger coin moves to a larger cell');
  cache.spend(outpoint(3));
  cache.add(outpoint(3), coin(5, 9));
  cache.spend(outpoint(3));
  t.same(drain(cache, 10), [{ type: 'del', key: FIRST_COINS.key(outpoint(3)) }], 'never fresh again while its row exists');
});

t.test('does not store unspendable coins', async (t) => {
  const { cache } = create();
  cache.add(outpoint(1), { value: 0, script: Uint8Array.of(0x6a, 1, 2), height: 1, coinbase: false });
  cache.add(outpoint(2), coin(1, 10_001));
  t.notOk(cache.isKnown(outpoint(1)));
  t.notOk(cache.isKnown(outpoint(2)));
  const longest = { ...coin(1, 10_000), value: 2_099_999_999_999_999, height: 0x7fff_ffff };
  cache.add(outpoint(3), longest);
  t.equal(text(cache.get(outpoint(3))), text(longest), 'the longest that can');
  const [op] = drain(cache, 1);
  t.equal(op.type === 'put' ? text(decodeCoin(op.value)) : '', text(longest));
});

t.test('keeps changes that occur while a batch is being written', async (t) => {
  const { cache, store } = create();
  cache.add(outpoint(1), coin(1));
  cache.add(outpoint(2), coin(2));
  cache.add(outpoint(3), coin(3));
  const ops = drain(cache, 2);
  t.equal(ops.length, 2, 'oldest first, at most the limit');
  cache.spend(outpoint(1));
  await store.batch(ops);
  cache.dirty.markClean();
  t.equal(cache.dirty.entries, 2, 'the spend of 1, and 3');
  t.same(
    drain(cache, 10).map((op) => [op.type, hex(op.key)]),
    [
      ['put', hex(FIRST_COINS.key(outpoint(3)))],
      ['del', hex(FIRST_COINS.key(outpoint(1)))],
    ],
  );
  cache.dirty.markFailed();
  t.equal(cache.dirty.entries, 2, 'a failed batch loses nothing');
  t.ok(cache.dirty.bytes > 0);
  cache.spend(outpoint(3));
  await flush(cache, store);
  t.equal(cache.dirty.bytes, 0);
  t.equal(store.size, 1);
  t.equal(text(await stored(store, 2)), text(coin(2)));
});

t.test('evicts the least recently used coins, but no unwritten ones', async (t) => {
  const { cache, store } = create(1 << 20);
  for (let i = 0; i < 20_000; i++) cache.add(outpoint(i), coin(i % 100));
  t.ok(cache.usedBytes > cache.budgetBytes);
  for (let i = 0; i < 3; i++) t.equal(cache.evict(), 0, 'all is dirty');
  await flush(cache, store);
  await cache.prefetch([outpoint(0)]);
  t.ok(cache.evict(500) === 500, 'bounded work');
  t.ok(cache.evict() > 1000);
  t.ok(cache.usedBytes <= cache.budgetBytes, 'below the budget');
  t.ok(cache.isKnown(outpoint(0)), 'a prefetch survives the next evict');
  t.ok(cache.isKnown(outpoint(19_999)) && !cache.isKnown(outpoint(1)), 'oldest first');
  t.equal(cache.stats().evictions, 20_000 - cache.stats().entries);
  await cache.prefetch([outpoint(1)]);
  t.equal(text(cache.get(outpoint(1))), text(coin(1)));
  const small = new CoinsCache({ budgetBytes: 0 }, { store, space: FIRST_COINS });
  await small.prefetch(Array.from({ length: 200_000 }, (_, i) => outpoint(i)));
  const most = small.stats().allocatedBytes;
  t.ok(most > small.usedBytes);
  t.equal(small.evict(), 0);
  t.equal(small.evict(300_000), 200_000);
  t.ok(small.stats().allocatedBytes < most - (12 << 20), 'empty slabs go back to the system');
  await small.prefetch(Array.from({ length: 200_000 }, (_, i) => outpoint(i)));
  t.equal(small.stats().allocatedBytes, most, 'and are allocated again');
  t.equal(text(small.get(outpoint(19_999))), text(coin(19_999 % 100)));
});

t.test('evicts all entries above the budget at once, including those of missing coins', async (t) => {
  const { cache } = create(1 << 21);
  await cache.prefetch(Array.from({ length: 60_000 }, (_, i) => outpoint(i)));
  t.ok(cache.usedBytes > 2 * cache.budgetBytes);
  await cache.evictAll();
  t.equal(cache.stats().evictions, 0, 'a prefetch survives the next evict');
  await cache.evictAll();
  t.ok(cache.usedBytes <= cache.budgetBytes, `${cache.usedBytes} bytes`);
  t.ok(cache.stats().evictions > 20_000, 'more than one evict takes');
});

t.test('reads a coin again when an eviction overtook its prefetch', async (t) => {
  const { cache, store } = create(0);
  await store.batch([{ type: 'put', key: FIRST_COINS.key(outpoint(1)), value: Uint8Array.of(2, 9, 6) }]);
  // The store answers the first read late, with what was true when it began.
  const getMany = store.getMany.bind(store);
  let release = (): void => {};
  let reads = 0;
  store.getMany = async (keys) => {
    const values = await getMany(keys);
    if (reads++ === 0) await new Promise<void>((resolve) => (release = resolve));
    return values;
  };
  const slow = cache.prefetch([outpoint(1)]);
  await cache.prefetch([outpoint(1)]);
  t.ok(cache.spend(outpoint(1)));
  await flush(cache, store);
  cache.evict();
  cache.evict();
  t.notOk(cache.isKnown(outpoint(1)), 'spent, flushed and forgotten');
  release();
  await slow;
  t.equal(cache.get(outpoint(1)), undefined, 'the old answer is not believed');
  t.equal(reads, 3);
});

t.test('returns prefetched coins although they were evicted during the prefetch', async (t) => {
  const { cache, store } = create(0);
  for (const n of [1, 2]) await store.batch([{ type: 'put', key: FIRST_COINS.key(outpoint(n)), value: Uint8Array.of(2, 9, 6) }]);
  await cache.prefetch([outpoint(1)]);
  const reading = cache.prefetch([outpoint(1), outpoint(2)]);
  for (let i = 0; i < 3; i++) cache.evict();
  t.notOk(cache.isKnown(outpoint(1)));
  await reading;
  for (const n of [1, 2]) t.equal(text(cache.get(outpoint(n))), '100000000 1 false ');
});

t.test('does not overwrite changes that occurred during a prefetch', async (t) => {
  const { cache, store } = create();
  await store.batch([{ type: 'put', key: FIRST_COINS.key(outpoint(1)), value: Uint8Array.of(2, 9, 6) }]);
  const first = cache.prefetch([outpoint(1), outpoint(2)]);
  cache.add(outpoint(2), coin(2));
  await first;
  t.equal(text(cache.get(outpoint(2))), text(coin(2)));
  t.equal(text(cache.get(outpoint(1))), '100000000 1 false ');
});

t.test('behaves like a map over long random histories', async (t) => {
  const OUTPOINTS = 40;
  const number = fc.nat(OUTPOINTS - 1);
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.constant('add' as const), number, fc.nat(500)) },
    { weight: 6, arbitrary: fc.tuple(fc.constant('spend' as const), number, fc.nat(1)) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('prefetch' as const), number, fc.nat(10)) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('startPrefetch' as const), number, fc.nat(10)) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('drain' as const), fc.nat(20), fc.constant(0)) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('finish' as const), fc.nat(3), fc.constant(0)) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('evict' as const), fc.nat(30), fc.constant(0)) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('turn' as const), fc.constant(0), fc.constant(0)) },
    { weight: 3, arbitrary: fc.tuple(fc.constant('stage' as const), fc.nat(4), fc.nat(3)) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('defer' as const), number, fc.integer({ min: 1, max: 5 })) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 50, maxLength: 300 }), async (steps) => {
      const { cache, store } = create(0);
      const model = new Map<number, Coin>();
      const lent: { coin: Coin | undefined; asOf: string }[] = [];
      const pending: Promise<void>[] = [];
      // Changes that were drained and are not in the store yet.
      let flight: BatchOp[] = [];
      // Coins that readers see during a hidden change.
      let before: Map<number, Coin> | null = null;
      const stageOrShow = (finished: number, slice: number): void => {
        if (before === null) {
          cache.stageChanges();
          before = new Map(model);
          return;
        }
        cache.showStaged();
        before = null;
        const finishing = cache.finishingSteps(slice + 1);
        for (let i = 0; i < finished; i++) finishing.next();
      };
      for (const [kind, a, b] of steps) {
        if (kind === 'stage') stageOrShow(a, b);
        else if (before !== null && ['drain', 'finish', 'evict', 'defer'].includes(kind)) continue;
        else if (kind === 'defer') {
          // Existing coins are spent, missing ones are created. The next step is the first reader.
          const changed = Array.from({ length: b }, (_, i) => (a + i * 7) % OUTPOINTS);
          await cache.prefetch(changed.map(outpoint));
          const steps = changed.map((n) => ({ n, added: model.has(n) ? null : coin(a, 20 + b * 9) }));
          const change = function* (): Generator<void, void> {
            for (const { n, added } of steps) {
              if (added === null) cache.remove(outpoint(n), 0);
              else cache.add(outpoint(n), added);
              yield;
            }
          };
          cache.deferChange(change());
          for (const { n, added } of steps) {
            if (added === null) model.delete(n);
            else model.set(n, added);
          }
          continue;
        } else if (kind === 'add') {
          const added = coin(b, b % 13 === 0 ? 300 : 20 + (b % 40));
          if (before !== null) await cache.prefetch([outpoint(a)]);
          // Not known, it may be in the store; known, the model says whether it is there.
          const possibleOverwrite = !cache.isKnown(outpoint(a)) || model.has(a);
          cache.add(outpoint(a), added, { possibleOverwrite });
          model.set(a, added);
        } else if (kind === 'spend') {
          if (!cache.isKnown(outpoint(a))) await cache.prefetch([outpoint(a)]);
          if (b === 1) cache.remove(outpoint(a), 0);
          else if (text(cache.spend(outpoint(a))) !== text(model.get(a))) return false;
          model.delete(a);
        } else if (kind === 'prefetch' || kind === 'startPrefetch') {
          const wanted = Array.from({ length: b }, (_, i) => (a + i * 3) % OUTPOINTS);
          const reading = cache.prefetch(wanted.map(outpoint));
          pending.push(reading);
          if (kind === 'prefetch') {
            await reading;
            for (const n of wanted) if (text(cache.get(outpoint(n))) !== text((before ?? model).get(n))) return false;
          }
        } else if (kind === 'drain') {
          const ops = drain(cache, a);
          if (ops.length > a) return false;
          flight.push(...ops);
        } else if (kind === 'finish') {
          // Every other time the batch fails; what it held must not get lost.
          if (a % 2 === 0) {
            await store.batch(flight);
            cache.dirty.markClean();
          } else {
            cache.dirty.markFailed();
          }
          flight = [];
          if (a > 1) continue;
          await flush(cache, store, a + 1);
          for (const [n, value] of model) if (text(await stored(store, n)) !== text(value)) return false;
          if (store.size !== model.size || cache.dirty.entries !== 0) return false;
        } else if (kind === 'evict') {
          // Coins that finishing marks dirty were dirty for readers before.
          for (const _ of cache.finishingSteps());
          const dirty = cache.dirty.entries;
          cache.evict(a);
          if (cache.dirty.entries !== dirty) return false;
        } else {
          await new Promise((resolve) => setImmediate(resolve));
        }
        for (let n = 0; n < OUTPOINTS; n++) {
          const asOf = text((before ?? model).get(n));
          if (cache.isKnown(outpoint(n)) && text(cache.get(outpoint(n))) !== asOf) return false;
          // One at a time: a coin that was read is not evicted soon.
          if (n !== lent.length % OUTPOINTS) continue;
          const framed = Uint8Array.of(7, ...outpoint(n), 7);
          const looked = cache.lookUp(framed, 1);
          if ((looked !== null) !== cache.isKnown(outpoint(n))) return false;
          lent.push({ coin: looked ?? undefined, asOf: looked === null ? 'none' : asOf });
          if (looked === null) continue;
          const answers = [cache.getAt(framed, 1), cache.touchIfKnown(framed, 1), looked];
          if (answers.some((answer) => text(answer) !== asOf)) return false;
        }
      }
      await Promise.all(pending);
      if (before !== null) stageOrShow(1, 2);
      cache.dirty.markFailed();
      await flush(cache, store);
      for (let i = 0; i < 3; i++) cache.evict();
      await cache.prefetch(Array.from({ length: OUTPOINTS }, (_, n) => outpoint(n)));
      for (let n = 0; n < OUTPOINTS; n++) if (text(cache.get(outpoint(n))) !== text(model.get(n))) return false;
      // Whatever became of their entries.
      if (lent.some(({ coin, asOf }) => text(coin) !== asOf)) return false;
      return store.size === model.size && cache.stats().pendingPrefetches === 0;
    }),
    { numRuns: 150 },
  );
  t.pass('150 histories');
});

t.test('drops a coin that is added, replaced by a longer one and spent within one change', (t) => {
  const { cache } = create();
  cache.stageChanges();
  cache.add(outpoint(1), coin(1, 20));
  cache.add(outpoint(1), coin(2, 300), { possibleOverwrite: true });
  t.equal(cache.spend(outpoint(1))?.script.length, 300);
  t.equal(cache.spend(outpoint(1)), undefined);
  cache.showStaged();
  t.equal(cache.get(outpoint(1)), undefined);
  for (const _ of cache.finishingSteps());
  t.equal(cache.get(outpoint(1)), undefined);
  t.end();
});

t.test('rejects flushes, evictions and other changes until a staged change is shown', async (t) => {
  const { cache, store } = create();
  cache.add(outpoint(1), coin(1));
  cache.stageChanges();
  cache.spend(outpoint(1));
  cache.add(outpoint(2), coin(2));
  for (const work of [() => cache.stageChanges(), () => drain(cache, 1), () => cache.evict()]) t.throws(work, /under way/);
  t.equal(text(cache.get(outpoint(1))), text(coin(1)));
  t.ok(cache.isKnown(outpoint(2)));
  t.equal(cache.get(outpoint(2)), undefined, 'readers do not see it');
  t.equal(cache.spend(outpoint(1)), undefined, 'but the change itself does');
  t.throws(() => cache.add(outpoint(2), coin(3)), /BIP-0030/);
  t.same([...cache.finishingSteps()], [], 'nothing is finished before it is shown');
  cache.showStaged();
  t.equal(cache.get(outpoint(1)), undefined);
  t.equal(text(cache.get(outpoint(2))), text(coin(2)));
  t.equal(await flush(cache, store), 1, 'what was fresh and spent is never written');
  t.equal(text(await stored(store, 2)), text(coin(2)));
});

t.test('applies a deferred change once, at the first access of any kind', async (t) => {
  const asked: Record<string, (cache: CoinsCache) => unknown> = {
    get: (cache) => cache.get(outpoint(1)),
    useIfKnown: (cache) => cache.touchIfKnown(outpoint(9), 0),
    isKnown: (cache) => cache.isKnown(outpoint(9)),
    look: (cache) => cache.lookUp(outpoint(9), 0),
    getAt: (cache) => cache.getAt(outpoint(1), 0),
    prefetch: (cache) => cache.prefetch([outpoint(9)]),
    add: (cache) => {
      cache.add(outpoint(9), coin(9));
      t.equal(text(cache.get(outpoint(9))), text(coin(9)));
    },
    spend: (cache) => cache.spend(outpoint(2)),
    remove: (cache) => cache.remove(outpoint(2), 0),
    stage: (cache) => cache.stageChanges(),
    'another change': (cache) => cache.deferChange([]),
    finishing: (cache) => [...cache.finishingSteps()],
    drainDirty: (cache) => drain(cache, 9),
    evict: (cache) => cache.evict(),
    dirtyEntries: (cache) => cache.dirty.entries,
    dirtyBytes: (cache) => cache.dirty.bytes,
  };
  for (const [name, ask] of Object.entries(asked)) {
    const { cache } = create();
    cache.add(outpoint(1), coin(1));
    let made = 0;
    const change = function* (): Generator<void, void> {
      cache.remove(outpoint(1), 0);
      yield;
      cache.add(outpoint(2), coin(2));
      made++;
    };
    cache.deferChange(change());
    // The log asks for these before the answer is out.
    t.ok(cache.stats().usedBytes === cache.usedBytes && made === 0, `not before ${name}`);
    const asking = ask(cache);
    t.equal(made, 1, name);
    await asking;
    t.equal(cache.get(outpoint(1)), undefined);
    t.equal(made, 1);
  }
});

t.test('does not overwrite a deferred change by the result of an earlier prefetch', async (t) => {
  const { cache } = create();
  const reading = cache.prefetch([outpoint(2)]);
  cache.deferChange(
    (function* (): Generator<void, void> {
      yield cache.add(outpoint(2), coin(2));
    })(),
  );
  await reading;
  t.equal(text(cache.get(outpoint(2))), text(coin(2)));
});

t.test('throws at every access after a deferred change failed', async (t) => {
  const { cache } = create();
  cache.deferChange(
    (function* (): Generator<void, void> {
      yield;
      cache.remove(outpoint(1), 0);
    })(),
  );
  for (let i = 0; i < 2; i++) {
    t.throws(() => cache.dirty.entries, /prefetched/);
    t.throws(() => drain(cache, 1), /prefetched/, 'and nothing is written');
    await t.rejects(cache.prefetch([outpoint(3)]), /prefetched/);
  }
});

t.test('adds, removes and reuses tens of thousands of entries', async (t) => {
  const { cache, store } = create(0);
  const COUNT = 60_000;
  for (let i = 0; i < COUNT; i++) cache.add(outpoint(i), coin(i % 1000, 20 + (i % 50)));
  t.equal(cache.stats().entries, COUNT);
  for (let i = 0; i < COUNT; i += 2) cache.spend(outpoint(i));
  for (let i = 0; i < COUNT; i++) {
    const expected = i % 2 === 0 ? 'none' : text(coin(i % 1000, 20 + (i % 50)));
    if (text(cache.get(outpoint(i))) !== expected) t.fail(`outpoint ${i}`);
  }
  t.equal(await flush(cache, store, 5000), COUNT / 2);
  t.equal(store.size, COUNT / 2);
  cache.evict(COUNT);
  t.equal(cache.evict(COUNT), COUNT);
  t.equal(cache.stats().entries, 0);
  const { usedBytes } = cache;
  for (let i = 0; i < COUNT; i++) cache.add(outpoint(i), coin(1), { possibleOverwrite: true });
  for (let i = 0; i < COUNT; i++) if (text(cache.get(outpoint(i))) !== text(coin(1))) t.fail(`outpoint ${i}`);
  t.ok(usedBytes < 2 << 20, 'only the table stays');
});
