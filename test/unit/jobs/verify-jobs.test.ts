// The parts of a verification batch: its slab, its cutting into jobs, and the buffers it borrows.

import t from 'tap';
import { countChecks, NO_CUT, SlabView, slabSize, stopSlab, writeSlab } from '../../../src/jobs/slab.js';
import { SlabPool } from '../../../src/jobs/slab-pool.js';
import { jobBudgetUs, planRanges, planShares } from '../../../src/jobs/verify-plan.js';
import { fc } from '../../framework/fast-check.js';

/** The fields of a transaction that slab and plan read; the bytes need not be a transaction. */
interface FakeTx {
  readonly bytes: Uint8Array;
  readonly totalSize: number;
  readonly strippedSize: number;
  readonly inputCount: number;
  readonly outputCount: number;
  readonly hasWitness: boolean;
}

const fakeTx = (bytes: Uint8Array, inputCount: number, hasWitness = true): FakeTx => {
  return { bytes, totalSize: bytes.length, strippedSize: bytes.length, inputCount, outputCount: 1, hasWitness };
};

const anyJob = fc
  .record({
    bytes: fc.uint8Array({ maxLength: 200 }),
    spent: fc.array(fc.record({ value: fc.nat({ max: 2_100_000_000_000_000 }), script: fc.uint8Array({ maxLength: 60 }) }), {
      minLength: 1,
      maxLength: 5,
    }),
    only: fc.option(fc.nat(4), { nil: undefined }),
    hasWitness: fc.boolean(),
  })
  .map(({ bytes, spent, only, hasWitness }) => {
    const tx = fakeTx(bytes, spent.length, hasWitness);
    return only === undefined || only >= spent.length ? { tx, spent } : { tx, spent, onlyInput: only };
  });

t.test('reads back what was written into a slab', async () => {
  fc.assert(
    fc.property(fc.array(anyJob, { maxLength: 12 }), fc.integer(), (jobs, flags) => {
      const buffer = new SharedArrayBuffer(slabSize(jobs));
      new Uint8Array(buffer).fill(0xee);
      writeSlab(buffer, jobs, flags, 7);
      const slab = new SlabView(buffer);
      const expect = (what: string, a: unknown, b: unknown): void => {
        if (JSON.stringify(a) !== JSON.stringify(b)) throw new Error(`${what}: ${JSON.stringify(a)} is not ${JSON.stringify(b)}`);
      };
      expect('header', [slab.serial, slab.flags, slab.txCount, slab.checkCount], [7, flags, jobs.length, countChecks(jobs)]);
      // The model: every check in order, as (transaction, input).
      const model = jobs.flatMap(({ tx, onlyInput }, at) =>
        onlyInput === undefined ? Array.from({ length: tx.inputCount }, (_, input) => [at, input]) : [[at, onlyInput]],
      );
      expect('number of checks', slab.checkCount, model.length);
      model.forEach(([at, input], check) => {
        const found = slab.txOfCheck(check);
        expect('place of a check', [found, slab.inputOfCheck(found, check)], [at, input]);
      });
      jobs.forEach(({ tx, spent }, at) => {
        expect('transaction', [...slab.txBytes(at)], [...tx.bytes]);
        const read = slab.spentOutputs(at).map(({ value, script }) => ({ value, script: [...script] }));
        expect(
          'coins',
          read,
          spent.map(({ value, script }) => ({ value, script: [...script] })),
        );
      });
    }),
    { numRuns: 200 },
  );
});

t.test('hands out each range of a slab once, in order, to several threads', async (t) => {
  fc.assert(
    fc.property(fc.array(anyJob, { maxLength: 12 }), fc.integer({ min: 600, max: 5_000 }), (jobs, budget) => {
      const ranges = planRanges(jobs, budget);
      const buffer = new SharedArrayBuffer(slabSize(jobs, ranges.length));
      new Uint8Array(buffer).fill(0xee);
      writeSlab(buffer, jobs, 0, 7, ranges);
      const threads = [new SlabView(buffer), new SlabView(buffer)];
      for (const [i, { first, end }] of ranges.entries()) {
        const slab = threads[i % 2] as SlabView;
        if (slab.takeRange() !== i || slab.rangeStart(i) !== first || slab.rangeStart(i + 1) !== end) throw new Error(`range ${i}`);
      }
      for (const slab of [...threads, ...threads]) if (slab.takeRange() !== -1) throw new Error('one range too many');
      // The rest of the slab is where it was.
      jobs.forEach(({ spent }, at) => {
        if (threads[0]?.spentOutputs(at).some(({ value }, k) => value !== spent[k]?.value)) throw new Error('other coins');
      });
    }),
    { numRuns: 200 },
  );
  const buffer = new SharedArrayBuffer(slabSize([]));
  writeSlab(buffer, [], 0, 1);
  t.equal(new SlabView(buffer).takeRange(), -1);
});

t.test('plans shares that cover all ranges and stay below their time limit', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.integer({ min: 600, max: 5_000 }),
      fc.constantFrom(5_000, 100_000),
      fc.integer({ min: 1, max: 64 }),
      (ranges, budget, limit, threads) => {
        const { count, most } = planShares(ranges, budget, limit, threads);
        if (count * most < ranges) throw new Error('ranges are left');
        if (count > ranges) throw new Error('shares without a range');
        if (count < Math.min(threads, ranges)) throw new Error('threads without a share');
        if (most * budget > limit) throw new Error('too long');
      },
    ),
    { numRuns: 500 },
  );
});

t.test('lowerCut never raises the cut, and a stop ends all work', async (t) => {
  const jobs = [{ tx: fakeTx(new Uint8Array(1), 1), spent: [{ value: 1, script: new Uint8Array(0) }] }];
  const buffer = new SharedArrayBuffer(slabSize(jobs));
  writeSlab(buffer, jobs, 0, 1);
  const slab = new SlabView(buffer);
  t.ok(slab.matters(NO_CUT - 1));
  slab.lowerCut(40);
  slab.lowerCut(60);
  t.ok(slab.matters(39));
  t.notOk(slab.matters(40));
  slab.lowerCut(10);
  t.notOk(slab.matters(10));
  t.notOk(slab.stopped);
  stopSlab(buffer);
  t.ok(slab.stopped);
  t.notOk(slab.matters(0));
  slab.lowerCut(5);
  t.ok(slab.stopped, 'a failure does not undo a stop');
  writeSlab(buffer, jobs, 0, 2);
  t.ok(new SlabView(buffer).matters(5), 'the next batch starts over');
});

t.test('plans jobs that cover every check once, in order, and split only large transactions', async () => {
  const sized = fc
    .record({ inputs: fc.integer({ min: 1, max: 400 }), size: fc.integer({ min: 60, max: 60_000 }), hasWitness: fc.boolean() })
    .map(({ inputs, size, hasWitness }) => ({ tx: fakeTx(new Uint8Array(Math.max(size, inputs * 41)), inputs, hasWitness), spent: [] }));
  fc.assert(
    fc.property(fc.array(sized, { maxLength: 30 }), fc.integer({ min: 1, max: 16 }), (jobs, threads) => {
      const budget = jobBudgetUs(jobs, threads);
      if (!(budget >= 600 && budget <= 5_000)) throw new Error(`budget ${budget}`);
      const ranges = planRanges(jobs, budget);
      let next = 0;
      for (const { first, end } of ranges) {
        if (first !== next || end <= first) throw new Error(`range ${first}..${end} after ${next}`);
        next = end;
      }
      if (next !== countChecks(jobs)) throw new Error('checks are missing');
      // A boundary inside a transaction is allowed only where one alone exceeds the budget: 60 us an input at least.
      const boundaries = new Set(ranges.map(({ first }) => first));
      let start = 0;
      for (const { tx } of jobs) {
        const split = [...boundaries].some((at) => at > start && at < start + tx.inputCount);
        const small = Math.max(tx.inputCount, tx.totalSize / 100) * (60 + (tx.hasWitness ? 0 : tx.totalSize * 0.0035)) <= budget;
        if (split && small) throw new Error('a small transaction was split');
        start += tx.inputCount;
      }
    }),
    { numRuns: 200 },
  );
});

t.test('splits a transaction with many legacy inputs into many jobs', async (t) => {
  // 1 MB with 5,500 inputs, as block 364292 had: each signature hashes the whole megabyte.
  const huge = { tx: fakeTx(new Uint8Array(1_000_000), 5_500, false), spent: [] };
  const ranges = planRanges([huge], jobBudgetUs([huge], 4));
  t.ok(ranges.length > 1_000, `${ranges.length} jobs`);
  t.ok(ranges.every(({ first, end }) => end - first <= 5));
});

t.test('SlabPool lends released buffers again, and retains none that is too large', async (t) => {
  const pool = new SlabPool(100 * 1024);
  const small = pool.acquire(10);
  t.equal(small.byteLength, 16 * 1024);
  t.equal(pool.bytes, 16 * 1024);
  pool.release(small);
  t.equal(pool.acquire(16 * 1024), small, 'the same buffer again');
  t.not(pool.acquire(16 * 1024), small, 'never lent twice');
  const large = pool.acquire(16 * 1024 + 1);
  t.equal(large.byteLength, 64 * 1024);
  pool.release(large);
  const another = pool.acquire(200 * 1024);
  pool.release(another);
  t.equal(pool.bytes, 2 * 16 * 1024 + 64 * 1024, 'too large to keep');
  const odd = pool.acquire(100_000_000);
  t.equal(odd.byteLength, 100_000_000, 'beyond the classes it is exact');
  pool.release(odd);
  t.equal(pool.bytes, 2 * 16 * 1024 + 64 * 1024);
});
