// The assembler's copy of the mempool's figures, updated by deltas. One per assembler, on whatever thread it runs.
import { type Candidates, ClusterIndex, compareRank, SelectionScratch, SortedSlots } from '../selection/index.js';
import { COLUMN, type ImproveResult, type MirrorDelta, ROW_LENGTH } from './assemble-messages.js';

const INITIAL_SLOTS = 1024;
const NONE: readonly number[] = [];
const NO_BYTES = new Uint8Array(0);

/** Columns as declared in Candidates, and the locations of the records. */
class Columns implements Candidates {
  readonly fee: Float64Array;
  readonly modifiedFee: Float64Array;
  readonly size: Float64Array;
  readonly weight: Float64Array;
  readonly sigops: Float64Array;
  readonly ancestorCount: Float64Array;
  readonly ancestorSize: Float64Array;
  readonly ancestorFees: Float64Array;
  readonly ancestorSigops: Float64Array;
  readonly lockTime: Float64Array;
  readonly hasWitness: Uint8Array;
  readonly txids: Uint8Array;
  readonly segment: Int32Array;
  readonly offset: Float64Array;
  readonly length: Float64Array;
  /** Incremented each time a transaction leaves the slot, so that successive transactions in a slot differ. */
  readonly generation: Int32Array;
  /** 1 for used slots. */
  readonly used: Uint8Array;
  readonly parents: (readonly number[])[];
  readonly children: number[][];

  constructor(readonly capacity: number) {
    this.fee = new Float64Array(capacity);
    this.modifiedFee = new Float64Array(capacity);
    this.size = new Float64Array(capacity);
    this.weight = new Float64Array(capacity);
    this.sigops = new Float64Array(capacity);
    this.ancestorCount = new Float64Array(capacity);
    this.ancestorSize = new Float64Array(capacity);
    this.ancestorFees = new Float64Array(capacity);
    this.ancestorSigops = new Float64Array(capacity);
    this.lockTime = new Float64Array(capacity);
    this.hasWitness = new Uint8Array(capacity);
    this.txids = new Uint8Array(capacity * 32);
    this.segment = new Int32Array(capacity);
    this.offset = new Float64Array(capacity);
    this.length = new Float64Array(capacity);
    this.generation = new Int32Array(capacity);
    this.used = new Uint8Array(capacity);
    this.parents = new Array<readonly number[]>(capacity).fill(NONE);
    this.children = Array.from({ length: capacity }, () => []);
  }

  grown(capacity: number): Columns {
    const next = new Columns(capacity);
    next.fee.set(this.fee);
    next.modifiedFee.set(this.modifiedFee);
    next.size.set(this.size);
    next.weight.set(this.weight);
    next.sigops.set(this.sigops);
    next.ancestorCount.set(this.ancestorCount);
    next.ancestorSize.set(this.ancestorSize);
    next.ancestorFees.set(this.ancestorFees);
    next.ancestorSigops.set(this.ancestorSigops);
    next.lockTime.set(this.lockTime);
    next.hasWitness.set(this.hasWitness);
    next.txids.set(this.txids);
    next.segment.set(this.segment);
    next.offset.set(this.offset);
    next.length.set(this.length);
    next.generation.set(this.generation);
    next.used.set(this.used);
    for (let i = 0; i < this.capacity; i++) {
      next.parents[i] = this.parents[i];
      next.children[i] = this.children[i];
    }
    return next;
  }
}

export class AssembleMirror {
  #instance = -1;
  #sequence = -1;
  #epoch = 0;
  #columns = new Columns(INITIAL_SLOTS);
  #ranking = new SortedSlots();
  /** Slots that the current delta changes. All zero between deltas. */
  #stale = new Uint8Array(0);
  /** Null until the first request that needs clusters: mode core never does. */
  #clusters: ClusterIndex | null = null;
  /** Scratch memory for selections over these slots. */
  readonly scratch = new SelectionScratch();
  readonly #segments: Uint8Array[] = [];

  /** Sequence of the last applied delta; -1 for none. */
  get sequence(): number {
    return this.#sequence;
  }
  /** Incremented each time the mirror is cleared, which makes earlier slots and generations invalid. */
  get epoch(): number {
    return this.#epoch;
  }
  get candidates(): Columns {
    return this.#columns;
  }
  /** All used slots, ordered by compareRank (selection/ranking.ts), best first. */
  get ranking(): Int32Array {
    return this.#ranking.list;
  }

  /** Returns the clusters of the mirrored transactions. */
  clusters(): ClusterIndex {
    if (this.#clusters === null) {
      this.#clusters = new ClusterIndex();
      this.#clusters.update(this.#columns, new Int32Array(0), this.ranking);
    }
    return this.#clusters;
  }

  /** Improves clusters that are not optimal. @param enough checked at intervals; true ends the work */
  improve(enough: () => boolean): ImproveResult {
    if (!this.#clusters?.improve(this.#columns, enough)) return 'idle';
    return this.#clusters.unfinished > 0 ? 'more' : 'done';
  }

  /** Returns the bytes of the segment that contains a slot's record. */
  segmentOf(slot: number): Uint8Array {
    return this.#segments[this.#columns.segment[slot]];
  }

  /**
   * Applies a delta.
   * @returns false if the delta does not follow the mirror's sequence; the mirror is then empty, as after an exception
   */
  apply(delta: MirrorDelta): boolean {
    const full = delta.base === -1;
    if (!full && (delta.instance !== this.#instance || delta.base !== this.#sequence)) {
      this.#clear();
      return false;
    }
    if (full) this.#clear();
    try {
      this.#applyChanges(delta);
    } catch (error) {
      // Part of the delta may have been applied. Clear the mirror, so that it refuses the next delta and gets all rows.
      this.#clear();
      this.#stale.fill(0);
      throw error;
    }
    this.#instance = delta.instance;
    this.#sequence = delta.sequence;
    return true;
  }

  #applyChanges(delta: MirrorDelta): void {
    for (const { index, buffer } of delta.segments) this.#segments[index] = buffer === null ? NO_BYTES : new Uint8Array(buffer);
    if (delta.removed.length === 0 && delta.changed.length === 0) return;
    this.#ensureCapacity(delta);
    if (this.#stale.length < this.#columns.capacity) this.#stale = new Uint8Array(this.#columns.capacity);
    const stale = this.#stale;
    for (const slot of delta.removed) {
      stale[slot] = 1;
      this.#unlink(slot);
      this.#columns.used[slot] = 0;
      this.#columns.generation[slot]++;
    }
    let parentsAt = 0;
    for (let i = 0; i < delta.changed.length; i++) {
      const slot = delta.changed[i];
      stale[slot] = 1;
      parentsAt += this.#setRow(slot, delta.rows, i * ROW_LENGTH, delta.parents, parentsAt);
    }
    this.#ranking.update(stale, delta.changed, (a, b) => compareRank(this.#columns, a, b));
    stale.fill(0);
    this.#clusters?.update(this.#columns, delta.removed, delta.changed);
  }

  #clear(): void {
    this.#epoch++;
    this.#instance = -1;
    this.#sequence = -1;
    this.#columns = new Columns(INITIAL_SLOTS);
    this.#ranking = new SortedSlots();
    this.#clusters = null;
    this.#segments.length = 0;
  }

  #ensureCapacity(delta: MirrorDelta): void {
    let highest = 0;
    for (const slot of delta.changed) if (slot > highest) highest = slot;
    for (const slot of delta.removed) if (slot > highest) highest = slot;
    let capacity = this.#columns.capacity;
    while (capacity <= highest) capacity *= 2;
    if (capacity > this.#columns.capacity) this.#columns = this.#columns.grown(capacity);
  }

  #unlink(slot: number): void {
    const { parents, children } = this.#columns;
    for (const parent of parents[slot]) {
      const list = children[parent];
      const at = list.indexOf(slot);
      if (at >= 0) list.splice(at, 1);
    }
    parents[slot] = NONE;
  }

  #setRow(slot: number, rows: Float64Array, at: number, parents: Int32Array, parentsAt: number): number {
    const c = this.#columns;
    c.fee[slot] = rows[at + COLUMN.fee];
    c.modifiedFee[slot] = rows[at + COLUMN.modifiedFee];
    c.size[slot] = rows[at + COLUMN.size];
    c.weight[slot] = rows[at + COLUMN.weight];
    c.sigops[slot] = rows[at + COLUMN.sigops];
    c.ancestorCount[slot] = rows[at + COLUMN.ancestorCount];
    c.ancestorSize[slot] = rows[at + COLUMN.ancestorSize];
    c.ancestorFees[slot] = rows[at + COLUMN.ancestorFees];
    c.ancestorSigops[slot] = rows[at + COLUMN.ancestorSigops];
    c.lockTime[slot] = rows[at + COLUMN.lockTime];
    c.hasWitness[slot] = rows[at + COLUMN.hasWitness];
    c.segment[slot] = rows[at + COLUMN.segment];
    c.offset[slot] = rows[at + COLUMN.offset];
    c.length[slot] = rows[at + COLUMN.length];
    c.used[slot] = 1;
    const start = c.offset[slot];
    c.txids.set(this.segmentOf(slot).subarray(start, start + 32), slot * 32);
    this.#unlink(slot);
    const count = rows[at + COLUMN.parentCount];
    if (count > 0) {
      const list: number[] = [];
      for (let i = 0; i < count; i++) {
        const parent = parents[parentsAt + i];
        list.push(parent);
        c.children[parent].push(slot);
      }
      c.parents[slot] = list;
    }
    return count;
  }
}
