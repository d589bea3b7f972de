// Which transactions a block takes and in what order, exactly as Core 0.21 does it (miner.cpp, addPackageTxs): packages
// of a transaction with its unconfirmed ancestors by fee rate. Numbers only; called by the assemble job with the
// mirror's arrays.
//
// Two streams are merged: the ranking of the whole pool, and a heap of those whose ancestors were partly taken already,
// ranked by what is left of their package. One oddity is Core's and kept: the first subtraction from a package takes
// off the modified fee of the included ancestor, later ones its base fee.
import { type Candidates, compareFeeRates, compareTxids } from './candidates.js';
import { compareFeeFractions } from './cluster/fee-fraction.js';
import { ranksWithAncestors } from './ranking.js';

/** Weight kept free for header and coinbase unless the operator says otherwise; also what "nearly full" means below. */
export const RESERVED_WEIGHT = 4000;
/** Sigop cost kept free for the coinbase. */
export const RESERVED_SIGOPS = 400;
/** Of a block, with the coinbase's. */
export const MAX_SIGOPS = 80_000;
const WITNESS_SCALE = 4;
/** After so many packages in a row that didn't fit, a nearly full block is left as it is. */
export const MAX_FAILURES = 1000;
/** Lock times below are heights. */
const LOCKTIME_THRESHOLD = 500_000_000;

export interface SelectionLimits {
  readonly maxWeight: number;
  /** Weight kept free for header and coinbase. */
  readonly reservedWeight: number;
  /** Least fee for a package of this virtual size; below it selection ends. */
  readonly minFee: (size: number) => number;
  /** The rate that this follows, satoshis per 1,000 virtual bytes. */
  readonly minFeeRate: number;
  readonly height: number;
  /** Median time past of the parent. */
  readonly lockTimeCutoff: number;
  /** False before segwit: witnesses stay out. */
  readonly allowWitness: boolean;
  /** Sigop cost of the block, with the coinbase's; the consensus limit unless given. */
  readonly maxSigops?: number;
  /** 1 for slots that stay out, and with them all that depends on them. */
  readonly excluded?: Uint8Array | null;
}

/** What a package pays for its room. */
export interface PackageRate {
  /** Modified fees in satoshis. */
  readonly fee: number;
  /** Sigop-adjusted weight. */
  readonly size: number;
}

export interface Selection {
  /** In block order. */
  readonly slots: Int32Array;
  /** Base fees. */
  readonly fees: number;
  /** With the reserved part. */
  readonly weight: number;
  /** With the reserved part. */
  readonly sigops: number;
  /** The lowest rate at which something was taken; null when nothing was. */
  readonly cut: PackageRate | null;
}

/** The lower of two rates. */
export function lowerRate(cut: PackageRate | null, fee: number, size: number): PackageRate {
  return cut !== null && compareFeeFractions(fee, size, cut.fee, cut.size) >= 0 ? cut : { fee, size };
}

const UNTOUCHED = 0;
const IN_BLOCK = 1;
const FAILED = 2;

/**
 * Arrays by slot that one selection after the other works in: with a hundred thousand slots making them anew costs more
 * than selecting.
 */
export class SelectionScratch {
  state = new Uint8Array(0);
  mark = new Int32Array(0);
  lastMark = 0;
  /** Of the selection by chunks. */
  taken = new Uint8Array(0);
  closed = new Uint8Array(0);
  /** Of the modified set: sums, and places in its heap, which are all zero between selections. */
  size = new Float64Array(0);
  fees = new Float64Array(0);
  sigops = new Float64Array(0);
  place = new Int32Array(0);

  /** Ready for so many slots. */
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

/** @param ranking every slot in use, by compareRank */
export function selectByAncestors(
  c: Candidates,
  ranking: Int32Array,
  limits: SelectionLimits,
  scratch: SelectionScratch = new SelectionScratch(),
): Selection {
  return new AncestorSelection(c, limits, scratch.prepare(c.fee.length)).run(ranking);
}

/**
 * Whether nothing is excluded; and a safety net: the pool holds nothing that isn't final, and witnesses only once they
 * count.
 */
export function mayEnter(c: Candidates, slots: readonly number[], limits: SelectionLimits): boolean {
  for (const slot of slots) if (!mayEnterAlone(c, slot, limits)) return false;
  return true;
}

/** The same for one. */
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
  /** Marks the package being looked at, by turn. */
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
      // Everything after it pays less still.
      if (fees < this.#limits.minFee(size)) break;
      if (!this.#fits(size, sigops)) {
        if (fromModified) this.#fail(slot);
        failures++;
        if (failures > MAX_FAILURES && this.#weight > this.#limits.maxWeight - RESERVED_WEIGHT) break;
        continue;
      }
      // Most spend nothing unconfirmed: for them no list is made.
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

  /** The slot and those of its ancestors that the block doesn't hold yet. */
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
    // By txid, because the first subtraction of several counts differently.
    if (members.length > 1) members.sort((a, b) => compareTxids(c.txids, a, b));
    else if (c.children[members[0]].length === 0) return;
    const packageMark = ++this.#scratch.lastMark;
    for (const slot of members) this.#mark[slot] = packageMark;
    for (const slot of members) this.#subtractFromDescendants(slot, packageMark);
  }

  /** One without parents; those are never in the modified set. */
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

/** Slots whose ancestors are partly in the block, with what is left of their sums, the best on top of a heap. */
class ModifiedSet {
  readonly size: Float64Array;
  readonly fees: Float64Array;
  readonly sigops: Float64Array;
  readonly #c: Candidates;
  readonly #heap: number[] = [];
  /** Place in the heap plus one; 0 outside. */
  readonly #place: Int32Array;

  constructor(c: Candidates, { size, fees, sigops, place }: SelectionScratch) {
    this.#c = c;
    this.size = size;
    this.fees = fees;
    this.sigops = sigops;
    this.#place = place;
  }

  /** Leaves no trace in the places. */
  clear(): void {
    for (const slot of this.#heap) this.#place[slot] = 0;
    this.#heap.length = 0;
  }

  get count(): number {
    return this.#heap.length;
  }
  /** The best slot, -1 when empty. */
  get head(): number {
    return this.#heap.length === 0 ? -1 : this.#heap[0];
  }
  has(slot: number): boolean {
    return this.#place[slot] !== 0;
  }

  /** Takes an included ancestor off a slot's sums; the first time starting from the pool's sums. */
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

  /** Whether a slot of this set ranks strictly before one that was not touched. */
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
