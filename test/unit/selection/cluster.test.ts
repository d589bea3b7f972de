// Orders of clusters compared with the best order, found by trying every closed set, and with the ancestor order where
// trying every set takes too long.
import assert from 'node:assert/strict';
import t from 'tap';
import { ancestorOrder } from '../../../src/selection/cluster/ancestor-order.js';
import { type Chunk, chunksOf, compareDiagrams } from '../../../src/selection/cluster/chunks.js';
import { type ClusterGraph, clusterGraph } from '../../../src/selection/cluster/cluster-graph.js';
import { compareFeeFractions } from '../../../src/selection/cluster/fee-fraction.js';
import { SpanningForest } from '../../../src/selection/cluster/spanning-forest.js';
import { fc } from '../../framework/fast-check.js';

const sign = (value: number | bigint): number => (value > 0 ? 1 : value < 0 ? -1 : 0);

t.test('compares fee fractions exactly, like BigInt', async (t) => {
  const fee = fc.oneof(fc.integer({ min: -1000, max: 1000 }), fc.maxSafeInteger());
  const size = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 2 ** 40 }));
  const factor = fc.integer({ min: 1, max: 4000 });
  const check = (a: number, b: number, c: number, d: number): void => {
    assert.equal(sign(compareFeeFractions(a, b, c, d)), sign(BigInt(a) * BigInt(d) - BigInt(c) * BigInt(b)), `${a}/${b} ${c}/${d}`);
  };
  fc.assert(fc.property(fee, size, fee, size, check), { numRuns: 5000 });
  // Near equals: a multiple of the same fraction, one off.
  fc.assert(
    fc.property(
      fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
      fc.integer({ min: 1, max: 2 ** 30 }),
      factor,
      factor,
      fc.constantFrom(-1, 0, 1),
      (a, b, k, l, off) => check(a * k + off, b * k, a * l, b * l),
    ),
    { numRuns: 5000 },
  );
  t.equal(sign(compareFeeFractions(2 ** 52 + 1, 2 ** 30, 2 ** 52, 2 ** 30)), 1);
});

interface Draft {
  readonly fee: number;
  readonly size: number;
  readonly links: readonly number[];
}

/** @param most links to earlier nodes */
function drafts(count: number, most: number): fc.Arbitrary<ClusterGraph> {
  const draft = fc.record({
    fee: fc.oneof(
      fc.integer({ min: 0, max: 8 }).map((n) => n * 100),
      fc.integer({ min: -3000, max: 40_000 }),
    ),
    size: fc.oneof(fc.constantFrom(100, 200), fc.integer({ min: 60, max: 2000 })),
    links: fc.oneof(fc.array(fc.nat(10_000), { maxLength: most }), fc.array(fc.nat(10_000), { minLength: 1, maxLength: most })),
  });
  return fc.array(draft, { minLength: 1, maxLength: count, size: 'max' }).map((list: Draft[]) =>
    clusterGraph(
      list.map(({ fee }) => fee),
      list.map(({ size }) => size),
      list.map(({ links }, i) => (i === 0 ? [] : [...new Set(links.map((n) => n % i))])),
    ),
  );
}

/** Chunks of the best order: the best paying closed set of what is left, the smallest of equals, again and again. */
function bestChunks({ count, fee, size, parents }: ClusterGraph): Chunk[] {
  const chunks: Chunk[] = [];
  for (let taken = 0; taken !== 2 ** count - 1; ) {
    let best: (Chunk & { set: number }) | null = null;
    for (let set = 1; set < 2 ** count; set++) {
      if ((set & taken) !== 0) continue;
      let sumFee = 0;
      let sumSize = 0;
      let closed = true;
      for (let node = 0; node < count && closed; node++) {
        if ((set & (1 << node)) === 0) continue;
        closed = parents[node].every((parent) => ((set | taken) & (1 << parent)) !== 0);
        sumFee += fee[node];
        sumSize += size[node];
      }
      if (!closed) continue;
      const order = best === null ? 1 : sign(BigInt(sumFee) * BigInt(best.size) - BigInt(best.fee) * BigInt(sumSize));
      if (best === null || order > 0 || (order === 0 && sumSize < best.size)) best = { fee: sumFee, size: sumSize, count: 0, set };
    }
    if (best === null) throw new Error('a graph without an end');
    chunks.push(best);
    taken |= best.set;
  }
  return chunks;
}

function assertTopological({ count, parents }: ClusterGraph, order: Int32Array): void {
  const place = new Map([...order].map((node, i) => [node, i]));
  assert.equal(order.length, count);
  assert.equal(place.size, count);
  for (let node = 0; node < count; node++) {
    for (const parent of parents[node]) assert.ok((place.get(parent) as number) < (place.get(node) as number));
  }
}

function noWorse(a: readonly Chunk[], b: readonly Chunk[]): boolean {
  const order = compareDiagrams(a, b);
  return order === 'equal' || order === 'better';
}

function best(graph: ClusterGraph, start = ancestorOrder(graph)): Int32Array {
  const forest = new SpanningForest(graph, start);
  forest.improve(5_000_000);
  assert.ok(forest.optimal, 'the search comes to an end');
  return forest.order();
}

t.test('finds the best order of small clusters among all orders', async (t) => {
  let better = 0;
  fc.assert(
    fc.property(drafts(8, 3), (graph) => {
      const byAncestors = ancestorOrder(graph);
      assertTopological(graph, byAncestors);
      const order = best(graph, byAncestors);
      assertTopological(graph, order);
      const found = chunksOf(graph, order);
      assert.equal(compareDiagrams(found, bestChunks(graph)), 'equal');
      assert.ok(noWorse(found, chunksOf(graph, byAncestors)));
      if (compareDiagrams(found, chunksOf(graph, byAncestors)) === 'better') better++;
    }),
    { numRuns: 1200 },
  );
  t.ok(better > 15, `${better} of them better than the ancestor order`);
});

t.test('never worsens the order of a large cluster, and ends equally well from any start', async (t) => {
  let better = 0;
  fc.assert(
    fc.property(drafts(80, 3), (graph) => {
      const byAncestors = ancestorOrder(graph);
      assertTopological(graph, byAncestors);
      const forest = new SpanningForest(graph, byAncestors);
      let before = chunksOf(graph, byAncestors);
      const start = before;
      for (let step = 0; step < 10_000 && !forest.optimal; step++) {
        const order = forest.order();
        assertTopological(graph, order);
        const now = forest.chunks();
        assert.ok(noWorse(now, before), `step ${step}`);
        assert.ok(noWorse(chunksOf(graph, order), now));
        assert.ok(noWorse(now, start), 'never below the ancestor order');
        before = now;
        forest.improve(1);
      }
      assert.ok(forest.optimal);
      const end = chunksOf(graph, forest.order());
      // Any other order of parents before children as a start.
      const plain = best(
        graph,
        Int32Array.from({ length: graph.count }, (_, i) => i),
      );
      assert.equal(compareDiagrams(chunksOf(graph, plain), end), 'equal');
      if (compareDiagrams(end, chunksOf(graph, byAncestors)) === 'better') better++;
    }),
    { numRuns: 60, endOnFailure: true },
  );
  t.ok(better > 10, `${better} of them better than the ancestor order`);
});

t.test('finds chunks that ancestor selection misses in children, diamonds and chains', async (t) => {
  // One parent that pays nothing, three children that carry it together.
  const children = clusterGraph([0, 300, 300, 300], [1000, 100, 100, 100], [[], [0], [0], [0]]);
  t.strictSame(chunksOf(children, best(children)), [{ fee: 900, size: 1300, count: 4 }]);
  // A good child drags a bad parent past a better lone one? The diamond's tip pays for both sides.
  const diamond = clusterGraph([100, 0, 0, 5000], [100, 100, 100, 100], [[], [0], [0], [1, 2]]);
  t.strictSame(chunksOf(diamond, best(diamond)), [{ fee: 5100, size: 400, count: 4 }]);
  const chain = clusterGraph([500, 10, 400], [100, 100, 100], [[], [0], [1]]);
  t.strictSame(
    chunksOf(chain, best(chain)).map(({ count }) => count),
    [1, 2],
  );
});

t.test('the optimal order depends only on the graph, not on the initial order', async () => {
  fc.assert(
    fc.property(drafts(70, 3), (graph) => {
      const order = best(graph);
      assertTopological(graph, order);
      const plain = best(
        graph,
        Int32Array.from({ length: graph.count }, (_, i) => i),
      );
      assert.deepEqual(plain, order);
      // No chunk can be cut into two that pay the same.
      let start = 0;
      for (const { count } of chunksOf(graph, order)) {
        const nodes = order.subarray(start, start + count);
        for (let i = 1; i < count && count <= 12; i++) {
          const [part, whole] = [nodes.subarray(0, i), nodes].map((list) => ({
            fee: list.reduce((sum, node) => sum + graph.fee[node], 0),
            size: list.reduce((sum, node) => sum + graph.size[node], 0),
          }));
          assert.ok(compareFeeFractions(part!.fee, part!.size, whole!.fee, whole!.size) < 0);
        }
        start += count;
      }
    }),
    { numRuns: 300 },
  );
});

t.test('orders chunks of equal fee rate by size, then by number', async (t) => {
  const order = (fee: number[], size: number[], parents: number[][]): number[] => {
    const graph = clusterGraph(fee, size, parents);
    return Array.from(best(graph));
  };
  // A parent that pays well, and children of one rate.
  t.same(order([900, 200, 100, 100, 100], [100, 200, 100, 100, 50], [[], [0], [0], [0], [0]]), [0, 4, 2, 3, 1]);
  // Numbers decide, wherever the parent stands among them.
  t.same(order([100, 100, 900, 100], [100, 100, 100, 100], [[2], [2], [], [2]]), [2, 0, 1, 3]);
  // Two chunks of one rate and size: the one whose highest number is lower.
  t.same(order([0, 900, 200, 0, 200], [100, 100, 100, 100, 100], [[1], [], [3], [1], [0]]), [1, 3, 2, 0, 4]);
  // Inside a chunk: what pays better before what pays less.
  t.same(order([0, 10, 300, 1000], [100, 100, 100, 100], [[], [0], [0], [1, 2]]), [0, 2, 1, 3]);
});

t.test('compares fee rate diagrams of different lengths and with negative fees', async (t) => {
  const line = (...chunks: [fee: number, size: number][]): Chunk[] => chunks.map(([fee, size]) => ({ fee, size, count: 1 }));
  t.equal(compareDiagrams(line([10, 10]), line([10, 10])), 'equal');
  t.equal(compareDiagrams(line([10, 10]), line([10, 10], [0, 5])), 'equal', 'it goes on flat');
  t.equal(compareDiagrams(line([10, 10]), line([10, 10], [-5, 5])), 'better');
  t.equal(compareDiagrams(line([10, 10], [1, 5]), line([10, 10])), 'better');
  t.equal(compareDiagrams(line([10, 10], [-5, 10]), line([9, 10], [-5, 30])), 'mixed', 'a corner below the other line');
  t.equal(compareDiagrams(line([9, 10], [-5, 30]), line([10, 10], [-5, 10])), 'mixed');
});
