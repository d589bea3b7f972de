// Measures the time to find the best order of a full cluster: 64 transactions in the usual shapes, from Core's order by
// ancestors to the optimum. Each change of the mempool that touches such a cluster takes this time once.
//
//   node build/bench/cluster.js [--json]      ROUNDS=n
import { ancestorOrder } from '../src/selection/cluster/ancestor-order.js';
import { type ClusterGraph, clusterGraph } from '../src/selection/cluster/cluster-graph.js';
import { SpanningForest } from '../src/selection/cluster/spanning-forest.js';
import { pseudoRandom } from '../test/framework/pseudo-random.js';
import { runBench } from './harness/bench.js';

/** Core 31's default limit on the transactions of a cluster. */
const COUNT = 64;
const ROUNDS = Number(process.env.ROUNDS ?? 400);
const WARMUP = 100;

const random = pseudoRandom(64);
const below = (n: number): number => Math.floor(random() * n);

/** Parents of each node by shape. */
const SHAPES: Record<string, (node: number) => number[]> = {
  'a chain': (node) => (node === 0 ? [] : [node - 1]),
  'one parent of all': (node) => (node === 0 ? [] : [0]),
  'a tree': (node) => (node === 0 ? [] : [below(node)]),
  'one to three parents': (node) => (node === 0 ? [] : [...new Set(Array.from({ length: 1 + below(3) }, () => below(node)))]),
  '32 parents, 32 children of many': (node) =>
    node < 32 ? [] : Array.from({ length: 32 }, (_, i) => i).filter((i) => i === node - 32 || below(4) === 0),
};

function graphOf(parentsOf: (node: number) => number[]): ClusterGraph {
  const size = Array.from({ length: COUNT }, () => 400 + below(4_000));
  // Fees for rates between 0.1 and 50 satoshis per virtual byte, so that no two transactions have the same rate.
  const fee = size.map((weight) => Math.ceil((weight / 4) * (0.1 + random() * 50)));
  return clusterGraph(
    fee,
    size,
    Array.from({ length: COUNT }, (_, node) => parentsOf(node)),
  );
}

await runBench({
  name: 'selection/cluster',
  protects: 'the node thread from transactions that are connected in ways that are hard to order',
  run: async () => {
    const cases = Object.entries(SHAPES).map(([name, parentsOf]) => {
      const samples: number[] = [];
      const first: number[] = [];
      for (let round = 0; round < WARMUP + ROUNDS; round++) {
        const graph = graphOf(parentsOf);
        const begin = process.hrtime.bigint();
        const order = ancestorOrder(graph);
        const ordered = process.hrtime.bigint();
        const forest = new SpanningForest(graph, order);
        while (!forest.optimal) forest.improve(1_000_000);
        forest.order();
        const end = process.hrtime.bigint();
        if (round < WARMUP) continue;
        first.push(Number(ordered - begin) / 1_000);
        samples.push(Number(end - begin) / 1_000);
      }
      return { name, unit: 'us', better: 'lower' as const, samples, limit: { name: 'order by ancestors alone', samples: first } };
    });
    return { cases, notes: [`clusters of ${COUNT}, each new; every one to its optimum`] };
  },
});
