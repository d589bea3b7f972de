// Watches the candidate set and writes the deltas that keep the assembler's mirror equal to it. Each transaction gets a slot number and a
// record in shared memory when it first goes out. Slots and records of transactions that left are reused only after the assembler
// acknowledged the delta that says so; until then a reply may still name them.
import { SEQUENCE_FINAL } from '../consensus/rules/locks.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import { COLUMN, type MirrorDelta, RECORD_HEADER, ROW_LENGTH } from '../jobs/assemble-messages.js';
import { Arena, type ArenaRange } from './arena.js';
import type { SourceEntry, SourceListener, TransactionSource } from './source.js';

interface Departed {
  readonly slot: number;
  readonly range: ArenaRange;
  /** Sequence of the delta that removed it; -1 while none has. */
  sequence: number;
}

export class MirrorFeed implements SourceListener {
  readonly #arena = new Arena();
  readonly #instance: number;
  readonly #slots = new Map<SourceEntry, number>();
  readonly #entries: (SourceEntry | undefined)[] = [];
  /** Records by slot; undefined while the transaction was never sent. */
  readonly #ranges: (ArenaRange | undefined)[] = [];
  /** What a row says of the transaction itself, by slot, so that it is looked at once. */
  readonly #lengths: number[] = [];
  readonly #lockTimes: number[] = [];
  readonly #witnesses: number[] = [];
  readonly #eager: boolean;
  readonly #freeSlots: number[] = [];
  readonly #dirty = new Set<SourceEntry>();
  #departed: Departed[] = [];
  #sequence = 0;
  #segmentsSent = 0;
  #txBytes = 0;

  /**
   * @param instance a number that no other feed of this assembler has
   * @param eager records are written as transactions come, when they are at hand, rather than all at the first template
   */
  constructor(source: TransactionSource, instance: number, eager = false) {
    this.#instance = instance;
    this.#eager = eager;
    for (const entry of source.entries()) this.added(entry);
    source.listen(this);
  }

  /** Serialised bytes of all transactions in the set. */
  get txBytes(): number {
    return this.#txBytes;
  }
  get arenaBytes(): number {
    return this.#arena.allocatedBytes;
  }

  added(entry: SourceEntry): void {
    const slot = this.#freeSlots.pop() ?? this.#entries.length;
    this.#slots.set(entry, slot);
    this.#entries[slot] = entry;
    this.#dirty.add(entry);
    const { tx } = entry;
    this.#lengths[slot] = tx.totalSize;
    this.#txBytes += tx.totalSize;
    if (this.#eager) this.#writeRecord(slot, tx);
  }

  removed(entry: SourceEntry): void {
    const slot = this.#slots.get(entry);
    if (slot === undefined) return;
    this.#slots.delete(entry);
    this.#dirty.delete(entry);
    this.#txBytes -= this.#lengths[slot];
    const range = this.#ranges[slot];
    if (range !== undefined) {
      this.#departed.push({ slot, range, sequence: -1 });
      return;
    }
    this.#entries[slot] = undefined;
    this.#freeSlots.push(slot);
  }

  changed(entry: SourceEntry): void {
    if (this.#slots.has(entry)) this.#dirty.add(entry);
  }

  /** The transaction in a slot that a reply named. Ask before acknowledging a later reply. */
  entryAt(slot: number): SourceEntry {
    const entry = this.#entries[slot];
    if (entry === undefined) throw new RangeError(`no transaction in slot ${slot}`);
    return entry;
  }

  /** The changes since the delta before; everything when full. */
  delta(full: boolean): MirrorDelta {
    const base = full ? -1 : this.#sequence;
    const sequence = ++this.#sequence;
    const removed: number[] = [];
    for (const item of this.#departed) {
      if (item.sequence !== -1) continue;
      item.sequence = sequence;
      removed.push(item.slot);
    }
    const changed = full ? [...this.#slots.keys()] : [...this.#dirty];
    this.#dirty.clear();
    const rows = new Float64Array(changed.length * ROW_LENGTH);
    const parents: number[] = [];
    for (let i = 0; i < changed.length; i++) this.#writeRow(changed[i], rows, i * ROW_LENGTH, parents);
    const first = full ? 0 : this.#segmentsSent;
    const segments = this.#arena.segments.slice(first).map((buffer, i) => ({ index: first + i, buffer }));
    this.#segmentsSent = this.#arena.segments.length;
    return {
      instance: this.#instance,
      // The very first delta has nothing to continue.
      base: base === 0 ? -1 : base,
      sequence,
      segments,
      removed: Int32Array.from(base <= 0 ? [] : removed),
      changed: Int32Array.from(changed, (entry) => this.#slots.get(entry) as number),
      rows,
      parents: Int32Array.from(parents),
    };
  }

  /** The mirror is at this sequence: what left before it is free for reuse. */
  acknowledge(sequence: number): void {
    if (this.#departed.length === 0) return;
    const kept: Departed[] = [];
    for (const item of this.#departed) {
      if (item.sequence === -1 || item.sequence > sequence) {
        kept.push(item);
        continue;
      }
      this.#entries[item.slot] = undefined;
      this.#ranges[item.slot] = undefined;
      this.#freeSlots.push(item.slot);
      this.#arena.free(item.range);
    }
    this.#departed = kept;
  }

  #writeRow(entry: SourceEntry, rows: Float64Array, at: number, parents: number[]): void {
    const slot = this.#slots.get(entry) as number;
    const range = this.#ranges[slot] ?? this.#writeRecord(slot, entry.tx);
    let parentCount = 0;
    for (const parent of entry.parents) {
      parents.push(this.#slots.get(parent) as number);
      parentCount++;
    }
    rows[at + COLUMN.fee] = entry.fee;
    rows[at + COLUMN.modifiedFee] = entry.modifiedFee;
    rows[at + COLUMN.size] = entry.size;
    rows[at + COLUMN.weight] = entry.weight;
    rows[at + COLUMN.sigops] = entry.sigopCost;
    rows[at + COLUMN.ancestorCount] = entry.ancestorCount;
    rows[at + COLUMN.ancestorSize] = entry.ancestorSize;
    rows[at + COLUMN.ancestorFees] = entry.ancestorFees;
    rows[at + COLUMN.ancestorSigops] = entry.ancestorSigops;
    rows[at + COLUMN.lockTime] = this.#lockTimes[slot];
    rows[at + COLUMN.hasWitness] = this.#witnesses[slot];
    rows[at + COLUMN.segment] = range.segment;
    rows[at + COLUMN.offset] = range.offset;
    rows[at + COLUMN.length] = range.length;
    rows[at + COLUMN.parentCount] = parentCount;
  }

  #writeRecord(slot: number, tx: TxView): ArenaRange {
    const range = this.#arena.allocate(RECORD_HEADER + tx.totalSize);
    const view = this.#arena.view(range.segment);
    view.set(tx.txid, range.offset);
    view.set(tx.wtxid, range.offset + 32);
    view.set(tx.bytes, range.offset + RECORD_HEADER);
    this.#ranges[slot] = range;
    this.#lockTimes[slot] = effectiveLockTime(tx);
    this.#witnesses[slot] = tx.hasWitness ? 1 : 0;
    return range;
  }
}

/** nLockTime, or 0 when every input switches it off. */
function effectiveLockTime(tx: TxView): number {
  if (tx.locktime === 0) return 0;
  for (let i = 0; i < tx.inputCount; i++) if (tx.sequence(i) !== SEQUENCE_FINAL) return tx.locktime;
  return 0;
}
