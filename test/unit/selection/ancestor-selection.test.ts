// Selection against a model that does what Core 0.21's miner does with plain sets and linear searches, over random
// graphs.
import assert from 'node:assert/strict';
import t from 'tap';
import { selectByAncestors } from '../../../src/selection/ancestor-selection.js';
import { compareRank } from '../../../src/selection/ranking.js';
import { SortedSlots } from '../../../src/selection/sorted-slots.js';
import { fc } from '../../framework/fast-check.js';

interface ModelTx {
  readonly fee: number;
  readonly delta: number;
  readonly size: number;
  readonly weight: number;
  readonly sigops: number;
  readonly lockTime: number;
  readonly hasWitness: boolean;
  readonly parents: readonly number[];
  readonly id: Uint8Array;
}

interface Limits {
  readonly maxWeight: number;
  readonly rate: number;
  readonly height: number;
  readonly cutoff: number;
  readonly segwit: boolean;
  readonly maxSigops: number;
}

const minFee = (rate: number, size: number): number => {
  const fee = Math.trunc((rate * size) / 1000);
  return fee === 0 && size > 0 && rate > 0 ? 1 : fee;
};

function compareIds(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

function ancestorsOf(txs: readonly ModelTx[], i: number): Set<number> {
  const found = new Set<number>();
  const walk = (k: number): void => {
    for (const parent of txs[k].parents) {
      if (found.has(parent)) continue;
      found.add(parent);
      walk(parent);
    }
  };
  walk(i);
  return found;
}

const modified = (tx: ModelTx): number => tx.fee + tx.delta;

interface Sums {
  size: number;
  fees: number;
  sigops: number;
}

function sumsOf(txs: readonly ModelTx[], members: Iterable<number>): Sums {
  const sums = { size: 0, fees: 0, sigops: 0 };
  for (const k of members) {
    sums.size += txs[k].size;
    sums.fees += modified(txs[k]);
    sums.sigops += txs[k].sigops;
  }
  return sums;
}

/** The miner as the reference tells it, with sets. */
function model(txs: readonly ModelTx[], limits: Limits): { order: number[]; fees: number; weight: number } {
  const ancestors = txs.map((_, i) => ancestorsOf(txs, i));
  const descendants = txs.map((_, i) => new Set(txs.map((__, k) => k).filter((k) => ancestors[k].has(i))));
  const cached = txs.map((_, i) => sumsOf(txs, [i, ...ancestors[i]]));
  const score = (i: number, sums: Sums): [number, number] =>
    modified(txs[i]) * sums.size > sums.fees * txs[i].size ? [sums.fees, sums.size] : [modified(txs[i]), txs[i].size];
  const before = (a: number, sumsA: Sums, b: number, sumsB: Sums): boolean => {
    const [feeA, sizeA] = score(a, sumsA);
    const [feeB, sizeB] = score(b, sumsB);
    return feeA * sizeB === sizeA * feeB ? compareIds(txs[a].id, txs[b].id) < 0 : feeA * sizeB > sizeA * feeB;
  };
  const index = txs.map((_, i) => i).sort((a, b) => (before(a, cached[a], b, cached[b]) ? -1 : 1));
  const inBlock = new Set<number>();
  const failed = new Set<number>();
  const mod = new Map<number, Sums>();
  const order: number[] = [];
  let fees = 0;
  let weight = 4000;
  let sigops = 400;
  let failures = 0;
  while (index.length > 0 || mod.size > 0) {
    if (index.length > 0 && (inBlock.has(index[0]) || failed.has(index[0]) || mod.has(index[0]))) {
      index.shift();
      continue;
    }
    let best = -1;
    for (const [k, sums] of mod) if (best < 0 || before(k, sums, best, mod.get(best) as Sums)) best = k;
    let pick: number;
    let using = false;
    if (index.length === 0) {
      pick = best;
      using = true;
    } else if (best >= 0 && before(best, mod.get(best) as Sums, index[0], cached[index[0]])) {
      pick = best;
      using = true;
    } else pick = index.shift() as number;
    const sums = using ? (mod.get(pick) as Sums) : cached[pick];
    if (sums.fees < minFee(limits.rate, sums.size)) break;
    if (weight + 4 * sums.size >= limits.maxWeight || sigops + sums.sigops >= limits.maxSigops) {
      if (using) {
        mod.delete(pick);
        failed.add(pick);
      }
      if (++failures > 1000 && weight > limits.maxWeight - 4000) break;
      continue;
    }
    const members = [...ancestors[pick]].filter((k) => !inBlock.has(k)).concat(pick);
    const late = (lock: number): boolean => lock !== 0 && lock >= (lock < 500_000_000 ? limits.height : limits.cutoff);
    if (members.some((k) => late(txs[k].lockTime) || (txs[k].hasWitness && !limits.segwit))) {
      if (using) {
        mod.delete(pick);
        failed.add(pick);
      }
      continue;
    }
    failures = 0;
    members.sort((a, b) => ancestors[a].size - ancestors[b].size || compareIds(txs[a].id, txs[b].id));
    for (const k of members) {
      inBlock.add(k);
      order.push(k);
      fees += txs[k].fee;
      weight += txs[k].weight;
      sigops += txs[k].sigops;
      mod.delete(k);
    }
    for (const k of [...members].sort((a, b) => compareIds(txs[a].id, txs[b].id))) {
      for (const d of descendants[k]) {
        if (members.includes(d)) continue;
        const known = mod.get(d);
        if (known === undefined) {
          const { size, fees: sum, sigops: ops } = cached[d];
          mod.set(d, { size: size - txs[k].size, fees: sum - modified(txs[k]), sigops: ops - txs[k].sigops });
        } else {
          known.size -= txs[k].size;
          known.fees -= txs[k].fee;
          known.sigops -= txs[k].sigops;
        }
      }
    }
  }
  return { order, fees, weight };
}

/** The same transactions as the columns that selection reads. */
function columns(txs: readonly ModelTx[]) {
  const sums = txs.map((_, i) => sumsOf(txs, [i, ...ancestorsOf(txs, i)]));
  const txids = new Uint8Array(32 * txs.length);
  for (let i = 0; i < txs.length; i++) txids.set(txs[i].id, i * 32);
  return {
    fee: Float64Array.from(txs, (tx) => tx.fee),
    modifiedFee: Float64Array.from(txs, modified),
    size: Float64Array.from(txs, (tx) => tx.size),
    weight: Float64Array.from(txs, (tx) => tx.weight),
    sigops: Float64Array.from(txs, (tx) => tx.sigops),
    ancestorCount: Float64Array.from(txs, (_, i) => ancestorsOf(txs, i).size + 1),
    ancestorSize: Float64Array.from(sums, (sum) => sum.size),
    ancestorFees: Float64Array.from(sums, (sum) => sum.fees),
    ancestorSigops: Float64Array.from(sums, (sum) => sum.sigops),
    lockTime: Float64Array.from(txs, (tx) => tx.lockTime),
    hasWitness: Uint8Array.from(txs, (tx) => (tx.hasWitness ? 1 : 0)),
    txids,
    parents: txs.map((tx) => tx.parents),
    children: txs.map((_, i) => txs.map((__, k) => k).filter((k) => txs[k].parents.includes(i))),
  };
}

const draft = fc.record({
  // Few different fees and sizes, so that ties are common.
  fee: fc.oneof(
    fc.integer({ min: 0, max: 6 }).map((n) => n * 100),
    fc.integer({ min: 0, max: 20_000 }),
  ),
  delta: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: -3000, max: 9000 })),
  size: fc.oneof(fc.constantFrom(100, 200), fc.integer({ min: 60, max: 900 })),
  slack: fc.integer({ min: 0, max: 3 }),
  sigops: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constantFrom(20_000, 30_000)),
  lockTime: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.constantFrom(99, 100, 101, 500_000_009, 500_000_010)),
  hasWitness: fc.boolean(),
  parents: fc.array(fc.nat(1000), { maxLength: 3 }),
  id: fc.uint8Array({ minLength: 2, maxLength: 2 }),
});

const pools = fc.array(draft, { maxLength: 24 }).map((list) =>
  list.map(({ parents, slack, id, ...rest }, i): ModelTx => {
    const bytes = new Uint8Array(32).fill(7);
    bytes.set(id);
    // Unique ids that still share their first bytes now and then.
    bytes[20] = i;
    const earlier = i === 0 ? [] : [...new Set(parents.map((n) => n % i))];
    return { ...rest, weight: rest.size * 4 - slack, parents: earlier, id: bytes };
  }),
);

const limits = fc.record({
  maxWeight: fc.oneof(fc.constant(3_996_000), fc.integer({ min: 4000, max: 12_000 })),
  rate: fc.constantFrom(0, 1, 1000, 5000),
  height: fc.constant(100),
  cutoff: fc.constant(500_000_010),
  segwit: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  maxSigops: fc.oneof(fc.constant(80_000), fc.integer({ min: 400, max: 480 })),
});

function select(txs: readonly ModelTx[], chosen: Limits, excluded: Uint8Array | null = null) {
  const c = columns(txs);
  const ranking = Int32Array.from(txs.keys()).sort((a, b) => compareRank(c, a, b));
  return selectByAncestors(c, ranking, {
    maxWeight: chosen.maxWeight,
    reservedWeight: 4000,
    minFee: (size) => minFee(chosen.rate, size),
    minFeeRate: chosen.rate,
    height: chosen.height,
    lockTimeCutoff: chosen.cutoff,
    allowWitness: chosen.segwit,
    maxSigops: chosen.maxSigops,
    excluded,
  });
}

/**
 * The model over what is left of the pool without some of it and all that depends on that; in the numbers of the whole
 * pool.
 */
function modelWithout(txs: readonly ModelTx[], limits: Limits, excluded: Uint8Array) {
  const out = (i: number): boolean => excluded[i] === 1 || [...ancestorsOf(txs, i)].some((k) => excluded[k] === 1);
  const left = [...txs.keys()].filter((i) => !out(i));
  const rest = left.map((i) => ({ ...txs[i], parents: txs[i].parents.map((parent) => left.indexOf(parent)) }));
  const { order, ...sums } = model(rest, limits);
  return { order: order.map((i) => left[i]), ...sums };
}

t.test('selects what the model of Core 0.21 selects on random graphs', async (t) => {
  let full = 0;
  let partial = 0;
  fc.assert(
    fc.property(pools, limits, (txs, chosen) => {
      const expected = model(txs, chosen);
      const found = select(txs, chosen);
      if (expected.order.length === txs.length) full++;
      else partial++;
      assert.deepEqual([...found.slots], expected.order);
      assert.equal(found.fees, expected.fees);
      assert.equal(found.weight, expected.weight);
    }),
    { numRuns: 1500 },
  );
  t.ok(full > 20 && partial > 200, `blocks with everything ${full}, with less ${partial}`);
});

t.test('leaves out excluded transactions and their descendants', async (t) => {
  let fewer = 0;
  const marks = fc.array(fc.boolean(), { minLength: 24, maxLength: 24 });
  fc.assert(
    fc.property(pools, limits, marks, fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }), (txs, chosen, some, others) => {
      const excluded = Uint8Array.from(txs, (_, i) => Number(some[i] && others[i]));
      const expected = modelWithout(txs, chosen, excluded);
      const found = select(txs, chosen, excluded);
      if (expected.order.length < model(txs, chosen).order.length) fewer++;
      assert.deepEqual([...found.slots], expected.order);
      assert.equal(found.fees, expected.fees);
      assert.equal(found.weight, expected.weight);
    }),
    { numRuns: 1000 },
  );
  t.ok(fewer > 200, `blocks with fewer transactions ${fewer}`);
});

t.test('merging a change into the ranking gives the same order as sorting again', async (t) => {
  fc.assert(
    fc.property(
      pools,
      fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }),
      fc.array(fc.nat(5000), { minLength: 24, maxLength: 24 }),
      (txs, touched, fees) => {
        const before = columns(txs);
        const ranking = new SortedSlots();
        const all = Int32Array.from(txs.keys());
        // Some come later, some that were there leave, some change.
        const early = all.filter((i) => i % 5 !== 4);
        ranking.update(new Uint8Array(txs.length), early, (a, b) => compareRank(before, a, b));
        const after = columns(txs.map((tx, i) => (touched[i] ? { ...tx, fee: fees[i], parents: [] } : { ...tx, parents: [] })));
        const gone = (i: number): boolean => i % 7 === 3;
        const stale = Uint8Array.from(all, (i) => Number(gone(i) || touched[i] || txs[i].parents.length > 0));
        const fresh = all.filter((i) => !gone(i) && (stale[i] === 1 || i % 5 === 4));
        ranking.update(stale, fresh, (a, b) => compareRank(after, a, b));
        const merged = ranking.list;
        const sorted = all.filter((i) => !gone(i)).sort((a, b) => compareRank(after, a, b));
        return merged.length === sorted.length && merged.every((slot, i) => slot === sorted[i]);
      },
    ),
    { numRuns: 300 },
  );
  t.pass('300 changes');
});

t.test('subtracts the modified fee of a prioritised ancestor once, then base fees, as Core 0.21 does', async (t) => {
  const id = (n: number): Uint8Array => new Uint8Array(32).fill(n);
  const plain = { size: 100, weight: 400, sigops: 4, lockTime: 0, hasWitness: false };
  // Two lifted parents are mined first. The child's sums then keep one of the two lifts by mistake, which passes the
  // fee test for it.
  const txs: ModelTx[] = [
    { ...plain, fee: 1000, delta: 50_000, parents: [], id: id(1) },
    { ...plain, fee: 1000, delta: 50_000, parents: [], id: id(2) },
    { ...plain, fee: 10, delta: 0, parents: [0, 1], id: id(3) },
    { ...plain, fee: 9_000, delta: 0, parents: [], id: id(4) },
  ];
  const found = select(txs, { maxWeight: 3_996_000, rate: 1000, height: 100, cutoff: 0, segwit: true, maxSigops: 80_000 });
  t.strictSame([...found.slots], [0, 1, 3, 2], 'the child pays too little, and comes in on the lift that stayed in its sums');
  t.equal(found.fees, 11_010);
});
