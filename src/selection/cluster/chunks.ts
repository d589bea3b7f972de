// Chunks of an order, and the comparison of two orders of a cluster by their fee-rate diagrams: collected fees over
// used size, chunk after chunk, with straight lines between. An order is at least as good as another if its diagram is
// nowhere below.
import type { ClusterGraph } from './cluster-graph.js';
import { compareFeeFractions } from './fee-fraction.js';

/** Consecutive transactions of an order that are selected together. */
export interface Chunk {
  readonly fee: number;
  readonly size: number;
  readonly count: number;
}

/**
 * Cuts an order into chunks of falling fee rates. A later chunk that pays more is merged with the one before. Equal
 * rates stay separate.
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

/** A chunk of a cluster, with figures that decide against a chunk of another cluster with the same rate, as in Core's master. */
export interface RankedChunk extends Chunk {
  /** Position of the chunk's first node in the order. */
  readonly start: number;
  /** Size of this chunk and of all chunks with the same rate before it in its cluster: the smaller sum goes first. */
  readonly alike: number;
  /** The chunk's highest node, which has its highest txid. The chunk whose highest txid is lower goes first. */
  readonly last: number;
}

/** Returns the chunks of an order. The graph's nodes are numbered by txid. */
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

/** Result of a comparison of diagrams. */
export type DiagramOrder = 'equal' | 'better' | 'worse' | 'mixed';

/**
 * Compares two lists of chunks with falling rates. A diagram continues horizontally after its end. With negative fees
 * the other one may lie below that line, so every corner of either diagram is compared with the other's line.
 */
export function compareDiagrams(a: readonly Chunk[], b: readonly Chunk[]): DiagramOrder {
  const ofA = corners(a, b);
  const ofB = corners(b, a);
  const better = ofA.above || ofB.below;
  const worse = ofA.below || ofB.above;
  return better ? (worse ? 'mixed' : 'better') : worse ? 'worse' : 'equal';
}

/** Returns whether a corner of a is above b's line, and whether one is below. */
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
    // Compares with the line of the chunk of b that spans this size: rise over run.
    const order = at === b.length ? fee - feeB : compareFeeFractions(fee - feeB, size - sizeB, b[at].fee, b[at].size);
    if (order > 0) above = true;
    else if (order < 0) below = true;
  }
  return { above, below };
}
