// All clusters of the mempool, each in its best known order, and all their chunks ranked by fee rate. Updated change by
// change: a change costs work on its clusters and one pass over the ranking.
//
// A chunk is identified by the slot of its first transaction, a cluster by the slot of its first. The transactions of a
// cluster are linked by `next`, chunk after chunk.
import { type Candidates, compareTxids } from '../candidates.js';
import { SortedSlots } from '../sorted-slots.js';
import { ancestorOrder } from './ancestor-order.js';
import { rankedChunks } from './chunks.js';
import { type ClusterGraph, clusterGraph } from './cluster-graph.js';
import { compareFeeFractions } from './fee-fraction.js';
import { SpanningForest } from './spanning-forest.js';

/**
 * Limit of node visits for one cluster at once, about a millisecond. Ordinary clusters of up to 64 transactions are
 * optimal well before.
 */
const CLUSTER_COST = 100_000;
/** Limit of node visits for all clusters of one update. The rest is improved when the assembler is idle. */
const UPDATE_COST = 4_000_000;

export interface IndexedCandidates extends Candidates {
  readonly used: Uint8Array;
}

/** A cluster whose order may still be improved. */
interface Unfinished {
  readonly slots: readonly number[];
  readonly graph: ClusterGraph;
  readonly forest: SpanningForest;
}

/** Returns the sigop-adjusted weight, the unit in which chunks are rated. */
export function adjustedWeight(c: Candidates, slot: number): number {
  return adjustedWeightOf(c.size[slot], c.weight[slot]);
}

/** Returns the sigop-adjusted weight for given figures. @param size sigop-adjusted virtual bytes */
export function adjustedWeightOf(size: number, weight: number): number {
  const bySize = size * 4;
  // Rounding up to virtual bytes adds at most three. A larger difference comes from signature operations.
  return bySize - weight > 3 ? bySize : weight;
}

export class ClusterIndex {
  #capacity = 0;
  /** Arrays by slot; -1 for slots without a cluster. */
  #clusterOf: Int32Array = new Int32Array(0);
  #next: Int32Array = new Int32Array(0);
  /** Arrays by first slot of a chunk; length 0 for other slots. */
  #length: Int32Array = new Int32Array(0);
  /** Weight of the chunk and of the chunks with the same rate before it in its cluster. */
  #alike: Float64Array = new Float64Array(0);
  /** Slot with the highest txid of the chunk. */
  #last: Int32Array = new Int32Array(0);
  #fee: Float64Array = new Float64Array(0);
  #size: Float64Array = new Float64Array(0);
  /** Fee rate of the chunk as a rounded double. If two of these doubles differ, the exact rates differ in the same direction. */
  #rate: Float64Array = new Float64Array(0);
  /** 1 for slots whose position in the order is no longer valid. All zero between changes. */
  #stale: Uint8Array = new Uint8Array(0);
  readonly #order = new SortedSlots();
  #local: Int32Array = new Int32Array(0);
  readonly #unfinished = new Map<number, Unfinished>();

  /** First slots of all chunks, best first. Chunks of a cluster keep the cluster's order. */
  get order(): Int32Array {
    return this.#order.list;
  }
  /** Number of clusters that can still be improved. */
  get unfinished(): number {
    return this.#unfinished.size;
  }
  clusterOf(slot: number): number {
    return this.#clusterOf[slot];
  }
  /** Returns the modified fees of a chunk. */
  chunkFee(first: number): number {
    return this.#fee[first];
  }
  /** Returns the sigop-adjusted weight of a chunk. */
  chunkSize(first: number): number {
    return this.#size[first];
  }
  chunkLength(first: number): number {
    return this.#length[first];
  }
  /** Returns the transaction after this one in the order of its cluster; -1 after the last. */
  next(slot: number): number {
    return this.#next[slot];
  }

  /**
   * Updates the clusters after the candidates have changed.
   * @param removed slots whose transactions left
   * @param changed slots with new or changed transactions
   */
  update(c: IndexedCandidates, removed: Int32Array, changed: Int32Array): void {
    this.#grow(c.fee.length);
    const stale = this.#stale;
    const loose: number[] = [];
    for (const slot of removed) this.#dissolve(slot, stale, loose);
    for (const slot of changed) {
      if (this.#clusterOf[slot] >= 0) this.#dissolve(slot, stale, loose);
      else loose.push(slot);
    }
    const fresh: number[] = [];
    let budget = UPDATE_COST;
    for (let i = 0; i < loose.length; i++) {
      const slot = loose[i];
      if (c.used[slot] === 0 || this.#clusterOf[slot] >= 0) continue;
      const members = this.#component(c, slot, stale, loose);
      budget -= this.#place(c, members, Math.max(0, Math.min(budget, CLUSTER_COST)), fresh);
    }
    this.#rank(c, stale, fresh);
  }

  /**
   * Improves clusters that are not optimal.
   * @param enough checked between steps of about 100 microseconds; true ends the work
   * @returns true if the order changed
   */
  improve(c: IndexedCandidates, enough: () => boolean): boolean {
    if (this.#unfinished.size === 0) return false;
    const stale = this.#stale;
    const fresh: number[] = [];
    for (const [cluster, work] of this.#unfinished) {
      while (!work.forest.optimal && !enough()) work.forest.improve(10_000);
      this.#unfinished.delete(cluster);
      this.#dissolve(cluster, stale, []);
      this.#write(work.slots, work.graph, work.forest.order(), fresh);
      if (!work.forest.optimal) this.#unfinished.set(this.#clusterOf[work.slots[0]], work);
      if (enough()) break;
    }
    this.#rank(c, stale, fresh);
    return true;
  }

  #dissolve(slot: number, stale: Uint8Array, loose: number[]): void {
    const cluster = this.#clusterOf[slot];
    if (cluster < 0) return;
    this.#unfinished.delete(cluster);
    for (let at = cluster; at >= 0; at = this.#next[at]) {
      this.#clusterOf[at] = -1;
      if (this.#length[at] > 0) stale[at] = 1;
      this.#length[at] = 0;
      loose.push(at);
    }
  }

  /** Returns all slots connected with a slot. Dissolves the clusters to which they belonged. */
  #component(c: IndexedCandidates, start: number, stale: Uint8Array, loose: number[]): number[] {
    const members = [start];
    const local = this.#local;
    local[start] = 0;
    for (let i = 0; i < members.length; i++) {
      for (const links of [c.parents[members[i]], c.children[members[i]]]) {
        for (const slot of links) {
          if (local[slot] >= 0) continue;
          this.#dissolve(slot, stale, loose);
          local[slot] = members.push(slot) - 1;
        }
      }
    }
    return members;
  }

  /** Orders a cluster. @returns the cost in node visits */
  #place(c: IndexedCandidates, slots: number[], cost: number, fresh: number[]): number {
    const local = this.#local;
    if (slots.length === 1) {
      local[slots[0]] = -1;
      this.#writeOne(c, slots[0], fresh);
      return 1;
    }
    slots.sort((a, b) => compareTxids(c.txids, a, b));
    slots.forEach((slot, node) => {
      local[slot] = node;
    });
    const graph = clusterGraph(
      slots.map((slot) => c.modifiedFee[slot]),
      slots.map((slot) => adjustedWeight(c, slot)),
      slots.map((slot) => c.parents[slot].map((parent) => local[parent])),
    );
    for (const slot of slots) local[slot] = -1;
    if (slots.length === 2) {
      this.#write(slots, graph, graph.parents[0].length === 0 ? [0, 1] : [1, 0], fresh);
      return 2;
    }
    const forest = new SpanningForest(graph, ancestorOrder(graph));
    const spent = forest.improve(cost);
    this.#write(slots, graph, forest.order(), fresh);
    if (!forest.optimal) this.#unfinished.set(this.#clusterOf[slots[0]], { slots, graph, forest });
    return spent + slots.length;
  }

  #writeOne(c: Candidates, slot: number, fresh: number[]): void {
    this.#clusterOf[slot] = slot;
    this.#next[slot] = -1;
    this.#length[slot] = 1;
    this.#fee[slot] = c.modifiedFee[slot];
    this.#size[slot] = adjustedWeight(c, slot);
    this.#rate[slot] = this.#fee[slot] / this.#size[slot];
    this.#alike[slot] = this.#size[slot];
    this.#last[slot] = slot;
    fresh.push(slot);
  }

  #write(slots: readonly number[], graph: ClusterGraph, order: ArrayLike<number>, fresh: number[]): void {
    const cluster = slots[order[0]];
    for (let i = 0; i < order.length; i++) {
      const slot = slots[order[i]];
      this.#clusterOf[slot] = cluster;
      this.#length[slot] = 0;
      this.#next[slot] = i + 1 < order.length ? slots[order[i + 1]] : -1;
    }
    for (const { fee, size, count, start, alike, last } of rankedChunks(graph, order)) {
      const first = slots[order[start]];
      this.#length[first] = count;
      this.#alike[first] = alike;
      this.#last[first] = slots[last];
      this.#fee[first] = fee;
      this.#size[first] = size;
      this.#rate[first] = fee / size;
      fresh.push(first);
    }
  }

  #compare(c: Candidates, a: number, b: number): number {
    if (this.#rate[a] !== this.#rate[b]) return this.#rate[b] - this.#rate[a];
    const exact = compareFeeFractions(this.#fee[b], this.#size[b], this.#fee[a], this.#size[a]);
    if (exact !== 0) return exact;
    return this.#alike[a] - this.#alike[b] || compareTxids(c.txids, this.#last[a], this.#last[b]);
  }

  #rank(c: Candidates, stale: Uint8Array, fresh: readonly number[]): void {
    // A chunk that was rewritten with the same first slot is both fresh, and stale at its old position.
    this.#order.update(stale, Int32Array.from(fresh), (a, b) => this.#compare(c, a, b));
    stale.fill(0);
  }

  #grow(capacity: number): void {
    if (capacity <= this.#capacity) return;
    const wider = (from: Int32Array, empty: number): Int32Array => {
      const array = new Int32Array(capacity).fill(empty);
      array.set(from);
      return array;
    };
    const widerFloat = (from: Float64Array): Float64Array => {
      const array = new Float64Array(capacity);
      array.set(from);
      return array;
    };
    this.#capacity = capacity;
    this.#stale = new Uint8Array(capacity);
    this.#clusterOf = wider(this.#clusterOf, -1);
    this.#next = wider(this.#next, -1);
    this.#length = wider(this.#length, 0);
    this.#last = wider(this.#last, 0);
    this.#alike = widerFloat(this.#alike);
    this.#local = wider(this.#local, -1);
    this.#fee = widerFloat(this.#fee);
    this.#size = widerFloat(this.#size);
    this.#rate = widerFloat(this.#rate);
  }
}
