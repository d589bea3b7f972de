// Selects transactions to remove when linking returned transactions to their children makes clusters larger than their
// limits (Core's TxGraph::Trim). Merges the old clusters like sorted lists: repeatedly takes the transaction of the
// best-paying chunk whose parents were all taken. Skips a transaction that would make its cluster too large, and
// thereby its descendants.
import { adjustedWeightOf, compareFeeFractions, NodeHeap } from '../selection/index.js';
import { chunksOfCluster, connected } from './feerate-diagram.js';
import type { MempoolOptions } from './options.js';
import type { TxPool } from './tx-pool.js';

/** A returned parent and a child that was in the mempool before the parent returned. */
export type NewLink = readonly [parent: number, child: number];

/** Returns a filter for the cluster of a row: which other rows may belong to it. */
type Counts = (start: number) => (row: number) => boolean;

/**
 * Transactions that would become one cluster, with the links between them. Transactions are named by their positions in
 * `rows`.
 */
interface Group {
  readonly rows: number[];
  readonly parents: number[][];
  readonly children: number[][];
  /** Fee and weight of the chunk to which each transaction belongs in its old cluster. */
  readonly fee: number[];
  readonly size: number[];
  readonly weight: number[];
}

/**
 * Returns the rows to remove, with all their descendants, so that every cluster stays within its limits.
 * @param rows returned rows; their links to other rows are not part of the old clusters
 * @param links links from returned rows to their children
 * @param here returns whether a row takes part
 */
export function tooMany(
  pool: TxPool,
  rows: readonly number[],
  links: readonly NewLink[],
  here: (row: number) => boolean,
  { limitClusterCount, limitClusterSize }: Pick<MempoolOptions, 'limitClusterCount' | 'limitClusterSize'>,
): Set<number> {
  const found = new Set<number>();
  if (limitClusterCount === Number.POSITIVE_INFINITY && limitClusterSize === Number.POSITIVE_INFINITY) return found;
  const back = new Set(rows);
  const counts: Counts = (start) => (row) => here(row) && back.has(row) === back.has(start);
  const most = { count: limitClusterCount, weight: 4 * limitClusterSize };
  const byRow = new Map<number, NewLink[]>();
  for (const link of links) for (const row of link) byRow.set(row, [...(byRow.get(row) ?? []), link]);
  const seen = new Set<number>();
  for (const start of rows) {
    if (seen.has(start)) continue;
    const clusters = clustersAround(pool, start, byRow, counts);
    const members = clusters.flat();
    for (const row of members) seen.add(row);
    const weight = members.reduce((sum, row) => sum + weightOf(pool, row), 0);
    if (members.length <= most.count && weight <= most.weight) continue;
    const group: Group = { rows: [], parents: [], children: [], fee: [], size: [], weight: [] };
    for (const [row] of clusters) addCluster(pool, row as number, counts, group);
    const place = new Map(group.rows.map((row, i) => [row, i]));
    for (const [parent, child] of new Set(members.flatMap((row) => byRow.get(row) ?? []))) {
      tie(group, place.get(parent) as number, place.get(child) as number);
    }
    const fitting = selectFitting(group, most);
    for (const [i, row] of group.rows.entries()) if (!fitting.has(i)) found.add(row);
  }
  return found;
}

/** Returns the old clusters that the new links connect with the cluster of `start`. */
function clustersAround(pool: TxPool, start: number, byRow: ReadonlyMap<number, readonly NewLink[]>, counts: Counts): number[][] {
  const clusters: number[][] = [];
  const seen = new Set<number>();
  const open = [start];
  for (const row of open) {
    if (seen.has(row)) continue;
    const members = [...connected(pool, row, counts(row))];
    clusters.push(members);
    for (const member of members) {
      seen.add(member);
      for (const [parent, child] of byRow.get(member) ?? []) open.push(parent, child);
    }
  }
  return clusters;
}

const weightOf = ({ rows }: TxPool, row: number): number => adjustedWeightOf(rows.size[row], rows.weight[row]);

/** Adds a cluster to the group as a list in which each transaction depends on the previous one. */
function addCluster(pool: TxPool, start: number, counts: Counts, group: Group): void {
  const first = group.rows.length;
  for (const { fee, weight, rows } of chunksOfCluster(pool, start, counts(start))) {
    for (const row of rows) {
      const at = group.rows.push(row) - 1;
      group.parents.push([]);
      group.children.push([]);
      group.fee.push(fee);
      group.size.push(weight);
      group.weight.push(weightOf(pool, row));
      if (at > first) tie(group, at - 1, at);
    }
  }
}

function tie({ parents, children }: Group, parent: number, child: number): void {
  parents[child].push(parent);
  children[parent].push(child);
}

/** Returns the positions of the transactions that fit into the limits. */
function selectFitting(
  { rows, parents, children, fee, size, weight }: Group,
  most: { readonly count: number; readonly weight: number },
): Set<number> {
  // Union-find over the positions: each position leads to a representative, which has the sums of its set.
  const up = rows.map((_, i) => i);
  const counted = rows.map(() => 1);
  const sums = [...weight];
  const top = (place: number): number => {
    let at = place;
    while (up[at] !== at) at = up[at] = up[up[at]];
    return at;
  };
  const ready = new NodeHeap(rows.length, (a, b) => {
    const rate = compareFeeFractions(fee[a], size[a], fee[b], size[b]);
    return rate === 0 ? size[a] < size[b] || (size[a] === size[b] && a < b) : rate > 0;
  });
  const open = parents.map((list) => list.length);
  open.forEach((count, i) => {
    if (count === 0) ready.push(i);
  });
  const fitting = new Set<number>();
  for (let place = ready.head; place !== undefined; place = ready.head) {
    ready.remove(place);
    const joined = [...new Set(parents[place].map(top))];
    const count = joined.reduce((sum, one) => sum + counted[one], 1);
    const total = joined.reduce((sum, one) => sum + sums[one], weight[place]);
    if (count > most.count || total > most.weight) continue;
    for (const one of joined) up[one] = place;
    counted[place] = count;
    sums[place] = total;
    fitting.add(place);
    for (const child of children[place]) if (--open[child] === 0) ready.push(child);
  }
  return fitting;
}
