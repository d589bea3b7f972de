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

/**
 * Compares two chunkings by falling rates, a against b. Beyond its end a diagram goes on flat, and chunks that pay less
 * than nothing make it turn up there: so each corner of either is held against the other's line.
 */
export function compareDiagrams(a: readonly Chunk[], b: readonly Chunk[]): DiagramOrder {
  const ofA = corners(a, b);
  const ofB = corners(b, a);
  const better = ofA.above || ofB.below;
  const worse = ofA.below || ofB.above;
  return better ? (worse ? 'mixed' : 'better') : worse ? 'worse' : 'equal';
}

/** Whether a corner of a lies above b's line, and whether one lies below. */
function corners(a: readonly Chunk[], b: readonly Chunk[]): { readonly above: boolean; readonly below: boolean } {
  let [above, below] = [false, false];
  let [size, fee, sizeB, feeB] = [0, 0, 0, 0];
  let at = 0;
  for (const chunk of a) {
    size += chunk.size;
    fee += chunk.fee;
    while (at < b.length && sizeB + b[at].size < size) {
      sizeB += b[at].size;
      feeB += b[at].fee;
      at++;
    }
    // Against the line of b's chunk that spans it: rise over run.
    const order = at === b.length ? fee - feeB : compareFeeFractions(fee - feeB, size - sizeB, b[at].fee, b[at].size);
    if (order > 0) above = true;
    else if (order < 0) below = true;
  }
  return { above, below };
}
