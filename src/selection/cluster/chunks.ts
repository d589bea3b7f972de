// Chunks of an order, and the comparison of two orders of one cluster by their fee-rate diagrams: the fees collected
// against the size spent, chunk after chunk, straight lines between. An order is as good as another where its diagram
// is nowhere below.
import type { ClusterGraph } from './cluster-graph.js';
import { compareFeeFractions } from './fee-fraction.js';

/** A stretch of an order that is taken together. */
export interface Chunk {
  readonly fee: number;
  readonly size: number;
  /** Nodes in it. */
  readonly count: number;
}

/**
 * Cuts an order into chunks of falling rates: a later one that pays more joins the one before. Equal rates stay apart.
 */
export function chunksOf({ fee, size }: ClusterGraph, order: ArrayLike<number>): Chunk[] {
  const chunks: Chunk[] = [];
  for (let i = 0; i < order.length; i++) {
    let last: Chunk = { fee: fee[order[i]], size: size[order[i]], count: 1 };
    for (let before = chunks.at(-1); before !== undefined; before = chunks.at(-1)) {
      if (compareFeeFractions(last.fee, last.size, before.fee, before.size) <= 0) break;
      chunks.pop();
      last = { fee: before.fee + last.fee, size: before.size + last.size, count: before.count + last.count };
    }
    chunks.push(last);
  }
  return chunks;
}

/** A chunk of a cluster with what decides between it and one of another cluster that pays alike (Core's master). */
export interface RankedChunk extends Chunk {
  /** Its place in the order. */
  readonly start: number;
  /** Its size and that of the chunks before it that pay alike: the smaller goes first. */
  readonly alike: number;
  /** Its highest node, which is that with the highest txid: the lower goes first. */
  readonly last: number;
}

/** The chunks of an order of a graph whose nodes are numbered by txid. */
export function rankedChunks(graph: ClusterGraph, order: ArrayLike<number>): RankedChunk[] {
  let start = 0;
  let before: RankedChunk | undefined;
  return chunksOf(graph, order).map((chunk) => {
    let last = order[start];
    for (let i = start + 1; i < start + chunk.count; i++) last = Math.max(last, order[i]);
    const same = before !== undefined && compareFeeFractions(before.fee, before.size, chunk.fee, chunk.size) === 0;
    const ranked = { ...chunk, start, alike: chunk.size + (same ? (before as RankedChunk).alike : 0), last };
    start += chunk.count;
    before = ranked;
    return ranked;
  });
}

/** What one diagram is to another. */
export type DiagramOrder = 'equal' | 'better' | 'worse' | 'mixed';

/** Compares two chunkings of the same cluster: a against b. */
export function compareDiagrams(a: readonly Chunk[], b: readonly Chunk[]): DiagramOrder {
  const above = somewhereAbove(a, b);
  const below = somewhereAbove(b, a);
  return above ? (below ? 'mixed' : 'better') : below ? 'worse' : 'equal';
}

/** Whether a corner of a lies above b's line; two such lines that fall off only differ if one's corner sticks out. */
function somewhereAbove(a: readonly Chunk[], b: readonly Chunk[]): boolean {
  let size = 0;
  let fee = 0;
  let at = 0;
  let sizeB = 0;
  let feeB = 0;
  for (const chunk of a) {
    size += chunk.size;
    fee += chunk.fee;
    while (at < b.length && sizeB + b[at].size < size) {
      sizeB += b[at].size;
      feeB += b[at].fee;
      at++;
    }
    if (at === b.length) return fee > feeB;
    // The corner against the line of b's chunk that spans it: rise over run.
    const run = size - sizeB;
    if (run > 0 ? compareFeeFractions(fee - feeB, run, b[at].fee, b[at].size) > 0 : fee > feeB) return true;
  }
  return false;
}
