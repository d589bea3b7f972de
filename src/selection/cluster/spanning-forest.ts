// Finds the best order of a cluster step by step. A forest of chosen dependencies is maintained whose trees are the
// chunks. Two moves change it. A tree is cut at a dependency if the parents' side pays more than the children's side,
// because that side can go earlier. A chunk that pays at least as much as one on which it depends is merged with it,
// because it cannot go earlier alone.
//
// No move makes the diagram worse. If no cut is left, the order is optimal: the fees of each chunk then flow along its
// tree so that no other closed set pays more (the dual of the linear program of maximal closures). The work may be
// interrupted between steps.
//
// Linearising by spanning forests is Pieter Wuille's idea; docs/decisions/0035-spanning-forest.md has the alternatives.
import { canonicalOrder } from './canonical-order.js';
import type { Chunk } from './chunks.js';
import type { ClusterGraph } from './cluster-graph.js';
import { compareFeeFractions } from './fee-fraction.js';
import { strongParts } from './strong-parts.js';

/** One of so many cuts is a random improving cut instead of the best one, so that ties cannot lead to cycles. */
const RANDOM_EVERY = 4;

export class SpanningForest {
  readonly #graph: ClusterGraph;
  /** Dependencies: parent and child of each. */
  readonly #above: number[] = [];
  readonly #below: number[] = [];
  readonly #chosen: Uint8Array;
  /** Dependencies by node: those to its parents, and those to its children. */
  readonly #up: number[][] = [];
  readonly #down: number[][] = [];
  readonly #chunkOf: Int32Array;
  readonly #members: number[][] = [];
  readonly #fee: Float64Array;
  readonly #size: Float64Array;
  readonly #free: number[] = [];
  /** Chunks that may have an improving cut. */
  readonly #open: number[] = [];
  readonly #isOpen: Uint8Array;
  // Scratch memory for a walk through a tree.
  readonly #walk: Int32Array;
  readonly #from: Int32Array;
  readonly #by: Int32Array;
  readonly #sideFee: Float64Array;
  readonly #sideSize: Float64Array;
  #random = 0x9e3779b9;
  #cost = 0;

  /** @param order parents before children; the result is never worse */
  constructor(graph: ClusterGraph, order: ArrayLike<number>) {
    const { count, parents } = graph;
    this.#graph = graph;
    for (let node = 0; node < count; node++) {
      this.#up.push([]);
      this.#down.push([]);
      this.#members.push([]);
    }
    for (let node = 0; node < count; node++) {
      for (const parent of parents[node]) {
        const link = this.#above.push(parent) - 1;
        this.#below.push(node);
        this.#up[node].push(link);
        this.#down[parent].push(link);
      }
    }
    this.#chosen = new Uint8Array(this.#above.length);
    this.#chunkOf = new Int32Array(count);
    this.#fee = new Float64Array(count);
    this.#size = new Float64Array(count);
    this.#isOpen = new Uint8Array(count);
    this.#walk = new Int32Array(count);
    this.#from = new Int32Array(count);
    this.#by = new Int32Array(count);
    this.#sideFee = new Float64Array(count);
    this.#sideSize = new Float64Array(count);
    for (let i = 0; i < count; i++) this.#load(order[i]);
    for (let chunk = 0; chunk < count; chunk++) if (this.#members[chunk].length > 1) this.#reopen(chunk);
  }

  /** True if the order is optimal. */
  get optimal(): boolean {
    return this.#open.length === 0;
  }

  /** Continues the search. @param cost allowed node visits, about 10 ns each @returns node visits made */
  improve(cost: number): number {
    this.#cost = 0;
    while (this.#cost < cost) {
      const chunk = this.#open.pop();
      if (chunk === undefined) break;
      this.#isOpen[chunk] = 0;
      if (this.#members[chunk].length < 2) continue;
      const link = this.#bestCut(chunk);
      if (link >= 0) this.#cut(link);
    }
    return this.#cost;
  }

  /**
   * Returns the current order, parents before children. Ties are broken by the nodes' numbers. An optimal order depends
   * on the graph alone, not on the steps of the search.
   */
  order(): Int32Array {
    const { partOf, parts } = this.optimal ? this.#smallestParts() : { partOf: this.#chunkOf, parts: this.#graph.count };
    return canonicalOrder(this.#graph, partOf, parts);
  }

  /** Returns fees and sizes of the trees by falling rate. The order's chunks may be smaller. */
  chunks(): Chunk[] {
    const chunks: Chunk[] = [];
    this.#members.forEach(({ length }, chunk) => {
      if (length > 0) chunks.push({ fee: this.#fee[chunk], size: this.#size[chunk], count: length });
    });
    return chunks.sort((a, b) => compareFeeFractions(b.fee, b.size, a.fee, a.size));
  }

  /**
   * Cuts the trees into the smallest parts that pay the same rate. No fees flow over a dependency whose two sides pay
   * the same, so only other dependencies hold a part together. Parts that would form a cycle are merged.
   */
  #smallestParts(): { readonly partOf: Int32Array; readonly parts: number } {
    const { count, parents } = this.#graph;
    const next = Array.from({ length: count }, (_, node): number[] =>
      parents[node].filter((parent) => this.#chunkOf[parent] === this.#chunkOf[node]),
    );
    this.#members.forEach(([start], chunk) => {
      if (start === undefined) return;
      const walk = this.#weighedTree(start);
      for (let i = 1; i < walk.length; i++) {
        const node = walk[i];
        const link = this.#by[node];
        const alike = compareFeeFractions(this.#sideFee[node], this.#sideSize[node], this.#fee[chunk], this.#size[chunk]) === 0;
        if (!alike) next[this.#above[link]].push(this.#below[link]);
      }
    });
    return strongParts(next);
  }

  #compare(a: number, b: number): number {
    return compareFeeFractions(this.#fee[a], this.#size[a], this.#fee[b], this.#size[b]);
  }

  #load(node: number): void {
    this.#chunkOf[node] = node;
    this.#members[node].push(node);
    this.#fee[node] = this.#graph.fee[node];
    this.#size[node] = this.#graph.size[node];
    this.#growUp(node);
  }

  #reopen(chunk: number): void {
    if (this.#isOpen[chunk] !== 0) return;
    this.#isOpen[chunk] = 1;
    this.#open.push(chunk);
  }

  /** Merges a chunk with chunks on which it depends and that pay no more, the worst paying first. @returns the merged chunk */
  #growUp(start: number): number {
    return this.#grow(start, this.#up, this.#above, 1);
  }

  /** Merges a chunk with chunks that depend on it and pay no less, the best paying first. */
  #growDown(start: number): number {
    return this.#grow(start, this.#down, this.#below, -1);
  }

  /** @param sign 1 to merge chunks that pay no more, the worst paying first; -1 for the opposite */
  #grow(start: number, links: readonly (readonly number[])[], ends: readonly number[], sign: 1 | -1): number {
    let chunk = start;
    for (;;) {
      let best = -1;
      let bestChunk = -1;
      for (const node of this.#members[chunk]) {
        for (const link of links[node]) {
          const other = this.#chunkOf[ends[link]];
          this.#cost++;
          if (other === chunk || other === bestChunk || sign * this.#compare(other, chunk) > 0) continue;
          if (best >= 0 && sign * this.#compare(other, bestChunk) >= 0) continue;
          best = link;
          bestChunk = other;
        }
      }
      if (best < 0) return chunk;
      chunk = this.#join(best);
    }
  }

  /** Merges the two chunks at a dependency. @returns the merged chunk */
  #join(link: number): number {
    const a = this.#chunkOf[this.#above[link]];
    const b = this.#chunkOf[this.#below[link]];
    const [into, gone] = this.#members[a].length >= this.#members[b].length ? [a, b] : [b, a];
    this.#chosen[link] = 1;
    for (const node of this.#members[gone]) {
      this.#chunkOf[node] = into;
      this.#members[into].push(node);
    }
    this.#cost += this.#members[gone].length;
    this.#members[gone] = [];
    this.#free.push(gone);
    this.#fee[into] += this.#fee[gone];
    this.#size[into] += this.#size[gone];
    return into;
  }

  #cut(link: number): void {
    const above = this.#above[link];
    const below = this.#below[link];
    this.#chosen[link] = 0;
    const rest = this.#chunkOf[above];
    const fresh = this.#free.pop() as number;
    const { fee, size } = this.#graph;
    let sumFee = 0;
    let sumSize = 0;
    const moved = [...this.#tree(above)];
    for (const node of moved) {
      this.#chunkOf[node] = fresh;
      sumFee += fee[node];
      sumSize += size[node];
    }
    this.#members[fresh] = moved;
    this.#members[rest] = this.#members[rest].filter((node) => this.#chunkOf[node] === rest);
    this.#cost += this.#members[rest].length;
    this.#fee[fresh] = sumFee;
    this.#size[fresh] = sumSize;
    this.#fee[rest] -= sumFee;
    this.#size[rest] -= sumSize;
    this.#growUp(fresh);
    // The upper part may have been merged with the lower one again, by another dependency.
    this.#growDown(this.#chunkOf[below]);
    this.#reopen(this.#chunkOf[above]);
    this.#reopen(this.#chunkOf[below]);
  }

  /** Returns the nodes connected with start by chosen dependencies, each after the node from which it was reached. */
  #tree(start: number): Int32Array {
    const walk = this.#walk;
    walk[0] = start;
    this.#by[start] = -1;
    this.#from[start] = -1;
    let length = 1;
    for (let i = 0; i < length; i++) {
      const node = walk[i];
      for (const link of this.#up[node]) if (this.#reached(link, node, this.#above[link])) walk[length++] = this.#above[link];
      for (const link of this.#down[node]) if (this.#reached(link, node, this.#below[link])) walk[length++] = this.#below[link];
    }
    this.#cost += length;
    return walk.subarray(0, length);
  }

  #reached(link: number, node: number, next: number): boolean {
    if (this.#chosen[link] === 0 || this.#by[node] === link) return false;
    this.#by[next] = link;
    this.#from[next] = node;
    return true;
  }

  /** Returns the nodes of #tree, and computes the sums over each node and the nodes reached through it. */
  #weighedTree(start: number): Int32Array {
    const { fee, size } = this.#graph;
    const walk = this.#tree(start);
    for (const node of walk) {
      this.#sideFee[node] = fee[node];
      this.#sideSize[node] = size[node];
    }
    for (let i = walk.length - 1; i > 0; i--) {
      const node = walk[i];
      this.#sideFee[this.#from[node]] += this.#sideFee[node];
      this.#sideSize[this.#from[node]] += this.#sideSize[node];
    }
    return walk;
  }

  /** Returns the dependency at which to cut a chunk's tree; -1 if no cut improves it. */
  #bestCut(chunk: number): number {
    const walk = this.#weighedTree(this.#members[chunk][0]);
    const { length } = walk;
    const anyOne = this.#dice() % RANDOM_EVERY === 0;
    let best = -1;
    let bestGain = 0;
    for (let i = 1; i < length; i++) {
      const node = walk[i];
      const link = this.#by[node];
      const otherFee = this.#fee[chunk] - this.#sideFee[node];
      const otherSize = this.#size[chunk] - this.#sideSize[node];
      const order = compareFeeFractions(this.#sideFee[node], this.#sideSize[node], otherFee, otherSize);
      // A cut improves the order only if the parents' side pays more.
      if (this.#above[link] === node ? order <= 0 : order >= 0) continue;
      const gain = anyOne ? 1 + this.#dice() : Math.abs(this.#sideFee[node] * otherSize - otherFee * this.#sideSize[node]);
      if (best >= 0 && gain <= bestGain) continue;
      best = link;
      bestGain = gain;
    }
    return best;
  }

  /** Marsaglia's xorshift, 32 bits. The fixed seed gives the same order for the same cluster every time. */
  #dice(): number {
    let x = this.#random;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#random = x;
    return x >>> 0;
  }
}
