// Makes random sets of unconfirmed transactions as numbers, in shapes for which selections give different results. Used
// by the tests of the selection and by the bench of fees. The same seed gives the same set.
import { feeForSize } from '../../src/policy/fee-rate.js';
import type { SelectionLimits } from '../../src/selection/ancestor-selection.js';
import type { IndexedCandidates } from '../../src/selection/cluster/cluster-index.js';
import { compareRank } from '../../src/selection/ranking.js';
import { pseudoRandom } from './pseudo-random.js';

/** One transaction of a pool. */
export interface PoolTx {
  readonly fee: number;
  /** Delta of prioritisetransaction in satoshis. */
  readonly delta: number;
  readonly weight: number;
  readonly sigops: number;
  /** Positions of earlier transactions that this one spends. */
  readonly parents: readonly number[];
}

/** Shapes of sets. mixed: a random shape for each part. */
export const POOL_SHAPES = ['mixed', 'lone', 'children', 'diamonds', 'wide', 'chains', 'prioritised', 'sigops'] as const;
export type PoolShape = (typeof POOL_SHAPES)[number];

/** @param count approximate number of transactions */
export function randomPool(shape: PoolShape, count: number, seed: number): PoolTx[] {
  const roll = pseudoRandom(seed);
  const txs: PoolTx[] = [];
  const upTo = (most: number): number => Math.floor(roll() * most);
  const add = (rate: number, parents: readonly number[]): number => {
    const size = roll() < 0.1 ? 500 + upTo(8000) : 110 + upTo(400);
    const sigops = shape === 'sigops' ? upTo(600) : upTo(8);
    const delta = shape === 'prioritised' && roll() < 0.2 ? upTo(60_000) - 20_000 : 0;
    return txs.push({ fee: Math.round(rate * size), delta, weight: size * 4 - upTo(4), sigops, parents }) - 1;
  };
  const low = (): number => 1 + roll() * 3;
  const high = (): number => 10 + roll() * 90;
  const any = (): number => 1 + roll() ** 3 * 60;
  while (txs.length < count) {
    const kind = shape === 'mixed' ? POOL_SHAPES[1 + upTo(5)] : shape;
    if (kind === 'children') {
      // A parent with a low fee whose children together pay for it, but no child alone does.
      const parent = add(roll(), []);
      for (let i = 2 + upTo(6); i > 0; i--) add(any() + 8, [parent]);
      add(any(), []);
    } else if (kind === 'diamonds') {
      const top = add(low(), []);
      const sides = Array.from({ length: 2 + upTo(2) }, () => add(any() / 4, [top]));
      for (let i = 2 + upTo(2); i > 0; i--) add(high() / 2, sides);
      add(any(), []);
    } else if (kind === 'wide') {
      const tops = Array.from({ length: 2 + upTo(6) }, () => add(low(), []));
      for (let i = 4 + upTo(12); i > 0; i--) {
        add(
          any() + 5,
          tops.filter(() => roll() < 0.4),
        );
      }
    } else if (kind === 'chains') {
      let last = add(any(), []);
      for (let i = upTo(12); i > 0; i--) last = add(any(), [last]);
    } else add(any(), []);
  }
  return txs;
}

/** Returns the set as the columns that selections read. */
export function poolColumns(txs: readonly PoolTx[]): IndexedCandidates {
  const sizeOf = ({ weight, sigops }: PoolTx): number => Math.ceil(Math.max(weight, sigops * 20) / 4);
  const above: Set<number>[] = [];
  for (const { parents } of txs) {
    const set = new Set<number>(parents);
    for (const parent of parents) for (const ancestor of above[parent]) set.add(ancestor);
    above.push(set);
  }
  const sum = (i: number, of: (tx: PoolTx) => number): number => [...above[i]].reduce((total, k) => total + of(txs[k]), of(txs[i]));
  const children: number[][] = txs.map(() => []);
  txs.forEach(({ parents }, i) => {
    for (const parent of parents) children[parent].push(i);
  });
  const txids = new Uint8Array(32 * txs.length);
  for (let i = 0; i < txs.length; i++) new DataView(txids.buffer).setUint32(i * 32, Math.imul(i + 1, 2654435761));
  const column = (of: (tx: PoolTx, i: number) => number): Float64Array => Float64Array.from(txs, of);
  return {
    fee: column(({ fee }) => fee),
    modifiedFee: column(({ fee, delta }) => fee + delta),
    size: column(sizeOf),
    weight: column(({ weight }) => weight),
    sigops: column(({ sigops }) => sigops),
    ancestorCount: column((_, i) => above[i].size + 1),
    ancestorSize: column((_, i) => sum(i, sizeOf)),
    ancestorFees: column((_, i) => sum(i, ({ fee, delta }) => fee + delta)),
    ancestorSigops: column((_, i) => sum(i, ({ sigops }) => sigops)),
    lockTime: column(() => 0),
    hasWitness: new Uint8Array(txs.length),
    used: new Uint8Array(txs.length).fill(1),
    txids,
    parents: txs.map(({ parents }) => parents),
    children,
  };
}

/** Returns all slots in the order of the ancestor selection. */
export function poolRanking(c: IndexedCandidates): Int32Array {
  return Int32Array.from(c.fee.keys()).sort((a, b) => compareRank(c, a, b));
}

/** Returns the limits of a block of this weight. */
export function poolLimits(maxWeight: number, minFeeRate = 1000): SelectionLimits {
  const minFee = (size: number): number => feeForSize(minFeeRate, size);
  return { maxWeight, reservedWeight: 4000, minFee, minFeeRate, height: 100, lockTimeCutoff: 1_600_000_000, allowWitness: true };
}
