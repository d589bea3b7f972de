// Blocks of mode `live` over random mempools: they are valid and never pay less than the ancestor selection of Core
// 0.21. An updated cluster index equals one that is built from scratch.
import assert from 'node:assert/strict';
import t from 'tap';
import { checkAssembly } from '../../../src/jobs/check-assembly.js';
import { selectByAncestors } from '../../../src/selection/ancestor-selection.js';
import { selectBestBlock } from '../../../src/selection/best-block.js';
import { selectByChunks } from '../../../src/selection/chunk-selection.js';
import { ClusterIndex, type IndexedCandidates } from '../../../src/selection/cluster/cluster-index.js';
import { fillByChunks } from '../../../src/selection/fill.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { POOL_SHAPES, type PoolShape, poolColumns, poolLimits, poolRanking, randomPool } from '../../framework/random-pools.js';

const NONE = new Int32Array(0);

function indexOf(c: IndexedCandidates): ClusterIndex {
  const index = new ClusterIndex();
  index.update(c, NONE, Int32Array.from(c.fee.keys()));
  return index;
}

function modifiedFees(c: IndexedCandidates, slots: Int32Array): number {
  return slots.reduce((sum, slot) => sum + c.modifiedFee[slot], 0);
}

/** Gains over the ancestor selection, one for each pool. */
function gains(shape: PoolShape, pools: number, maxWeight: number): number[] {
  return Array.from({ length: pools }, (_, seed) => {
    const c = poolColumns(randomPool(shape, 120, seed * 31 + shape.length));
    const limits = poolLimits(maxWeight, seed % 5 === 0 ? 3000 : 1000);
    const rules = { ...limits, segwitActive: true };
    const ranking = poolRanking(c);
    const best = selectBestBlock(c, ranking, indexOf(c), limits);
    assert.equal(checkAssembly(c, best, rules), '');
    assert.equal(checkAssembly(c, fillByChunks(c, indexOf(c), limits), rules), '');
    const core = selectByAncestors(c, ranking, limits);
    const gain = modifiedFees(c, best.slots) - modifiedFees(c, core.slots);
    assert.ok(gain >= 0, `${shape} ${seed}: ${gain}`);
    // The same with limits of one client.
    const excluded = Uint8Array.from(c.fee, (_, slot) => Number((slot + seed) % 11 === 0));
    const limited = { ...limits, excluded, maxSigops: 400 + ((seed * 97) % 2_000) };
    const apart = selectBestBlock(c, ranking, indexOf(c), limited);
    assert.equal(checkAssembly(c, apart, { ...rules, ...limited }), '');
    assert.equal(checkAssembly(c, fillByChunks(c, indexOf(c), limited), { ...rules, ...limited }), '');
    assert.ok(modifiedFees(c, apart.slots) >= modifiedFees(c, selectByAncestors(c, ranking, limited).slots));
    return gain;
  });
}

for (const shape of POOL_SHAPES) {
  t.test(`selects a valid block that pays no less than ancestor selection, shape ${shape}`, async (t) => {
    const full = [...gains(shape, 60, 60_000), ...gains(shape, 60, 120_000), ...gains(shape, 20, 16_000)];
    const all = gains(shape, 30, 3_996_000);
    t.ok(all.every((gain) => gain >= 0));
    if (shape === 'children' || shape === 'diamonds' || shape === 'wide') {
      const more = full.filter((gain) => gain > 0).length;
      t.ok(more > full.length / 6, `${more} of ${full.length} pay more`);
    }
  });
}

t.test('fills a block exactly to its weight and sigop limits', async (t) => {
  const tx = (fee: number, weight: number, parents: number[] = [], sigops = 4) => ({ fee, delta: 0, weight, sigops, parents });
  const fill = (txs: ReturnType<typeof tx>[], maxWeight: number, minFeeRate = 1000) => {
    const c = poolColumns(txs);
    return fillByChunks(c, indexOf(c), poolLimits(maxWeight, minFeeRate));
  };
  t.strictSame([...fill([tx(1000, 400), tx(900, 400)], 4800).slots], [0, 1]);
  t.strictSame([...fill([tx(1000, 400), tx(900, 400)], 4799).slots], [0]);
  // The chunk of three is too large; the tail takes the parent with the better child.
  const family = [tx(0, 400), tx(3000, 400, [0]), tx(1500, 800, [0])];
  t.strictSame([...fill(family, 5599).slots], [0, 1]);
  // Too many signature operations for both.
  const heavy = [tx(100_000, 400, [], 60_000), tx(30_000, 400, [], 20_000), tx(500, 400, [], 19_600)];
  t.strictSame([...fill(heavy, 100_000, 0).slots], [0, 2]);
});

t.test('stops filling a nearly full block after more than 1,000 packages that do not fit', async (t) => {
  const tx = (fee: number, weight: number) => ({ fee, delta: 0, weight, sigops: 4, parents: [] as number[] });
  /**
   * Returns true if the last and poorest transaction, which fits, is taken after this many that do not fit.
   * @param first weight of the best
   */
  const takesLast = (misfits: number, first: number): boolean => {
    const txs = [tx(1e9, first), ...Array.from({ length: misfits }, () => tx(100_000, 5_000)), tx(200, 400)];
    const c = poolColumns(txs);
    const { slots } = selectByAncestors(c, poolRanking(c), poolLimits(20_000, 1_000));
    t.equal(slots[0], 0);
    return slots.includes(txs.length - 1);
  };
  t.equal(takesLast(1_000, 12_004), true);
  t.equal(takesLast(1_001, 12_004), false, 'with 4,000 reserved, more than 16,000 of 20,000 are used');
  t.equal(takesLast(1_500, 12_000), true, 'to the unit');
});

t.test('includes part of a package that does not fit only if it pays the minimum fee rate itself', async (t) => {
  const tx = (fee: number, weight: number, parents: number[] = []) => ({ fee, delta: 0, weight, sigops: 4, parents });
  /** A parent of 100 virtual bytes, and a child that pays for both but does not fit. */
  const slots = (parentFee: number): number[] => {
    const c = poolColumns([tx(parentFee, 400), tx(100_000, 4_000, [0])]);
    return [...fillByChunks(c, indexOf(c), poolLimits(8_000, 1_000)).slots];
  };
  t.same(slots(100), [0], '1,000 for 1,000 virtual bytes');
  t.same(slots(99), []);
  t.same(slots(0), []);
});

t.test('orders by modified fees but reports base fees for the coinbase', async (t) => {
  const c = poolColumns([
    { fee: 10, delta: 90_000, weight: 400, sigops: 4, parents: [] },
    { fee: 5000, delta: 0, weight: 400, sigops: 4, parents: [] },
  ]);
  const best = selectBestBlock(c, poolRanking(c), indexOf(c), poolLimits(4400));
  t.strictSame([...best.slots], [0]);
  t.equal(best.fees, 10, 'the base fee is reported');
});

t.test('ClusterIndex after updates equals an index that is built from scratch', async (t) => {
  let changes = 0;
  for (let seed = 1; seed <= 25; seed++) {
    const roll = pseudoRandom(seed);
    const txs = randomPool('mixed', 150, seed);
    const c = poolColumns(txs);
    // Start with nothing in use; links of a slot count once both ends are in.
    c.used.fill(0);
    const parents = c.parents as number[][];
    const children = c.children as number[][];
    const links = txs.map(({ parents }) => parents);
    for (let i = 0; i < txs.length; i++) parents[i] = children[i] = [];
    const index = new ClusterIndex();
    for (let step = 0; step < 40; step++) {
      const removed: number[] = [];
      const changed = new Set<number>();
      for (let i = 0; i < txs.length; i++) {
        // Confirmed transactions leave before their children, evicted ones after them. Both happen.
        const outcome = roll();
        if (c.used[i] === 1 && outcome < 0.05) {
          removed.push(i);
          c.used[i] = 0;
          for (const child of children[i]) {
            parents[child] = parents[child].filter((slot) => slot !== i);
            changed.add(child);
          }
          for (const parent of parents[i]) children[parent] = children[parent].filter((slot) => slot !== i);
          parents[i] = children[i] = [];
          changed.delete(i);
        } else if (c.used[i] === 0 && !removed.includes(i) && outcome < 0.2) {
          c.used[i] = 1;
          changed.add(i);
          parents[i] = links[i].filter((slot) => c.used[slot] === 1);
          for (const parent of parents[i]) children[parent] = [...children[parent], i];
        } else if (c.used[i] === 1 && outcome > 0.95) {
          c.modifiedFee[i] = Math.floor(roll() * 30_000);
          changed.add(i);
        }
      }
      for (const slot of removed) changed.delete(slot);
      changes += changed.size + removed.length;
      index.update(c, Int32Array.from(removed), Int32Array.from(changed));
      const used = Int32Array.from(c.fee.keys()).filter((slot) => c.used[slot] === 1);
      const fresh = new ClusterIndex();
      fresh.update(c, NONE, used);
      assert.equal(index.unfinished, 0);
      const rates = (of: ClusterIndex) => [...of.order].map((first) => `${of.chunkFee(first)}/${of.chunkSize(first)}`);
      assert.deepEqual([...rates(index)].sort(), [...rates(fresh)].sort());
      const covered = [...index.order].reduce((sum, first) => sum + index.chunkLength(first), 0);
      assert.equal(covered, used.length);
    }
  }
  t.ok(changes > 1000, `${changes} changes`);
});

t.test('ClusterIndex.improve optimises a large cluster in several short steps', async (t) => {
  // One component of thousands: every transaction spends one or two random earlier ones.
  const roll = pseudoRandom(5);
  const txs = Array.from({ length: 3000 }, (_, i) => ({
    fee: Math.floor(roll() ** 4 * 50_000),
    delta: 0,
    weight: 400 + Math.floor(roll() * 2000),
    sigops: 4,
    parents: i === 0 ? [] : [...new Set([Math.floor(roll() * i), Math.floor(roll() * i)])],
  }));
  const c = poolColumns(txs);
  const limits = poolLimits(400_000);
  const index = indexOf(c);
  t.equal(index.unfinished, 1);
  const before = fillByChunks(c, index, limits).fees;
  let turns = 0;
  while (index.unfinished > 0) {
    let asked = 0;
    index.improve(c, () => ++asked > 5);
    turns++;
  }
  t.ok(turns > 1, `${turns} turns`);
  t.ok(fillByChunks(c, index, limits).fees >= before);
  t.equal(checkAssembly(c, fillByChunks(c, index, limits), { ...limits, segwitActive: true }), '');
});

t.test('selects whole chunks by fee rate, as Core 31 does', async (t) => {
  // A cluster whose parent fills too much, its child, and two more: what does not fit goes with the rest of its cluster.
  const tx = (fee: number, weight: number, parents: number[] = [], sigops = 4) => ({ fee, delta: 0, weight, sigops, parents });
  const txs = [tx(9_000, 400), tx(40_000, 8_000), tx(400, 400, [1]), tx(500, 400), tx(39, 400)];
  const c = poolColumns(txs);
  const chosen = (maxWeight: number, minFeeRate = 1000, maxSigops = 80_000) =>
    Array.from(selectByChunks(c, indexOf(c), { ...poolLimits(maxWeight, minFeeRate), maxSigops }).slots);
  t.same(chosen(40_000), [0, 1, 3, 2], 'by falling rate; the last pays less than the least');
  t.same(chosen(40_000, 390), [0, 1, 3, 2, 4], 'and exactly the least is enough');
  t.same(chosen(4000 + 400 + 8000), [0, 3], 'the last unit stays free, and a child does not come without its parent');
  t.same(chosen(4000 + 400 + 8000 + 1), [0, 1]);
  t.same(chosen(40_000, 1000, 400 + 8), [0], 'the last sigop stays free as well');
  const { fees, weight, sigops } = selectByChunks(c, indexOf(c), poolLimits(40_000));
  t.same([fees, weight, sigops], [49_900, 4000 + 9200, 416]);
});
