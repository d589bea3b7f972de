// A cluster, that is transactions connected by spending, as numbers of its own: nodes 0 to count - 1. What the files of
// this folder work on; made by cluster-index.ts from the columns of the whole pool. Where the order of nodes that pay
// alike matters they are numbered by txid, internal order, as Core's master breaks ties.

export interface ClusterGraph {
  readonly count: number;
  /** Modified fees in satoshis. */
  readonly fee: Float64Array;
  /** Sigop-adjusted weight. */
  readonly size: Float64Array;
  /** Direct relatives of each node. */
  readonly parents: readonly (readonly number[])[];
  readonly children: readonly (readonly number[])[];
}

/** Builds a graph. @param parents of each node */
export function clusterGraph(fee: ArrayLike<number>, size: ArrayLike<number>, parents: readonly (readonly number[])[]): ClusterGraph {
  const children: number[][] = parents.map(() => []);
  parents.forEach((list, node) => {
    for (const parent of list) children[parent].push(node);
  });
  return { count: parents.length, fee: Float64Array.from(fee), size: Float64Array.from(size), parents, children };
}
