// Selects the transactions of a block and their order exactly as Core 0.21 does (miner.cpp, addPackageTxs): by the fee
// rate of packages, where a package is a transaction with its unconfirmed ancestors. Works on numbers only.
//
// Two streams are merged: the ranking of the whole mempool, and a heap of transactions some of whose ancestors are
// already selected, ranked by the rest of their package. Core's oddity is reproduced: the first subtraction from a
// package subtracts the modified fee of the included ancestor, later ones its base fee.
import { type Candidates, compareFeeRates, compareTxids } from './candidates.js';
import { compareFeeFractions } from './cluster/fee-fraction.js';
import { ranksWithAncestors } from './ranking.js';

/** Default weight reserve for header and coinbase, and Core's limit for "nearly full". */
export const RESERVED_WEIGHT = 4000;
/** Sigop cost reserved for the coinbase. */
export const RESERVED_SIGOPS = 400;
/** Consensus limit of a block's sigop cost, including the coinbase's. */
export const MAX_SIGOPS = 80_000;
const WITNESS_SCALE = 4;
/** Number of consecutive packages that did not fit after which a nearly full block is finished. */
export const MAX_FAILURES = 1000;
/** Lock times below this are heights. */
const LOCKTIME_THRESHOLD = 500_000_000;

export interface SelectionLimits {
  readonly maxWeight: number;
  /** Weight reserved for header and coinbase. */
  readonly reservedWeight: number;
  /** Least fee of a package of this virtual size. Selection ends at the first package below it. */
  readonly minFee: (size: number) => number;
  /** Fee rate on which minFee is based, in satoshis per 1,000 virtual bytes. */
  readonly minFeeRate: number;
  readonly height: number;
  /** Median time past of the parent. */
  readonly lockTimeCutoff: number;
  /** False before segwit: transactions with witnesses are excluded. */
  readonly allowWitness: boolean;
  /** Limit of the block's sigop cost, including the coinbase's. Default: the consensus limit. */
  readonly maxSigops?: number;
  /** 1 for slots that are excluded, together with all their descendants. */
  readonly excluded?: Uint8Array | null;
}

/** Fee and size of a package. */
export interface PackageRate {
  /** Modified fees in satoshis. */
  readonly fee: number;
  /** Sigop-adjusted weight. */
  readonly size: number;
}

export interface Selection {
  /** Slots in block order. */
  readonly slots: Int32Array;
  /** Sum of base fees. */
  readonly fees: number;
  /** Weight of the block, including the reserve for header and coinbase. */
  readonly weight: number;
  /** Sigop cost of the block, including the reserve for the coinbase. */
  readonly sigops: number;
  /** The lowest fee rate of a selected package; null if none was selected. */
  readonly cut: PackageRate | null;
}

/** Returns the lower fee rate: `cut`, or `fee` per `size`. A `cut` of null counts as the higher one. */
export function lowerRate(cut: PackageRate | null, fee: number, size: number): PackageRate {
  return cut !== null && compareFeeFractions(fee, size, cut.fee, cut.size) >= 0 ? cut : { fee, size };
}

const UNTOUCHED = 0;
const IN_BLOCK = 1;
const FAILED = 2;

/** Arrays by slot that are reused by all selections. With a hundred thousand slots, allocating them costs more than selecting. */
export class SelectionScratch {
  state = new Uint8Array(0);
  mark = new Int32Array(0);
  lastMark = 0;
  /** State of the selection by chunks (fill.ts). */
  taken = new Uint8Array(0);
  closed = new Uint8Array(0);
  /** Arrays of ModifiedSet: sums, and positions in its heap. All elements are 0 between selections. */
  size = new Float64Array(0);
  fees = new Float64Array(0);
  sigops = new Float64Array(0);
  place = new Int32Array(0);

  /** Prepares the arrays for `capacity` slots. */
  prepare(capacity: number): this {
    if (capacity > this.state.length) {
      this.state = new Uint8Array(capacity);
      this.mark = new Int32Array(capacity);
      this.lastMark = 0;
      this.taken = new Uint8Array(capacity);
      this.closed = new Uint8Array(capacity);
      this.size = new Float64Array(capacity);
      this.fees = new Float64Array(capacity);
      this.sigops = new Float64Array(capacity);
      this.place = new Int32Array(capacity);
    } else {
      this.state.fill(0);
      this.taken.fill(0);
      this.closed.fill(0);
    }
    return this;
  }
}

/** Selects the transactions of a block. @param ranking every slot in use, ordered by compareRank */
export function selectByAncestors(
  c: Candidates,
  ranking: Int32Array,
  limits: SelectionLimits,
  scratch: SelectionScratch = new SelectionScratch(),
): Selection {
  return new AncestorSelection(c, limits, scratch.prepare(c.fee.length)).run(ranking);
}

/**
 * Returns true if none of the slots is excluded. Also checks finality and witnesses again, although the mempool
 * contains only transactions that may enter.
 */
export function mayEnter(c: Candidates, slots: readonly number[], limits: SelectionLimits): boolean {
  for (const slot of slots) if (!mayEnterAlone(c, slot, limits)) return false;
  return true;
}

/** Does the checks of mayEnter for one slot. */
export function mayEnterAlone({ lockTime, hasWitness }: Candidates, slot: number, limits: SelectionLimits): boolean {
  if (limits.excluded != null && limits.excluded[slot] !== 0) return false;
  const lock = lockTime[slot];
  if (lock !== 0 && lock >= (lock < LOCKTIME_THRESHOLD ? limits.height : limits.lockTimeCutoff)) return false;
  return limits.allowWitness || hasWitness[slot] === 0;
}

class AncestorSelection {
  readonly #c: Candidates;
  readonly #limits: SelectionLimits;
  readonly #state: Uint8Array;
  readonly #modified: ModifiedSet;
  /** Marks the members of the current package with its number. */
  readonly #mark: Int32Array;
  readonly #scratch: SelectionScratch;
  readonly #slots: number[] = [];
  #fees = 0;
  #weight: number;
  #sigops = RESERVED_SIGOPS;
  #cut: PackageRate | null = null;

  constructor(c: Candidates, limits: SelectionLimits, scratch: SelectionScratch) {
    this.#c = c;
    this.#scratch = scratch;
    this.#limits = limits;
    this.#weight = limits.reservedWeight;
    this.#state = scratch.state;
    this.#mark = scratch.mark;
    this.#modified = new ModifiedSet(c, scratch);
  }

  run(ranking: Int32Array): Selection {
    const c = this.#c;
    const modified = this.#modified;
    let at = 0;
    let failures = 0;
    while (at < ranking.length || modified.count > 0) {
      if (at < ranking.length && (this.#state[ranking[at]] !== UNTOUCHED || modified.has(ranking[at]))) {
        at++;
        continue;
      }
      const best = modified.head;
      const fromModified = at >= ranking.length || (best >= 0 && modified.precedes(best, ranking[at]));
      const slot = fromModified ? best : ranking[at++];
      const size = fromModified ? modified.size[slot] : c.ancestorSize[slot];
      const fees = fromModified ? modified.fees[slot] : c.ancestorFees[slot];
      const sigops = fromModified ? modified.sigops[slot] : c.ancestorSigops[slot];
      // All later packages pay less.
      if (fees < this.#limits.minFee(size)) break;
      if (!this.#fits(size, sigops)) {
        if (fromModified) this.#fail(slot);
        failures++;
        if (failures > MAX_FAILURES && this.#weight > this.#limits.maxWeight - RESERVED_WEIGHT) break;
        continue;
      }
      // Most transactions have no unconfirmed parents. For them no list is allocated.
      if (c.parents[slot].length === 0) {
        if (mayEnterAlone(c, slot, this.#limits)) {
          failures = 0;
          this.#cut = lowerRate(this.#cut, fees, WITNESS_SCALE * size);
          this.#takeLone(slot);
        }
        continue;
      }
      const members = this.#package(slot);
      if (!mayEnter(this.#c, members, this.#limits)) {
        if (fromModified) this.#fail(slot);
        continue;
      }
      failures = 0;
      this.#cut = lowerRate(this.#cut, fees, WITNESS_SCALE * size);
      this.#takePackage(members);
    }
    modified.clear();
    return { slots: new Int32Array(this.#slots), fees: this.#fees, weight: this.#weight, sigops: this.#sigops, cut: this.#cut };
  }

  #fits(size: number, sigops: number): boolean {
    return this.#weight + WITNESS_SCALE * size < this.#limits.maxWeight && this.#sigops + sigops < (this.#limits.maxSigops ?? MAX_SIGOPS);
  }

  #fail(slot: number): void {
    this.#modified.remove(slot);
    this.#state[slot] = FAILED;
  }

  /** Returns the slot and those of its ancestors that are not in the block yet. */
  #package(slot: number): number[] {
    const mark = ++this.#scratch.lastMark;
    const members = [slot];
    this.#mark[slot] = mark;
    for (let i = 0; i < members.length; i++) {
      for (const parent of this.#c.parents[members[i]]) {
        if (this.#mark[parent] === mark || this.#state[parent] === IN_BLOCK) continue;
        this.#mark[parent] = mark;
        members.push(parent);
      }
    }
    return members;
  }

  #takePackage(members: number[]): void {
    const c = this.#c;
    if (members.length > 1) members.sort((a, b) => c.ancestorCount[a] - c.ancestorCount[b] || compareTxids(c.txids, a, b));
    for (const slot of members) {
      this.#place(slot);
      if (this.#modified.has(slot)) this.#modified.remove(slot);
    }
    // Subtract the ancestors in the order of their txids, because the first subtraction uses the modified fee and all
    // later ones use the base fee.
    if (members.length > 1) members.sort((a, b) => compareTxids(c.txids, a, b));
    else if (c.children[members[0]].length === 0) return;
    const packageMark = ++this.#scratch.lastMark;
    for (const slot of members) this.#mark[slot] = packageMark;
    for (const slot of members) this.#subtractFromDescendants(slot, packageMark);
  }

  /** Adds a transaction without parents. Such a transaction is never in the modified set. */
  #takeLone(slot: number): void {
    this.#place(slot);
    if (this.#c.children[slot].length === 0) return;
    const packageMark = ++this.#scratch.lastMark;
    this.#mark[slot] = packageMark;
    this.#subtractFromDescendants(slot, packageMark);
  }

  #place(slot: number): void {
    const c = this.#c;
    this.#state[slot] = IN_BLOCK;
    this.#slots.push(slot);
    this.#fees += c.fee[slot];
    this.#weight += c.weight[slot];
    this.#sigops += c.sigops[slot];
  }

  #subtractFromDescendants(taken: number, packageMark: number): void {
    const { children } = this.#c;
    if (children[taken].length === 0) return;
    const stage = [taken];
    const seen = new Set(stage);
    for (let i = 0; i < stage.length; i++) {
      for (const child of children[stage[i]]) {
        if (seen.has(child)) continue;
        seen.add(child);
        stage.push(child);
        if (this.#mark[child] !== packageMark) this.#modified.subtract(child, taken);
      }
    }
  }
}

/** Transactions with some ancestors in the block, and the rest of their sums. A heap with the best one on top. */
class ModifiedSet {
  readonly size: Float64Array;
  readonly fees: Float64Array;
  readonly sigops: Float64Array;
  readonly #c: Candidates;
  readonly #heap: number[] = [];
  /** Position in the heap plus one; 0 for slots outside. */
  readonly #place: Int32Array;

  constructor(c: Candidates, { size, fees, sigops, place }: SelectionScratch) {
    this.#c = c;
    this.size = size;
    this.fees = fees;
    this.sigops = sigops;
    this.#place = place;
  }

  /** Resets the positions to zero. */
  clear(): void {
    for (const slot of this.#heap) this.#place[slot] = 0;
    this.#heap.length = 0;
  }

  get count(): number {
    return this.#heap.length;
  }
  /** The slot with the best package; -1 if the set is empty. */
  get head(): number {
    return this.#heap.length === 0 ? -1 : this.#heap[0];
  }
  has(slot: number): boolean {
    return this.#place[slot] !== 0;
  }

  /** Subtracts an included ancestor from a slot's sums. The first time it begins with the mempool's sums. */
  subtract(slot: number, taken: number): void {
    const c = this.#c;
    if (this.#place[slot] === 0) {
      this.size[slot] = c.ancestorSize[slot] - c.size[taken];
      this.fees[slot] = c.ancestorFees[slot] - c.modifiedFee[taken];
      this.sigops[slot] = c.ancestorSigops[slot] - c.sigops[taken];
      this.#heap.push(slot);
      this.#up(this.#heap.length - 1, slot);
      return;
    }
    this.size[slot] -= c.size[taken];
    this.fees[slot] -= c.fee[taken];
    this.sigops[slot] -= c.sigops[taken];
    this.#reposition(this.#place[slot] - 1, slot);
  }

  remove(slot: number): void {
    const at = this.#place[slot] - 1;
    const last = this.#heap.pop() as number;
    if (last !== slot) {
      this.#set(at, last);
      this.#reposition(at, last);
    }
    this.#place[slot] = 0;
  }

  /** Returns true if a slot of this set ranks strictly before a slot outside it. */
  precedes(slot: number, untouched: number): boolean {
    const c = this.#c;
    return this.#compare(slot, this.fees[slot], this.size[slot], untouched, c.ancestorFees[untouched], c.ancestorSize[untouched]) < 0;
  }

  #before(a: number, b: number): boolean {
    return this.#compare(a, this.fees[a], this.size[a], b, this.fees[b], this.size[b]) < 0;
  }

  #compare(a: number, feesA: number, sizeA: number, b: number, feesB: number, sizeB: number): number {
    const c = this.#c;
    const aWhole = ranksWithAncestors(c.modifiedFee[a], c.size[a], feesA, sizeA);
    const bWhole = ranksWithAncestors(c.modifiedFee[b], c.size[b], feesB, sizeB);
    return compareFeeRates(
      c.txids,
      a,
      aWhole ? feesA : c.modifiedFee[a],
      aWhole ? sizeA : c.size[a],
      b,
      bWhole ? feesB : c.modifiedFee[b],
      bWhole ? sizeB : c.size[b],
    );
  }

  #set(at: number, slot: number): void {
    this.#heap[at] = slot;
    this.#place[slot] = at + 1;
  }

  #reposition(at: number, slot: number): void {
    this.#up(at, slot);
    if (this.#place[slot] === at + 1) this.#down(at, slot);
  }

  #up(start: number, slot: number): void {
    let at = start;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      if (!this.#before(slot, this.#heap[parentAt])) break;
      this.#set(at, this.#heap[parentAt]);
      at = parentAt;
    }
    this.#set(at, slot);
  }

  #down(start: number, slot: number): void {
    let at = start;
    for (;;) {
      let childAt = 2 * at + 1;
      if (childAt >= this.#heap.length) break;
      if (childAt + 1 < this.#heap.length && this.#before(this.#heap[childAt + 1], this.#heap[childAt])) childAt++;
      if (!this.#before(this.#heap[childAt], slot)) break;
      this.#set(at, this.#heap[childAt]);
      at = childAt;
    }
    this.#set(at, slot);
  }
}
