// Orders a cluster that is cut into parts, independent of how the parts were found: the best paying part first, and
// within a part the best paying node first. Ties go to the smaller one, then to the lower number (nodes are numbered by
// txid). Core's master mines in this order (cluster_linearize.h, GetLinearization and PostLinearize), so templates and
// lists have the same order as Core's.
import { NodeHeap } from './ancestor-order.js';
import type { ClusterGraph } from './cluster-graph.js';
import { compareFeeFractions } from './fee-fraction.js';

/** Largest cluster that is post-linearised. Core has no larger clusters, and the passes take quadratic time. */
const MOST_SWAPPED = 64;
const WORD = 32;

/**
 * @param partOf part of each node, less than `parts`. Parts may be empty. Dependencies between parts have no cycles.
 * @returns all nodes, parents before children
 */
export function canonicalOrder(graph: ClusterGraph, partOf: Int32Array, parts: number): Int32Array {
  const { count, fee, size, parents, children } = graph;
  const partFee = new Float64Array(parts);
  const partSize = new Float64Array(parts);
  const last = new Int32Array(parts);
  const partOpen = new Int32Array(parts);
  const members: number[][] = Array.from({ length: parts }, () => []);
  for (let node = 0; node < count; node++) {
    const part = partOf[node];
    members[part].push(node);
    partFee[part] += fee[node];
    partSize[part] += size[node];
    last[part] = node;
    for (const parent of parents[node]) if (partOf[parent] !== part) partOpen[part]++;
  }
  const open = Int32Array.from(parents, (list) => list.length);
  const ready = new NodeHeap(parts, byRate(partFee, partSize, last));
  for (let part = 0; part < parts; part++) if (partOpen[part] === 0 && members[part].length > 0) ready.push(part);
  const inside = new NodeHeap(count, byRate(fee, size, null));
  const order = new Int32Array(count);
  let at = 0;
  for (let part = ready.head; part !== undefined; part = ready.head) {
    ready.remove(part);
    for (const node of members[part]) if (open[node] === 0) inside.push(node);
    for (let node = inside.head; node !== undefined; node = inside.head) {
      inside.remove(node);
      order[at++] = node;
      for (const child of children[node]) {
        const free = --open[child] === 0;
        if (partOf[child] === part) {
          if (free) inside.push(child);
        } else if (--partOpen[partOf[child]] === 0) ready.push(partOf[child]);
      }
    }
  }
  return count > 2 && count <= MOST_SWAPPED ? postLinearize(graph, order) : order;
}

/**
 * Returns a function that tells whether one node or part comes before another: higher rate first, then smaller size.
 * @param last decides if both are equal, lower first; null: the lower number comes first
 */
function byRate(fee: Float64Array, size: Float64Array, last: Int32Array | null): (a: number, b: number) => boolean {
  return (a, b) => {
    const rate = compareFeeFractions(fee[a], size[a], fee[b], size[b]);
    if (rate !== 0) return rate > 0;
    if (size[a] !== size[b]) return size[a] < size[b];
    return last === null ? a < b : last[a] < last[b];
  };
}

/** Nodes that move together. */
interface Group {
  readonly nodes: readonly number[];
  readonly fee: number;
  readonly size: number;
  /** Bits of the nodes, and of all nodes on which one of them depends. */
  readonly here: Bits;
  readonly needs: Bits;
}

type Bits = readonly [low: number, high: number];

const union = (a: Bits, b: Bits): Bits => [a[0] | b[0], a[1] | b[1]];
const intersects = (a: Bits, b: Bits): boolean => (a[0] & b[0]) !== 0 || (a[1] & b[1]) !== 0;
const bit = (node: number): Bits => (node < WORD ? [1 << node, 0] : [0, 1 << (node - WORD)]);

/**
 * Moves groups that pay better before groups that pay less, unless they depend on them: first from the back, then from
 * the front. An optimal order changes only within its chunks.
 */
function postLinearize(graph: ClusterGraph, order: Int32Array): Int32Array {
  const { count, fee, parents, children } = graph;
  const ancestors: Bits[] = [];
  const descendants: Bits[] = [];
  for (const node of order) ancestors[node] = parents[node].reduce((bits, parent) => union(bits, ancestors[parent]), bit(node));
  for (let i = count - 1; i >= 0; i--) {
    const node = order[i];
    descendants[node] = children[node].reduce((bits, child) => union(bits, descendants[child]), bit(node));
  }
  const back = pass(
    graph,
    order.toReversed(),
    fee.map((sats) => -sats),
    descendants,
  );
  return Int32Array.from(pass(graph, back.reverse(), fee, ancestors));
}

function pass({ size }: ClusterGraph, order: ArrayLike<number>, fee: Float64Array, needs: readonly Bits[]): number[] {
  const groups: Group[] = [];
  for (let i = 0; i < order.length; i++) {
    const node = order[i];
    let group: Group = { nodes: [node], fee: fee[node], size: size[node], here: bit(node), needs: needs[node] };
    let place = groups.length;
    for (; place > 0; place--) {
      const before = groups[place - 1];
      if (compareFeeFractions(group.fee, group.size, before.fee, before.size) <= 0) break;
      if (!intersects(group.needs, before.here)) continue;
      group = {
        nodes: [...before.nodes, ...group.nodes],
        fee: before.fee + group.fee,
        size: before.size + group.size,
        here: union(before.here, group.here),
        needs: union(before.needs, group.needs),
      };
      groups.splice(place - 1, 1);
    }
    groups.splice(place, 0, group);
  }
  return groups.flatMap(({ nodes }) => nodes);
}
