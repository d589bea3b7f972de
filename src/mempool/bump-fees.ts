// Computes bump fees: the fees that unconfirmed transactions lack to be mined at a target fee rate. A transaction that
// spends their outputs must pay this amount in addition to its own fee, or it cannot be mined at the target rate. The
// computation simulates a block: it takes ancestor sets in order of fee rate until the next one pays less than the
// target. The transactions that were not taken lack the difference. Source: Core's MiniMiner (node/mini_miner.cpp).
import { feeForSize } from '../policy/fee-rate.js';
import { connected } from './feerate-diagram.js';
import { collectAncestors, collectDescendants } from './relatives.js';
import { NO_ROW } from './rows.js';
import type { TxPool } from './tx-pool.js';

/** Largest total number of transactions in the clusters. If there are more, bumpFeesOf returns null. */
const MOST_TRANSACTIONS = 500;

/** Complete clusters of unconfirmed transactions, one array per figure. */
export interface PoolGraph {
  /** Modified fees in satoshis. */
  readonly fees: Float64Array;
  /** Sigop-adjusted virtual sizes in bytes. */
  readonly sizes: Float64Array;
  /** Ancestors of each transaction within the graph, including itself. */
  readonly ancestors: readonly (readonly number[])[];
}

export class BumpFees {
  readonly #graph: PoolGraph;
  readonly #feeRate: number;
  /** 1 for transactions that a block at the target rate includes. */
  readonly #mined: Uint8Array;

  /** @param feeRate satoshis per 1,000 virtual bytes */
  constructor(graph: PoolGraph, feeRate: number) {
    this.#graph = graph;
    this.#feeRate = feeRate;
    this.#mined = new Uint8Array(graph.fees.length);
    this.#mine();
  }

  /** Returns the bump fee of one transaction and its ancestors in satoshis; 0: nothing is lacking. */
  of(tx: number): number {
    if (this.#mined[tx] === 1) return 0;
    return Math.max(this.ofAll([tx]), this.#lack([tx]));
  }

  /**
   * Returns the bump fee of a transaction that spends outputs of all these transactions. Shared ancestors count once. A
   * transaction that pays more than the target rate reduces the sum for the others.
   */
  ofAll(txs: readonly number[]): number {
    const waiting = txs.flatMap((tx) => this.#graph.ancestors[tx]).filter((tx) => this.#mined[tx] === 0);
    const mined = txs.every((tx) => this.#mined[tx] === 1);
    return mined ? 0 : this.#lack([...new Set(waiting)]);
  }

  #lack(set: readonly number[]): number {
    const { fees, sizes } = this.#graph;
    const fee = set.reduce((sum, tx) => sum + fees[tx], 0);
    const size = set.reduce((sum, tx) => sum + sizes[tx], 0);
    return feeForSize(this.#feeRate, size, true) - fee;
  }

  #mine(): void {
    const { fees, sizes, ancestors } = this.#graph;
    const count = fees.length;
    /** Fee and size of each transaction with its ancestors that are not mined yet. */
    const setFees = new Float64Array(count);
    const setSizes = new Float64Array(count);
    const descendants: number[][] = Array.from({ length: count }, () => []);
    for (let tx = 0; tx < count; tx++) {
      for (const ancestor of ancestors[tx]) {
        setFees[tx] += fees[ancestor];
        setSizes[tx] += sizes[ancestor];
        descendants[ancestor].push(tx);
      }
    }
    for (;;) {
      let best = -1;
      let [bestFee, bestSize] = [0, 0];
      for (let tx = 0; tx < count; tx++) {
        if (this.#mined[tx] === 1) continue;
        // Use the transaction's own rate if it is lower than the rate of its ancestor set: ancestors that pay more are
        // mined without it.
        const alone = fees[tx] * setSizes[tx] < setFees[tx] * sizes[tx];
        const fee = alone ? fees[tx] : setFees[tx];
        const size = alone ? sizes[tx] : setSizes[tx];
        const better = fee * bestSize - bestFee * size;
        if (best >= 0 && (better < 0 || (better === 0 && size >= bestSize))) continue;
        [best, bestFee, bestSize] = [tx, fee, size];
      }
      if (best < 0 || setFees[best] < feeForSize(this.#feeRate, setSizes[best], true)) return;
      for (const tx of ancestors[best]) {
        if (this.#mined[tx] === 1) continue;
        this.#mined[tx] = 1;
        for (const descendant of descendants[tx]) {
          setFees[descendant] -= fees[tx];
          setSizes[descendant] -= sizes[tx];
        }
      }
    }
  }
}

/**
 * Computes the bump fees of outputs of mempool transactions, for each outpoint and for all together. An outpoint of a
 * transaction outside the mempool has a bump fee of 0. Mempool transactions that spend one of these outpoints, and
 * their descendants, count as replaced.
 * @param outpoints 36 bytes each
 * @param feeRate satoshis per 1,000 virtual bytes
 * @returns null if the clusters have too many transactions
 */
export function bumpFeesOf(
  pool: TxPool,
  outpoints: readonly Uint8Array[],
  feeRate: number,
): { readonly each: number[]; readonly together: number } | null {
  const { rows, links } = pool;
  const replaced = new Set<number>();
  const seen = new Set<number>();
  const wanted = outpoints.map((outpoint) => {
    const row = pool.records.find(outpoint);
    if (row === NO_ROW) return row;
    const spender = pool.records.spender(outpoint);
    if (spender !== NO_ROW) collectDescendants(links, spender, replaced);
    if (!seen.has(row)) for (const member of connected(pool, row, () => true)) seen.add(member);
    return row;
  });
  if (seen.size > MOST_TRANSACTIONS) return null;
  const members = [...seen].filter((row) => !replaced.has(row));
  const node = new Map(members.map((row, i) => [row, i]));
  const nodesOf = (list: Iterable<number>): number[] => Array.from(list).flatMap((row) => node.get(row) ?? []);
  const graph = {
    fees: Float64Array.from(members, (row) => rows.modifiedFee[row]),
    sizes: Float64Array.from(members, (row) => rows.size[row]),
    ancestors: members.map((row) => nodesOf([row, ...collectAncestors(links, row)])),
  };
  const bump = new BumpFees(graph, feeRate);
  return { each: wanted.map((row) => nodesOf([row]).reduce((_, at) => bump.of(at), 0)), together: bump.ofAll(nodesOf(new Set(wanted))) };
}
