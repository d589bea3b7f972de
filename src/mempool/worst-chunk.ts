// What a full pool gives up first, by the order in which blocks would take it (mode `live`): of everything that hangs
// together with a row the chunk that would be mined last. It pays no more for its room than any other set of that
// cluster that can leave without breaking a dependency. Used by eviction.ts.
import { ancestorOrder } from '../selection/cluster/ancestor-order.js';
import { chunksOf } from '../selection/cluster/chunks.js';
import { clusterGraph } from '../selection/cluster/cluster-graph.js';
import { SpanningForest } from '../selection/cluster/spanning-forest.js';
import type { TxPool } from './tx-pool.js';

/** Beyond so many the cluster is not looked at: it is on the node thread. */
const MOST_ROWS = 100;
/** Visits of nodes, some tenths of a millisecond; clusters of this size are at their best well before. */
const COST = 30_000;

/** Rows that leave together, and what they pay. */
export interface WorstChunk {
  readonly rows: Set<number>;
  /** Modified fees. */
  readonly fees: number;
  /** Sigop-adjusted virtual bytes. */
  readonly size: number;
}

/** @returns null when the cluster is too large to be ordered here */
export function worstChunk(pool: TxPool, row: number): WorstChunk | null {
  const { rows, links } = pool;
  const places = new Map<number, number>([[row, 0]]);
  // The map grows while it is walked through.
  for (const member of places.keys()) {
    for (const list of [links.parents(member), links.children(member)]) {
      for (const relative of list) if (!places.has(relative)) places.set(relative, places.size);
    }
    if (places.size > MOST_ROWS) return null;
  }
  const members = [...places.keys()];
  const graph = clusterGraph(
    members.map((member) => rows.modifiedFee[member]),
    members.map((member) => rows.size[member]),
    members.map((member) => links.parents(member).map((parent) => places.get(parent) as number)),
  );
  const forest = new SpanningForest(graph, ancestorOrder(graph));
  forest.improve(COST);
  const order = forest.order();
  const last = chunksOf(graph, order).at(-1);
  if (last === undefined) return null;
  const leaving = new Set<number>();
  for (let i = order.length - last.count; i < order.length; i++) leaving.add(members[order[i]]);
  return { rows: leaving, fees: last.fee, size: last.size };
}
