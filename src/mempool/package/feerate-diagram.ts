// Whether a replacement makes the pool better for whoever mines it: the fee-rate diagrams of the clusters it touches, before and after
// (Core's ImprovesFeerateDiagram). Used by package-replacement.ts.
import { ancestorOrder } from '../../selection/cluster/ancestor-order.js';
import { type Chunk, chunksOf, compareDiagrams } from '../../selection/cluster/chunks.js';
import { clusterGraph } from '../../selection/cluster/cluster-graph.js';
import { compareFeeFractions } from '../../selection/cluster/fee-fraction.js';
import { SpanningForest } from '../../selection/cluster/spanning-forest.js';
import type { TxPool } from '../tx-pool.js';

/** Clusters are put into a better order than that by ancestors for so many steps; small ones reach the best long before. */
const MOST_STEPS = 20_000;

/** @param gone rows that would leave, closed under descendants @param added what would come as one piece */
export function improvesDiagram(pool: TxPool, gone: ReadonlySet<number>, added: { readonly fee: number; readonly size: number }): boolean {
  const touched = connected(pool, gone, () => true);
  const stay = new Set([...touched].filter((row) => !gone.has(row)));
  const before = chunksOfRows(pool, touched);
  const after = [...chunksOfRows(pool, stay), { ...added, count: 1 }];
  const [long, short] = [sizeOf(before), sizeOf(after)];
  // Beyond its end a diagram goes on flat.
  const pad = (chunks: Chunk[], size: number): Chunk[] => (size > 0 ? [...chunks, { fee: 0, size, count: 0 }] : chunks);
  return compareDiagrams(pad(byRate(after), long - short), pad(byRate(before), short - long)) === 'better';
}

function sizeOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { size }) => sum + size, 0);
}

/** Everything that hangs together with the rows, by links that lead to rows that count. */
function connected(pool: TxPool, rows: Iterable<number>, counts: (row: number) => boolean): Set<number> {
  const found = new Set<number>();
  const stage = [...rows];
  for (let row = stage.pop(); row !== undefined; row = stage.pop()) {
    if (found.has(row)) continue;
    found.add(row);
    for (const next of [...pool.links.parents(row), ...pool.links.children(row)]) if (counts(next) && !found.has(next)) stage.push(next);
  }
  return found;
}

function chunksOfRows(pool: TxPool, rows: ReadonlySet<number>): Chunk[] {
  const chunks: Chunk[] = [];
  const left = new Set(rows);
  for (const row of rows) {
    if (!left.has(row)) continue;
    const cluster = [...connected(pool, [row], (next) => rows.has(next))];
    for (const member of cluster) left.delete(member);
    chunks.push(...chunksOfCluster(pool, cluster));
  }
  return chunks;
}

function chunksOfCluster(pool: TxPool, cluster: readonly number[]): Chunk[] {
  const { modifiedFee, size } = pool.rows;
  const node = new Map(cluster.map((row, i) => [row, i]));
  const graph = clusterGraph(
    cluster.map((row) => modifiedFee[row]),
    cluster.map((row) => size[row]),
    cluster.map((row) => pool.links.parents(row).flatMap((parent) => node.get(parent) ?? [])),
  );
  const forest = new SpanningForest(graph, ancestorOrder(graph));
  forest.improve(MOST_STEPS);
  return chunksOf(graph, forest.order());
}

function byRate(chunks: readonly Chunk[]): Chunk[] {
  return [...chunks].sort((a, b) => compareFeeFractions(b.fee, b.size, a.fee, a.size));
}
