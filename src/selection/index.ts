// Face of this module.
export { type PackageRate, RESERVED_SIGOPS, type Selection, SelectionScratch, selectByAncestors } from './ancestor-selection.js';
export { selectBestBlock } from './best-block.js';
export type { Candidates } from './candidates.js';
export { selectByChunks } from './chunk-selection.js';
export { ancestorOrder, NodeHeap } from './cluster/ancestor-order.js';
export { type Chunk, chunksOf, compareDiagrams, rankedChunks } from './cluster/chunks.js';
export { type ClusterGraph, clusterGraph } from './cluster/cluster-graph.js';
export { adjustedWeightOf, ClusterIndex } from './cluster/cluster-index.js';
export { compareFeeFractions } from './cluster/fee-fraction.js';
export { SpanningForest } from './cluster/spanning-forest.js';
export { compareRank } from './ranking.js';
export { SortedSlots } from './sorted-slots.js';
