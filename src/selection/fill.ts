// Fills a block with chunks, best first, as long as they fit. If a chunk is too large, its cluster is split: from then
// on each of its transactions, with its missing ancestors, competes with later chunks, so that the end of the block is
// packed with the best that fits.
import {
  lowerRate,
  MAX_SIGOPS,
  mayEnter,
  mayEnterAlone,
  type PackageRate,
  RESERVED_SIGOPS,
  type Selection,
  type SelectionLimits,
  SelectionScratch,
} from './ancestor-selection.js';
import type { Candidates } from './candidates.js';
import { adjustedWeight, type ClusterIndex } from './cluster/cluster-index.js';
import { compareFeeFractions } from './cluster/fee-fraction.js';

/** Number of chunks that did not fit into a nearly full block after which filling ends. */
const MAX_MISSES = 400;
/** Free weight below which a chunk that does not fit counts as a miss: that of a few ordinary transactions. */
const NEARLY_FULL_WEIGHT = 8_000;
/** Limits of the number of split clusters, and of transactions considered in each. */
const PARTED_CLUSTERS = 400;
const PARTED_TRANSACTIONS = 64;

/** A transaction of a split cluster with its missing ancestors. */
interface Package {
  readonly slots: number[];
  readonly fee: number;
  readonly size: number;
  readonly weight: number;
  readonly sigops: number;
  /** First slot of the chunk that was too large. */
  readonly chunk: number;
}

/** Size of a chunk in a block. */
interface ChunkSums {
  vsize: number;
  weight: number;
  sigops: number;
}

/** Selects chunks by fee rate. */
export function fillByChunks(
  c: Candidates,
  index: ClusterIndex,
  limits: SelectionLimits,
  scratch: SelectionScratch = new SelectionScratch(),
): Selection {
  return new Filling(c, index, limits, scratch.prepare(c.fee.length)).run();
}

class Filling {
  readonly #c: Candidates;
  readonly #index: ClusterIndex;
  readonly #limits: SelectionLimits;
  readonly #taken: Uint8Array;
  /** By cluster: 1 if an earlier chunk of the cluster was left out. */
  readonly #closed: Uint8Array;
  readonly #slots: number[] = [];
  readonly #sums: ChunkSums = { vsize: 0, weight: 0, sigops: 0 };
  /** Packages of split clusters. */
  #packages: Package[] = [];
  #parted = 0;
  #fees = 0;
  #weight: number;
  #sigops = RESERVED_SIGOPS;
  #cut: PackageRate | null = null;

  constructor(c: Candidates, index: ClusterIndex, limits: SelectionLimits, { taken, closed }: SelectionScratch) {
    this.#c = c;
    this.#index = index;
    this.#limits = limits;
    this.#taken = taken;
    this.#closed = closed;
    this.#weight = limits.reservedWeight;
  }

  run(): Selection {
    this.#chunks();
    // Fills the remaining space.
    while (this.#takePackage(null));
    return { slots: new Int32Array(this.#slots), fees: this.#fees, weight: this.#weight, sigops: this.#sigops, cut: this.#cut };
  }

  #chunks(): void {
    const index = this.#index;
    let misses = 0;
    const { order } = index;
    for (let i = 0; i < order.length; i++) {
      const first = order[i];
      const cluster = index.clusterOf(first);
      if (this.#closed[cluster] !== 0) continue;
      while (this.#packages.length > 0 && this.#takePackage(first));
      const fee = index.chunkFee(first);
      const { vsize, weight, sigops } = this.#measure(first);
      const least = this.#limits.minFee(vsize);
      if (fee < least) {
        // Rounding changes the least fee by up to a satoshi, so filling ends only at a fee clearly below the least fee.
        if (fee * 2 < least && fee + 2 < least) return;
        this.#closed[cluster] = 1;
      } else if (!this.#fits(weight, sigops)) {
        this.#closed[cluster] = 1;
        if (this.#parted++ < PARTED_CLUSTERS) this.#part(first);
        if (this.#limits.maxWeight - this.#weight < NEARLY_FULL_WEIGHT && ++misses > MAX_MISSES) return;
      } else if (!this.#chunkMayEnter(first)) this.#closed[cluster] = 1;
      else {
        this.#cut = lowerRate(this.#cut, fee, index.chunkSize(first));
        for (let slot = first, left = index.chunkLength(first); left > 0; slot = index.next(slot), left--) this.#takeSlot(slot);
      }
    }
  }

  /** Returns the sums over a chunk, in a record that is reused, because thousands of chunks are measured per block. */
  #measure(first: number): Readonly<ChunkSums> {
    const { weight, sigops, size } = this.#c;
    const sums = this.#sums;
    sums.vsize = 0;
    sums.weight = 0;
    sums.sigops = 0;
    for (let slot = first, left = this.#index.chunkLength(first); left > 0; slot = this.#index.next(slot), left--) {
      sums.vsize += size[slot];
      sums.weight += weight[slot];
      sums.sigops += sigops[slot];
    }
    return sums;
  }

  #chunkMayEnter(first: number): boolean {
    for (let slot = first, left = this.#index.chunkLength(first); left > 0; slot = this.#index.next(slot), left--) {
      if (!mayEnterAlone(this.#c, slot, this.#limits)) return false;
    }
    return true;
  }

  #fits(weight: number, sigops: number): boolean {
    return this.#weight + weight <= this.#limits.maxWeight && this.#sigops + sigops <= (this.#limits.maxSigops ?? MAX_SIGOPS);
  }

  #takeSlot(slot: number): void {
    const { fee, weight, sigops } = this.#c;
    this.#taken[slot] = 1;
    this.#slots.push(slot);
    this.#fees += fee[slot];
    this.#weight += weight[slot];
    this.#sigops += sigops[slot];
  }

  /**
   * Adds the best package that fits, if it pays at least as much as the next chunk.
   * @returns false if there is none
   */
  #takePackage(next: number | null): boolean {
    let best: Package | null = null;
    const fitting: Package[] = [];
    for (const candidate of this.#packages) {
      // The free space only shrinks, so packages that do not fit are dropped.
      if (!this.#fits(candidate.weight, candidate.sigops)) continue;
      fitting.push(candidate);
      if (best === null || compareFeeFractions(candidate.fee, candidate.size, best.fee, best.size) > 0) best = candidate;
    }
    this.#packages = fitting;
    if (best === null) return false;
    if (next !== null && compareFeeFractions(best.fee, best.size, this.#index.chunkFee(next), this.#index.chunkSize(next)) < 0)
      return false;
    const { chunk, slots } = best;
    this.#cut = lowerRate(this.#cut, best.fee, best.size);
    for (const slot of slots) this.#takeSlot(slot);
    this.#packages = fitting.filter((candidate) => candidate.chunk !== chunk);
    this.#part(chunk);
    return true;
  }

  /**
   * Adds packages for the untaken transactions of a cluster from `first` on: each with its missing ancestors, if it
   * pays enough and fits.
   */
  #part(first: number): void {
    const { parents, modifiedFee, size, weight, sigops } = this.#c;
    let slot = first;
    for (let checked = 0; slot >= 0 && checked < PARTED_TRANSACTIONS; slot = this.#index.next(slot), checked++) {
      if (this.#taken[slot] !== 0) continue;
      const slots = [slot];
      const seen = new Set(slots);
      for (let i = 0; i < slots.length; i++) {
        for (const parent of parents[slots[i]]) {
          if (this.#taken[parent] !== 0 || seen.has(parent)) continue;
          seen.add(parent);
          slots.push(parent);
        }
      }
      const sums = { fee: 0, size: 0, weight: 0, sigops: 0 };
      let vsize = 0;
      for (const member of slots) {
        sums.fee += modifiedFee[member];
        vsize += size[member];
        sums.size += adjustedWeight(this.#c, member);
        sums.weight += weight[member];
        sums.sigops += sigops[member];
      }
      if (sums.fee <= 0 || sums.fee < this.#limits.minFee(vsize)) continue;
      if (!this.#fits(sums.weight, sums.sigops) || !mayEnter(this.#c, slots, this.#limits)) continue;
      this.#packages.push({ ...sums, slots: inOrder(slots, parents), chunk: first });
    }
  }
}

/** Returns the slots with parents before children. */
function inOrder(slots: readonly number[], parents: Candidates['parents']): number[] {
  if (slots.length === 1) return [...slots];
  const open = new Set(slots);
  const order: number[] = [];
  const visit = (slot: number): void => {
    if (!open.delete(slot)) return;
    for (const parent of parents[slot]) visit(parent);
    order.push(slot);
  };
  for (const slot of slots) visit(slot);
  return order;
}
