// Fills a block with chunks, best first, as long as they fit. A chunk that is too large falls apart: from then on each of its cluster's
// transactions with what it needs competes with the chunks that follow, so that the end of the block is packed with the best that fits. Called by best-block.ts with the mirror's numbers.
import { MAX_SIGOPS, mayEnter, RESERVED_SIGOPS, type Selection, type SelectionLimits } from './ancestor-selection.js';
import type { Candidates } from './candidates.js';
import { adjustedWeight, type ClusterIndex } from './cluster/cluster-index.js';
import { compareFeeFractions } from './cluster/fee-fraction.js';

/** Chunks that didn't fit, in a nearly full block, after which the rest of the set is left alone. */
const MAX_MISSES = 400;
/** Room below which a miss counts: a few ordinary transactions. */
const NEARLY_FULL_WEIGHT = 8_000;
/** Clusters that fall apart, and transactions looked at in each. */
const PARTED_CLUSTERS = 400;
const PARTED_TRANSACTIONS = 64;

/** A transaction with what it needs of a cluster that fell apart. */
interface Package {
  readonly slots: number[];
  readonly fee: number;
  readonly size: number;
  readonly weight: number;
  readonly sigops: number;
  /** First slot of the chunk that was too large. */
  readonly chunk: number;
}

/** Takes chunks by fee rate. */
export function fillByChunks(c: Candidates, index: ClusterIndex, limits: SelectionLimits): Selection {
  return new Filling(c, index, limits).run();
}

class Filling {
  readonly #c: Candidates;
  readonly #index: ClusterIndex;
  readonly #limits: SelectionLimits;
  readonly #taken: Uint8Array;
  /** By cluster: it waits for a chunk that was left out. */
  readonly #closed: Uint8Array;
  readonly #slots: number[] = [];
  /** Of clusters that fell apart. */
  #packages: Package[] = [];
  #parted = 0;
  #fees = 0;
  #weight: number;
  #sigops = RESERVED_SIGOPS;

  constructor(c: Candidates, index: ClusterIndex, limits: SelectionLimits) {
    this.#c = c;
    this.#index = index;
    this.#limits = limits;
    this.#taken = new Uint8Array(c.fee.length);
    this.#closed = new Uint8Array(c.fee.length);
    this.#weight = limits.reservedWeight;
  }

  run(): Selection {
    this.#chunks();
    // What is left of the room.
    while (this.#takePackage(null));
    return { slots: Int32Array.from(this.#slots), fees: this.#fees, weight: this.#weight, sigops: this.#sigops };
  }

  #chunks(): void {
    const index = this.#index;
    let misses = 0;
    for (const first of index.order) {
      const cluster = index.clusterOf(first);
      if (this.#closed[cluster] !== 0) continue;
      while (this.#takePackage(first));
      const chunk = this.#chunk(first);
      const least = this.#limits.minFee(chunk.vsize);
      if (chunk.fee < least) {
        // Rounding makes the least fee jump by a satoshi: only well below it nothing more can pass.
        if (chunk.fee * 2 < least && chunk.fee + 2 < least) return;
        this.#closed[cluster] = 1;
      } else if (!this.#fits(chunk.weight, chunk.sigops)) {
        this.#closed[cluster] = 1;
        if (this.#parted++ < PARTED_CLUSTERS) this.#part(first);
        if (this.#limits.maxWeight - this.#weight < NEARLY_FULL_WEIGHT && ++misses > MAX_MISSES) return;
      } else if (!mayEnter(this.#c, chunk.slots, this.#limits)) this.#closed[cluster] = 1;
      else this.#take(chunk.slots);
    }
  }

  #chunk(first: number): { slots: number[]; fee: number; vsize: number; weight: number; sigops: number } {
    const { weight, sigops, size } = this.#c;
    const slots: number[] = [];
    const sums = { slots, fee: this.#index.chunkFee(first), vsize: 0, weight: 0, sigops: 0 };
    for (let slot = first, left = this.#index.chunkLength(first); left > 0; slot = this.#index.next(slot), left--) {
      slots.push(slot);
      sums.vsize += size[slot];
      sums.weight += weight[slot];
      sums.sigops += sigops[slot];
    }
    return sums;
  }

  #fits(weight: number, sigops: number): boolean {
    return this.#weight + weight <= this.#limits.maxWeight && this.#sigops + sigops <= MAX_SIGOPS;
  }

  #take(slots: readonly number[]): void {
    const { fee, weight, sigops } = this.#c;
    for (const slot of slots) {
      this.#taken[slot] = 1;
      this.#slots.push(slot);
      this.#fees += fee[slot];
      this.#weight += weight[slot];
      this.#sigops += sigops[slot];
    }
  }

  /** Takes the best package that fits, if it pays at least as much as the chunk that comes next. @returns whether there was one */
  #takePackage(next: number | null): boolean {
    if (this.#packages.length === 0) return false;
    let best: Package | null = null;
    const fitting: Package[] = [];
    for (const candidate of this.#packages) {
      // The room only gets smaller.
      if (!this.#fits(candidate.weight, candidate.sigops)) continue;
      fitting.push(candidate);
      if (best === null || compareFeeFractions(candidate.fee, candidate.size, best.fee, best.size) > 0) best = candidate;
    }
    this.#packages = fitting;
    if (best === null) return false;
    if (next !== null && compareFeeFractions(best.fee, best.size, this.#index.chunkFee(next), this.#index.chunkSize(next)) < 0)
      return false;
    const { chunk, slots } = best;
    this.#take(slots);
    this.#packages = fitting.filter((candidate) => candidate.chunk !== chunk);
    this.#part(chunk);
    return true;
  }

  /** Each transaction from first on that isn't taken yet with its missing ancestors, if that pays enough and fits. */
  #part(first: number): void {
    const { parents, modifiedFee, size, weight, sigops } = this.#c;
    let slot = first;
    for (let looked = 0; slot >= 0 && looked < PARTED_TRANSACTIONS; slot = this.#index.next(slot), looked++) {
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

/** Parents before children. */
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
