// Orders a cluster by ancestor fee rates: repeatedly takes the node that pays best together with its missing ancestors.
// Core up to version 30 mines in this order. The other orders of this folder start from this one and must not be worse.
import type { ClusterGraph } from './cluster-graph.js';
import { compareFeeFractions } from './fee-fraction.js';

/** @returns all nodes, parents before children */
export function ancestorOrder(graph: ClusterGraph): Int32Array {
  const { count, fee, size, parents, children } = graph;
  const sumFee = new Float64Array(count);
  const sumSize = new Float64Array(count);
  const mark = new Int32Array(count).fill(-1);
  for (let node = 0; node < count; node++) {
    for (const ancestor of reach(parents, node, mark, node)) {
      sumFee[node] += fee[ancestor];
      sumSize[node] += size[ancestor];
    }
  }
  const depth = depths(graph);
  const before = (a: number, b: number): boolean => {
    const order = compareFeeFractions(sumFee[a], sumSize[a], sumFee[b], sumSize[b]);
    return order === 0 ? sumSize[a] < sumSize[b] || (sumSize[a] === sumSize[b] && a < b) : order > 0;
  };
  const heap = new NodeHeap(count, before);
  for (let node = 0; node < count; node++) heap.push(node);
  const order = new Int32Array(count);
  const taken = new Uint8Array(count);
  const seen = new Int32Array(count).fill(-1);
  let at = 0;
  for (let round = 0; at < count; round++) {
    const best = heap.head as number;
    const members = reach(parents, best, mark, count + round, taken).sort((a, b) => depth[a] - depth[b] || a - b);
    for (const node of members) {
      taken[node] = 1;
      heap.remove(node);
      order[at++] = node;
    }
    for (const node of members) {
      for (const heir of reach(children, node, seen, at * count + node, taken)) {
        if (heir === node) continue;
        sumFee[heir] -= fee[node];
        sumSize[heir] -= size[node];
        heap.reposition(heir);
      }
    }
  }
  return order;
}

/** Returns a node and all nodes reachable from it by links. Taken nodes end a path, except the start. */
function reach(links: ClusterGraph['parents'], start: number, mark: Int32Array, visit: number, taken?: Uint8Array): number[] {
  const found = [start];
  mark[start] = visit;
  for (let i = 0; i < found.length; i++) {
    for (const next of links[found[i]]) {
      if (mark[next] === visit || (taken !== undefined && taken[next] !== 0)) continue;
      mark[next] = visit;
      found.push(next);
    }
  }
  return found;
}

/** Returns for each node the length of its longest path of ancestors, so that parents have lower numbers than their children. */
function depths({ count, parents, children }: ClusterGraph): Int32Array {
  const depth = new Int32Array(count);
  const open = Int32Array.from(parents, (list) => list.length);
  const ready: number[] = [];
  for (let node = 0; node < count; node++) if (open[node] === 0) ready.push(node);
  for (let i = 0; i < ready.length; i++) {
    for (const child of children[ready[i]]) {
      depth[child] = Math.max(depth[child], depth[ready[i]] + 1);
      if (--open[child] === 0) ready.push(child);
    }
  }
  return depth;
}

/** A heap of nodes that knows the position of each node. */
export class NodeHeap {
  readonly #before: (a: number, b: number) => boolean;
  readonly #heap: number[] = [];
  readonly #place: Int32Array;

  constructor(count: number, before: (a: number, b: number) => boolean) {
    this.#before = before;
    this.#place = new Int32Array(count).fill(-1);
  }

  /** Undefined if the heap is empty. */
  get head(): number | undefined {
    return this.#heap[0];
  }

  push(node: number): void {
    this.#heap.push(node);
    this.#up(this.#heap.length - 1, node);
  }

  remove(node: number): void {
    const at = this.#place[node];
    const last = this.#heap.pop() as number;
    this.#place[node] = -1;
    if (last === node) return;
    this.#heap[at] = last;
    this.#place[last] = at;
    this.reposition(last);
  }

  /** Restores the heap after the rank of a node changed. */
  reposition(node: number): void {
    const at = this.#place[node];
    this.#up(at, node);
    if (this.#place[node] === at) this.#down(at, node);
  }

  #set(at: number, node: number): void {
    this.#heap[at] = node;
    this.#place[node] = at;
  }

  #up(start: number, node: number): void {
    let at = start;
    for (; at > 0; ) {
      const above = (at - 1) >> 1;
      if (!this.#before(node, this.#heap[above])) break;
      this.#set(at, this.#heap[above]);
      at = above;
    }
    this.#set(at, node);
  }

  #down(start: number, node: number): void {
    let at = start;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= this.#heap.length) break;
      if (below + 1 < this.#heap.length && this.#before(this.#heap[below + 1], this.#heap[below])) below++;
      if (!this.#before(this.#heap[below], node)) break;
      this.#set(at, this.#heap[below]);
      at = below;
    }
    this.#set(at, node);
  }
}
