// A cluster: transactions that are connected by spending, as nodes 0 to count - 1. cluster-index.ts makes it from the
// columns of the whole mempool. Nodes are numbered by txid (internal order) where ties matter, because Core's master
// breaks them so.

export interface ClusterGraph {
  readonly count: number;
  /** Modified fees in satoshis. */
  readonly fee: Float64Array;
  /** Sigop-adjusted weight. */
  readonly size: Float64Array;
  /** Parents and children of each node. */
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
