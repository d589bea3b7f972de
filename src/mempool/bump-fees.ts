// What unconfirmed transactions lack to be mined at a fee rate: a transaction that spends their outputs pays that much
// more, or waits for them. A block is filled with ancestor sets in the order of their rates until the next one pays
// less than the target; what is left over lacks the rest. Core's MiniMiner (node/mini_miner.cpp).
import { feeForSize } from '../policy/fee-rate.js';
import { connected } from './feerate-diagram.js';
import { collectAncestors, collectDescendants } from './relatives.js';
import { NO_ROW } from './rows.js';
import type { TxPool } from './tx-pool.js';

/** Clusters of more transactions together are not looked at. */
const MOST_TRANSACTIONS = 500;

/** Whole clusters of unconfirmed transactions, by column. */
export interface PoolGraph {
  /** Modified fees, satoshis. */
  readonly fees: Float64Array;
  /** Virtual bytes, sigops counted. */
  readonly sizes: Float64Array;
  /** Ancestors of each within the graph, itself among them. */
  readonly ancestors: readonly (readonly number[])[];
}

export class BumpFees {
  readonly #graph: PoolGraph;
  readonly #feeRate: number;
  /** 1: a block at the target rate takes it. */
  readonly #mined: Uint8Array;

  /** @param feeRate satoshis per 1,000 virtual bytes */
  constructor(graph: PoolGraph, feeRate: number) {
    this.#graph = graph;
    this.#feeRate = feeRate;
    this.#mined = new Uint8Array(graph.fees.length);
    this.#mine();
  }

  /** What a spender of a transaction pays for it and its ancestors. Satoshis; 0: nothing is lacking. */
  of(tx: number): number {
    if (this.#mined[tx] === 1) return 0;
    return Math.max(this.ofAll([tx]), this.#lack([tx]));
  }

  /** What a spender of several pays: ancestors that they share count once, and what one pays too much helps the others. */
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
    /** Fee and size of each with those ancestors that are not mined yet. */
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
        // Its own rate counts where that is lower: better ancestors are taken by themselves first.
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
 * Bump fees of outputs of the pool's transactions, by outpoint and for all of them together; those of other
 * transactions lack nothing. What spends such an output now, and everything after it, is taken for replaced.
 * @param outpoints 36 bytes each @param feeRate satoshis per 1,000 virtual bytes
 * @returns null when too many transactions depend on each other
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
    const row = pool.find(outpoint);
    if (row === NO_ROW) return row;
    const spender = pool.spender(outpoint);
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
