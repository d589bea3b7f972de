// The pool's structure: entries by txid, spenders by outpoint, links, sums over ancestors and descendants, deltas of fees, and the
// transactions-updated counter. Synchronous and complete after each call; what may enter is decided elsewhere (accept/).
import type { TxView } from '../consensus/tx/tx-view.js';
import { type MempoolEntry, withoutRelative, withRelative } from './entry.js';
import { worseByDescendants } from './eviction.js';
import { IndexedHeap } from './indexed-heap.js';
import { collectAncestors, collectDescendants } from './relatives.js';
import { SpenderIndex } from './spender-index.js';
import { TxArena } from './tx-arena.js';
import { keyOf } from './tx-keys.js';
import { DELTA_USAGE, hashListUsage, LINK_USAGE } from './usage.js';

/** Why a transaction left, as Core's MemPoolRemovalReason. */
export type RemovalReason = 'expiry' | 'sizelimit' | 'reorg' | 'block' | 'conflict' | 'replaced';

/** Hears of every change, synchronously and in order. */
export interface PoolListener {
  added(entry: MempoolEntry): void;
  removed(entry: MempoolEntry, reason: RemovalReason): void;
  /** Parents, modified fee or sums over ancestors changed. */
  changed(entry: MempoolEntry): void;
}

export class TxPool {
  readonly #byTxid = new Map<string, MempoolEntry>();
  readonly #spenders = new SpenderIndex();
  readonly #arena = new TxArena();
  readonly #deltas = new Map<string, number>();
  readonly #listeners: PoolListener[] = [];
  readonly #scores = new IndexedHeap('scorePlace', worseByDescendants);
  readonly #ages = new IndexedHeap('agePlace', (a, b) => a.time < b.time);
  #usage = 0;
  /** Room in Core's list of hashes: doubles when full, shrinks to fit when half of it is idle. */
  #hashCapacity = 0;
  #bytes = 0;
  #totalFees = 0;
  #counter = 0;
  #sequence = 1;

  get size(): number {
    return this.#byTxid.size;
  }
  /** Sum of the virtual sizes. */
  get bytes(): number {
    return this.#bytes;
  }
  /** Base fees of everything here. */
  get totalFees(): number {
    return this.#totalFees;
  }
  /** Estimated memory in Core's count. */
  get usageBytes(): number {
    return this.#usage + this.#deltas.size * DELTA_USAGE + hashListUsage(this.#hashCapacity);
  }
  /** Told of every step of the counter. */
  onCounter: (counter: number) => void = () => {};

  /** Transactions-updated counter, uint32: entries added and removed, tip changes, prioritisations of entries. */
  get counter(): number {
    return this.#counter;
  }
  /** Core's mempool sequence: starts at 1, one up for each entry that comes or goes. */
  get sequence(): number {
    return this.#sequence;
  }
  /** First to be evicted. */
  get worst(): MempoolEntry | undefined {
    return this.#scores.peek();
  }
  get oldest(): MempoolEntry | undefined {
    return this.#ages.peek();
  }
  get deltas(): ReadonlyMap<string, number> {
    return this.#deltas;
  }

  entries(): IterableIterator<MempoolEntry> {
    return this.#byTxid.values();
  }
  /** @param txid 32 bytes, internal order */
  get(txid: Uint8Array): MempoolEntry | undefined {
    return this.#byTxid.get(keyOf(txid));
  }
  has(entry: MempoolEntry): boolean {
    return this.#byTxid.get(entry.key) === entry;
  }
  /** Who spends an outpoint (36 bytes). */
  spender(outpoint: Uint8Array): MempoolEntry | undefined {
    return this.#spenders.get(outpoint);
  }
  /** get by a key made before. */
  getByKey(txid: string): MempoolEntry | undefined {
    return this.#byTxid.get(txid);
  }
  /** What prioritisetransaction added for a txid. */
  delta(txid: Uint8Array): number {
    return this.#deltas.get(keyOf(txid)) ?? 0;
  }
  listen(listener: PoolListener): void {
    this.#listeners.push(listener);
  }

  /** The tip moved by one block, or the node shuts down. */
  bumpCounter(): void {
    this.#counter = (this.#counter + 1) >>> 0;
    this.onCounter(this.#counter);
  }

  /** Inserts an entry whose parents are here; links to children already here are made by linkChildren. */
  add(entry: MempoolEntry): void {
    this.#byTxid.set(entry.key, entry);
    const delta = this.#deltas.get(entry.key);
    if (delta !== undefined) {
      entry.modifiedFee += delta;
      entry.ancestorFees += delta;
      entry.descendantFees += delta;
    }
    const { tx } = entry;
    const { bytes } = tx;
    this.#arena.store(entry, bytes);
    entry.settle();
    for (let i = 0; i < tx.inputCount; i++) {
      const outpoint = tx.outpoint(i);
      this.#spenders.set(entry, outpoint.byteOffset - bytes.byteOffset);
      const parent = this.#byTxid.get(keyOf(outpoint.subarray(0, 32)));
      if (parent !== undefined) this.#link(parent, entry);
    }
    if (entry.parents.size > 0) for (const ancestor of collectAncestors(entry)) this.#relate(ancestor, entry);
    this.#usage += entry.usageBytes;
    if (this.#byTxid.size > this.#hashCapacity) this.#hashCapacity = Math.max(1, this.#hashCapacity * 2);
    this.#bytes += entry.size;
    this.#totalFees += entry.fee;
    this.#scores.insert(entry);
    this.#ages.insert(entry);
    this.bumpCounter();
    this.#sequence++;
    for (const listener of this.#listeners) listener.added(entry);
  }

  /**
   * Removes a set that is closed under descendants, or, for a block, entries whose ancestors are all in the set or gone: then
   * `updateDescendants` corrects the sums of those who stay.
   */
  remove(stage: ReadonlySet<MempoolEntry>, reason: RemovalReason, updateDescendants = false): void {
    for (const entry of stage) {
      if (updateDescendants && entry.children.size > 0) {
        const below = new Set<MempoolEntry>();
        collectDescendants(entry, below);
        for (const descendant of below) {
          if (descendant !== entry && !stage.has(descendant)) this.#unrelateAncestor(entry, descendant);
        }
      }
      if (entry.parents.size === 0) continue;
      for (const ancestor of collectAncestors(entry)) {
        if (!stage.has(ancestor)) this.#unrelateDescendant(ancestor, entry);
      }
    }
    for (const entry of stage) {
      for (const parent of entry.parents) {
        parent.children = withoutRelative(parent.children, entry);
        this.#usage -= LINK_USAGE;
      }
      for (const child of entry.children) {
        child.parents = withoutRelative(child.parents, entry);
        this.#usage -= LINK_USAGE;
        if (!stage.has(child)) this.#changed(child);
      }
    }
    for (const entry of stage) this.#drop(entry, reason);
  }

  /** An entry and everything after it. */
  removeWithDescendants(entry: MempoolEntry, reason: RemovalReason): void {
    const stage = new Set<MempoolEntry>();
    collectDescendants(entry, stage);
    this.remove(stage, reason);
  }

  /** Whatever in the pool is this transaction or depends on it, also when the transaction itself isn't here. */
  removeRecursive(tx: TxView, reason: RemovalReason): void {
    const stage = new Set<MempoolEntry>();
    const entry = this.get(tx.txid);
    if (entry !== undefined) collectDescendants(entry, stage);
    else for (const child of this.#spendersOf(tx)) collectDescendants(child, stage);
    this.remove(stage, reason);
  }

  /** Entries that spend the same outputs as a confirmed transaction go, with all that depends on them and their prioritisations. */
  removeConflicts(tx: TxView): void {
    const confirmed = keyOf(tx.txid);
    for (let i = 0; i < tx.inputCount; i++) {
      const rival = this.spender(tx.outpoint(i));
      if (rival === undefined || rival.key === confirmed) continue;
      this.#deltas.delete(rival.key);
      this.removeWithDescendants(rival, 'conflict');
    }
  }

  /**
   * Entries that came back from disconnected blocks meet children that were here before. Call once with all of them in block order.
   */
  linkChildren(returned: readonly MempoolEntry[]): void {
    const excluded = new Set(returned);
    for (let i = returned.length - 1; i >= 0; i--) {
      const entry = returned[i];
      for (const child of this.#spendersOf(entry.tx)) {
        if (excluded.has(child) || entry.children.has(child)) continue;
        this.#link(entry, child);
        this.#changed(child);
      }
      const below = new Set<MempoolEntry>();
      collectDescendants(entry, below);
      for (const descendant of below) if (!excluded.has(descendant)) this.#relate(entry, descendant, true);
    }
  }

  /** prioritisetransaction: adds to a txid's fee in all rankings, now and when it comes later. @param txid internal order */
  prioritise(txid: Uint8Array, deltaSats: number): void {
    const key = keyOf(txid);
    this.#deltas.set(key, (this.#deltas.get(key) ?? 0) + deltaSats);
    const entry = this.#byTxid.get(key);
    if (entry === undefined) return;
    entry.modifiedFee += deltaSats;
    const below = new Set<MempoolEntry>();
    collectDescendants(entry, below);
    for (const descendant of below) {
      descendant.ancestorFees += deltaSats;
      this.#changed(descendant);
    }
    entry.descendantFees += deltaSats;
    this.#scores.update(entry);
    for (const ancestor of collectAncestors(entry)) {
      ancestor.descendantFees += deltaSats;
      this.#scores.update(ancestor);
    }
    this.bumpCounter();
  }

  /** Forgets a prioritisation, as when its transaction was mined. */
  clearDelta(txid: Uint8Array): void {
    this.#deltas.delete(keyOf(txid));
  }

  #spendersOf(tx: TxView): MempoolEntry[] {
    const found: MempoolEntry[] = [];
    const outpoint = new Uint8Array(36);
    outpoint.set(tx.txid);
    const view = new DataView(outpoint.buffer);
    for (let i = 0; i < tx.outputCount; i++) {
      view.setUint32(32, i, true);
      const child = this.#spenders.get(outpoint);
      if (child !== undefined) found.push(child);
    }
    return found;
  }

  #link(parent: MempoolEntry, child: MempoolEntry): void {
    if (child.parents.has(parent)) return;
    child.parents = withRelative(child.parents, parent);
    parent.children = withRelative(parent.children, child);
    this.#usage += LINK_USAGE;
  }

  /** Puts a new pair of relatives into each other's sums. */
  #relate(ancestor: MempoolEntry, descendant: MempoolEntry, tell = false): void {
    descendant.ancestorCount++;
    descendant.ancestorSize += ancestor.size;
    descendant.ancestorFees += ancestor.modifiedFee;
    descendant.ancestorSigops += ancestor.sigopCost;
    ancestor.descendantCount++;
    ancestor.descendantSize += descendant.size;
    ancestor.descendantFees += descendant.modifiedFee;
    this.#scores.update(ancestor);
    if (tell) this.#changed(descendant);
  }

  #unrelateAncestor(gone: MempoolEntry, descendant: MempoolEntry): void {
    descendant.ancestorCount--;
    descendant.ancestorSize -= gone.size;
    descendant.ancestorFees -= gone.modifiedFee;
    descendant.ancestorSigops -= gone.sigopCost;
    this.#changed(descendant);
  }

  #unrelateDescendant(ancestor: MempoolEntry, gone: MempoolEntry): void {
    ancestor.descendantCount--;
    ancestor.descendantSize -= gone.size;
    ancestor.descendantFees -= gone.modifiedFee;
    this.#scores.update(ancestor);
  }

  #drop(entry: MempoolEntry, reason: RemovalReason): void {
    this.#byTxid.delete(entry.key);
    const { tx } = entry;
    const { bytes } = tx;
    for (let i = 0; i < tx.inputCount; i++) {
      this.#spenders.delete(entry, tx.outpoint(i).byteOffset - bytes.byteOffset);
    }
    this.#arena.free(entry);
    this.#usage -= entry.usageBytes;
    const left = this.#byTxid.size;
    if (left > 0 && left * 2 < this.#hashCapacity) this.#hashCapacity = left;
    this.#bytes -= entry.size;
    this.#totalFees -= entry.fee;
    this.#scores.remove(entry);
    this.#ages.remove(entry);
    this.bumpCounter();
    this.#sequence++;
    for (const listener of this.#listeners) listener.removed(entry, reason);
  }

  #changed(entry: MempoolEntry): void {
    for (const listener of this.#listeners) listener.changed(entry);
  }
}
