// Decides whether a replacement makes the mempool better for miners (Core's ImprovesFeerateDiagram). Compares the
// fee-rate diagrams of the affected clusters before and after the replacement. Other clusters add the same to both
// diagrams.
import {
  adjustedWeightOf,
  ancestorOrder,
  type Chunk,
  type ClusterGraph,
  chunksOf,
  clusterGraph,
  compareDiagrams,
  compareFeeFractions,
  rankedChunks,
  SpanningForest,
} from '../selection/index.js';
import type { PoolTables } from './pool-tables.js';
import type { TxPool } from './tx-pool.js';

/**
 * Limits of the work for diagrams. The work for a cluster is its size times the sum of its size and its number of
 * links, because the time grows in proportion to that product. A cluster of 64 (the largest by default and in Core's
 * master) is always within the limit, and so is a chain of 250. All clusters of a diagram together may have the work of
 * a hundred chains of 64: about 40 ms of the node thread. The sender needs at least one input for each of these
 * clusters.
 */
const MOST_WORK_OF_ONE = 64 * (64 + (64 * 63) / 2);
const MOST_WORK = 1_000_000;
/**
 * Limits on the node visits that improve the order of one cluster, and of all clusters of a diagram. Small clusters
 * reach their best order well below these limits.
 */
const CLUSTER_COST = 20_000;
const DIAGRAM_COST = 100_000;

const everyRow = (_row: number): boolean => true;

/** A set of complete clusters. */
export interface Clusters {
  readonly rows: ReadonlySet<number>;
  readonly count: number;
}

/** New transactions that are added together as one node of the graph. */
export interface Addition {
  /** Sum of modified fees in satoshis. */
  readonly fee: number;
  /** Sigop-adjusted weight. */
  readonly weight: number;
  /** Rows of the parents in the mempool. A parent that would be replaced does not count. */
  readonly parents: ReadonlySet<number>;
}

/** Returns the clusters of the given rows; null if they are too large to compare. */
export function clustersOf(pool: TxPool, rows: Iterable<number>): Clusters | null {
  const found = new Set<number>();
  let count = 0;
  let work = 0;
  for (const row of rows) {
    if (found.has(row)) continue;
    count++;
    let size = 0;
    let edges = 0;
    let own = 0;
    for (const member of connected(pool, row, everyRow)) {
      found.add(member);
      size++;
      edges += pool.links.parents(member).length;
      own = size * (size + edges);
      if (own > MOST_WORK_OF_ONE || work + own > MOST_WORK) return null;
    }
    work += own;
  }
  return { rows: found, count };
}

/**
 * Returns whether the fee-rate diagram gets better: higher somewhere, and lower nowhere.
 * @param touched all clusters that lose rows or gain the addition
 * @param removed rows that would be removed, with all their descendants
 */
export function improvesDiagram(pool: TxPool, { rows }: Clusters, removed: ReadonlySet<number>, addition: Addition): boolean {
  const before = diagram(pool, [...rows]);
  const after = diagram(
    pool,
    [...rows].filter((row) => !removed.has(row)),
    addition,
  );
  return compareDiagrams(after, before) === 'better';
}

/** Yields all rows connected with a row through rows for which `counts` returns true. The caller may stop early. */
export function* connected(pool: PoolTables, row: number, counts: (row: number) => boolean): Generator<number> {
  const found = new Set([row]);
  // The set grows during the loop.
  for (const member of found) {
    yield member;
    for (const list of [pool.links.parents(member), pool.links.children(member)]) {
      for (const relative of list) if (counts(relative)) found.add(relative);
    }
  }
}

/**
 * Returns the chunks of the rows' clusters, best first.
 * @param addition joins the clusters of its parents
 */
function diagram(pool: TxPool, rows: readonly number[], addition?: Addition): Chunk[] {
  const chunks: Chunk[] = [];
  const left = new Set(rows);
  let budget = DIAGRAM_COST;
  const add = (members: readonly number[], extra?: Addition): void => {
    const graph = graphOf(pool, members, extra);
    const forest = new SpanningForest(graph, ancestorOrder(graph));
    budget -= forest.improve(Math.min(budget, CLUSTER_COST));
    chunks.push(...chunksOf(graph, forest.order()));
  };
  const takeCluster = (row: number): number[] => {
    const members = [...connected(pool, row, (next) => left.has(next))];
    for (const member of members) left.delete(member);
    return members;
  };
  if (addition !== undefined) {
    const joined: number[] = [];
    for (const parent of addition.parents) if (left.has(parent)) joined.push(...takeCluster(parent));
    add(joined, addition);
  }
  for (const row of rows) if (left.has(row)) add(takeCluster(row));
  return chunks.sort((a, b) => compareFeeFractions(b.fee, b.size, a.fee, a.size));
}

/** @param extra one more node, after its parents */
function graphOf(pool: PoolTables, cluster: readonly number[], extra?: Addition): ClusterGraph {
  const { rows, links } = pool;
  const node = new Map(cluster.map((row, i) => [row, i]));
  const nodesOf = (list: Iterable<number>): number[] => Array.from(list).flatMap((row) => node.get(row) ?? []);
  const fees = cluster.map((row) => rows.modifiedFee[row]);
  const weights = cluster.map((row) => adjustedWeightOf(rows.size[row], rows.weight[row]));
  const parents = cluster.map((row) => nodesOf(links.parents(row)));
  if (extra !== undefined) {
    fees.push(extra.fee);
    weights.push(extra.weight);
    parents.push(nodesOf(extra.parents));
  }
  return clusterGraph(fees, weights, parents);
}

/** A part of a cluster that is mined as one piece. */
export interface PoolChunk {
  /** Sum of modified fees in satoshis. */
  readonly fee: number;
  /** Sigop-adjusted weight. */
  readonly weight: number;
  /** Rows in block order. */
  readonly rows: readonly number[];
  /**
   * Weight of this chunk plus the weight of the chunks before it in the cluster that have the same fee rate
   * (RankedChunk).
   */
  readonly alike: number;
}

/**
 * Returns the chunks of a row's cluster, best first.
 * @param counts returns whether a row counts as part of the cluster
 */
export function chunksOfCluster(pool: PoolTables, row: number, counts = everyRow): PoolChunk[] {
  const members = [...connected(pool, row, counts)].sort(pool.records.compareIds);
  const graph = graphOf(pool, members);
  const forest = new SpanningForest(graph, ancestorOrder(graph));
  forest.improve(CLUSTER_COST);
  const order = forest.order();
  return rankedChunks(graph, order).map(({ fee, size, count, start, alike }) => {
    const rows = Array.from(order.subarray(start, start + count), (node) => members[node]);
    return { fee, weight: size, rows, alike };
  });
}
