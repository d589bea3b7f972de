// Data structure of the mempool: records (tx-records.ts) with links, sums over ancestors and descendants, an order of
// eviction, fee deltas, and the transactions-updated counter. It is synchronous and consistent after each call. The code in
// accept/ decides which transactions may enter. A change costs time in proportion to the rows that it adds or removes
// and their relatives.
import type { Txid } from '../consensus/ids.js';
import { SEQUENCE_FINAL } from '../consensus/rules/locks.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import { ListenerGuard } from '../lib/listener-guard.js';
import { Listeners } from '../lib/listeners.js';
import { silentLogger } from '../log/logger.js';
import { signalsReplacement } from '../policy/replaceable.js';
import { type EntryFields, MempoolEntry } from './entry.js';
import { resetRank } from './eviction-order.js';
import { EvictionQueue } from './eviction-queue.js';
import { FeeDeltas } from './fee-deltas.js';
import { ID_BYTES } from './id-table.js';
import type { LinkTable } from './link-table.js';
import { sameBytes } from './open-table.js';
import { collectAncestors, collectDescendants } from './relatives.js';
import { FLAG, NO_ROW, type Rows } from './rows.js';
import { TxRecords } from './tx-records.js';
import { DELTA_USAGE, entryUsage, hashListUsage, LINK_USAGE } from './usage.js';

/** Why a transaction was removed (Core's MemPoolRemovalReason). */
export type RemovalReason = 'expiry' | 'sizelimit' | 'reorg' | 'block' | 'conflict' | 'replaced';

/** Listener for all changes, called synchronously and in order. The entries must be read immediately. */
export interface PoolListener {
  added(entry: MempoolEntry): void;
  removed(entry: MempoolEntry, reason: RemovalReason): void;
  /** Called when parents, modified fee or ancestor sums have changed. */
  changed(entry: MempoolEntry): void;
}

export class TxPool {
  readonly records: TxRecords;
  readonly rows: Rows;
  readonly links: LinkTable;
  readonly deltas = new FeeDeltas();
  readonly eviction: EvictionQueue;
  readonly #listeners: { readonly name: string; readonly listener: PoolListener }[] = [];
  readonly #counterListeners: Listeners<[counter: number]>;
  readonly #guard: ListenerGuard;
  #usage = 0;
  /**
   * Capacity that Core's list of transaction hashes would have: it doubles when full and shrinks when half of it is
   * unused.
   */
  #hashCapacity = 0;
  #bytes = 0;
  #totalFees = 0;
  #counter = 0;
  #sequence = 1;

  /** @param segmentBytes, evictChunks see MempoolOptions @param guard runs the listeners */
  constructor(segmentBytes: number, evictChunks = false, guard = new ListenerGuard(silentLogger)) {
    this.#guard = guard;
    this.#counterListeners = new Listeners(guard);
    this.records = new TxRecords(segmentBytes, guard);
    this.rows = this.records.rows;
    this.links = this.records.links;
    this.eviction = new EvictionQueue(this.rows, evictChunks, this.records.compareIds);
  }

  get size(): number {
    return this.records.size;
  }
  /** Sum of the virtual sizes. */
  get bytes(): number {
    return this.#bytes;
  }
  /** Sum of base fees in satoshis. */
  get totalFees(): number {
    return this.#totalFees;
  }
  /** Estimated memory in bytes, counted as Core does. */
  get usageBytes(): number {
    return this.#usage + this.deltas.size * DELTA_USAGE + hashListUsage(this.#hashCapacity);
  }
  /**
   * Transactions-updated counter, uint32: counts added and removed entries, tip changes, and prioritisations of
   * entries.
   */
  get counter(): number {
    return this.#counter;
  }
  /** Core's mempool sequence number: starts at 1 and rises with each added or removed entry. */
  get sequence(): number {
    return this.#sequence;
  }

  /**
   * Registers a listener.
   * @param name for the log and the metric of failures
   */
  listen(listener: PoolListener, name = 'unnamed'): void {
    this.#guard.registerListener(name);
    this.#listeners.push({ name, listener });
  }
  /** Registers a listener that is called whenever the counter changes. */
  onCounter(listener: (counter: number) => void, name: string): void {
    this.#counterListeners.add(listener, name);
  }
  /** Increments the counter. Called for each block of a tip change, and when the node stops. */
  bumpCounter(): void {
    this.#counter = (this.#counter + 1) >>> 0;
    this.rows.generation++;
    this.#counterListeners.call(this.#counter);
  }

  /**
   * Adds a transaction and links it to its parents in the mempool. linkChildren adds the links to children that are in
   * the mempool already.
   * @returns the new row
   */
  add(fields: EntryFields): number {
    const { tx } = fields;
    const row = this.records.add(tx, (row) => this.#fillRow(row, fields));
    for (let i = 0; i < tx.inputCount; i++) {
      const parent = this.records.find(tx.buffer, tx.outpointAt(i));
      if (parent !== NO_ROW) this.#link(parent, row);
    }
    if (this.links.hasParents(row)) for (const ancestor of collectAncestors(this.links, row)) this.#relate(ancestor, row);
    this.rows.usage[row] = entryUsage(tx);
    this.#usage += this.rows.usage[row];
    if (this.size > this.#hashCapacity) this.#hashCapacity = Math.max(1, this.#hashCapacity * 2);
    this.#bytes += fields.size;
    this.#totalFees += fields.fee;
    this.eviction.insert(row);
    this.bumpCounter();
    this.#sequence++;
    this.records.notify('added', row);
    if (this.#listeners.length > 0) {
      const entry = new MempoolEntry(this.records, row, tx);
      for (const { name, listener } of this.#listeners) this.#guard.run(name, () => listener.added(entry));
    }
    return row;
  }

  /** Removes a set of rows. The set must contain all descendants of its rows. */
  remove(stage: ReadonlySet<number>, reason: RemovalReason): void {
    for (const row of stage) {
      if (!this.links.hasParents(row)) continue;
      for (const ancestor of collectAncestors(this.links, row)) {
        if (!stage.has(ancestor)) this.#unrelateDescendant(ancestor, row);
      }
    }
    this.#unlink(stage);
    for (const row of stage) {
      this.#removeFromRelatives(row);
      this.#drop(row, reason);
    }
  }

  /**
   * Begins to remove the rows that a block confirms. Removes their links and sums, and notifies followers that the rows
   * leave. The rows can still be found by txid until `confirm` finishes the removal in the same
   * event-loop tick.
   * @param rows in block order. Their ancestors are among them or have left before
   */
  confirming(rows: readonly number[]): void {
    const stage = new Set(rows.filter((row) => this.links.hasParents(row) || this.links.hasChildren(row)));
    // Unlink all rows together. Otherwise a cluster that leaves completely would be walked once for each of its
    // transactions.
    const staying = new Set<number>();
    for (const row of stage) {
      if (!this.links.hasChildren(row)) continue;
      for (const child of this.links.children(row)) if (!stage.has(child)) collectDescendants(this.links, child, staying);
    }
    for (const row of staying) {
      for (const ancestor of collectAncestors(this.links, row)) if (stage.has(ancestor)) this.#unrelateAncestor(ancestor, row);
    }
    this.#unlink(stage);
    for (const row of rows) this.#removeFromRelatives(row);
  }

  /**
   * Finishes the removal of a confirmed row.
   * @param tx the transaction as in the block; its witness may differ from that of the row
   */
  confirm(row: number, tx: TxView): void {
    const same = sameBytes(this.records.arena.bytesOf(row), this.records.wtxidAt(row), tx.wtxid, 0, ID_BYTES);
    this.#drop(row, 'block', same ? tx : undefined);
  }

  /** Removes all links of rows. */
  #unlink(stage: ReadonlySet<number>): void {
    for (const row of stage) {
      const orphaned = this.links.hasChildren(row) ? this.links.children(row) : NO_CHILDREN;
      this.#usage -= this.links.unlinkAll(row) * LINK_USAGE;
      for (const child of orphaned) if (!stage.has(child)) this.#changed(child);
    }
  }

  /** Removes a row and its descendants. */
  removeWithDescendants(row: number, reason: RemovalReason): void {
    const stage = new Set<number>();
    collectDescendants(this.links, row, stage);
    this.remove(stage, reason);
  }

  /** Removes a transaction and its descendants, even if the transaction itself is not in the mempool. */
  removeRecursive(tx: TxView, reason: RemovalReason): void {
    if (this.size === 0) return;
    const stage = new Set<number>();
    const row = this.records.find(tx.txid);
    if (row !== NO_ROW) collectDescendants(this.links, row, stage);
    else for (const child of this.records.spendersOf(tx.txid, tx.outputCount)) collectDescendants(this.links, child, stage);
    this.remove(stage, reason);
  }

  /** Returns whether a mempool transaction spends an output that this transaction spends. */
  hasConflicts(tx: TxView): boolean {
    for (let i = 0; i < tx.inputCount; i++) if (this.records.spender(tx.buffer, tx.outpointAt(i)) !== NO_ROW) return true;
    return false;
  }

  /**
   * Removes transactions that spend the same outputs as a confirmed transaction, with their descendants. Deletes the
   * fee deltas of the conflicting transactions, but not those of the descendants.
   */
  removeConflicts(tx: TxView): void {
    if (this.size === 0) return;
    for (let i = 0; i < tx.inputCount; i++) {
      const rival = this.records.spender(tx.buffer, tx.outpointAt(i));
      if (rival === NO_ROW || !this.rows.isHere(rival)) continue;
      if (this.deltas.size > 0) this.deltas.clear(this.records.entry(rival).txid);
      this.removeWithDescendants(rival, 'conflict');
    }
  }

  /**
   * Links returned rows to children that were in the mempool before the rows returned.
   * @param returned in block order; the rows may have other relatives already
   */
  linkChildren(returned: readonly number[]): void {
    for (let i = returned.length - 1; i >= 0; i--) {
      const row = returned[i];
      const children = this.unlinkedChildren(row);
      if (children.length === 0) continue;
      const below = new Set<number>();
      for (const child of children) collectDescendants(this.links, child, below);
      for (const ancestor of [row, ...(this.links.hasParents(row) ? collectAncestors(this.links, row) : [])]) {
        const counted = new Set<number>();
        collectDescendants(this.links, ancestor, counted);
        for (const descendant of below) if (!counted.has(descendant)) this.#relate(ancestor, descendant, true);
      }
      for (const child of children) {
        this.#link(row, child);
        this.#changed(child);
      }
    }
  }

  /** Returns rows that spend outputs of a row and are not linked to it yet. */
  unlinkedChildren(row: number): number[] {
    const spenders = this.records.spendersOf(this.records.entry(row).txid, this.records.tx(row).outputCount);
    return [...new Set(spenders)].filter((child) => !this.links.isParent(row, child));
  }

  /**
   * Adds to the fee delta of a txid (prioritisetransaction). If the transaction is not in the mempool, the delta
   * applies when it arrives. The total is limited to MOST_DELTA.
   * @param txid internal order
   */
  prioritise(txid: Txid, wantedSats: number): void {
    const deltaSats = this.deltas.add(txid, wantedSats);
    const row = this.records.find(txid);
    if (row === NO_ROW) return;
    const { modifiedFee, ancestorFees, descendantFees } = this.rows;
    modifiedFee[row] += deltaSats;
    const below = new Set<number>();
    collectDescendants(this.links, row, below);
    for (const descendant of below) {
      ancestorFees[descendant] += deltaSats;
      this.#changed(descendant);
    }
    descendantFees[row] += deltaSats;
    this.eviction.resetRank(row);
    for (const ancestor of collectAncestors(this.links, row)) {
      descendantFees[ancestor] += deltaSats;
      this.eviction.resetRank(ancestor);
    }
    this.bumpCounter();
  }

  #fillRow(row: number, { tx, fee, time, height, sigopCost, size, spendsCoinbase, locks, returned }: EntryFields): void {
    const { rows } = this;
    const modifiedFee = fee + this.deltas.of(tx.txid);
    rows.fee[row] = fee;
    rows.modifiedFee[row] = modifiedFee;
    rows.time[row] = time;
    rows.size[row] = size;
    rows.ancestorSize[row] = size;
    rows.ancestorFees[row] = modifiedFee;
    rows.descendantSize[row] = size;
    rows.descendantFees[row] = modifiedFee;
    rows.height[row] = height;
    rows.weight[row] = tx.weight;
    rows.sigopCost[row] = sigopCost;
    rows.lockTime[row] = effectiveLockTime(tx);
    rows.ancestorCount[row] = 1;
    rows.ancestorSigops[row] = sigopCost;
    rows.descendantCount[row] = 1;
    if (locks !== null) this.records.locks.set(row, locks);
    resetRank(rows, row);
    rows.scorePlace[row] = -1;
    rows.agePlace[row] = -1;
    rows.feeBucket[row] = -1;
    rows.holds[row] = 0;
    rows.flags[row] =
      FLAG.here |
      (spendsCoinbase ? FLAG.spendsCoinbase : 0) |
      (locks === null ? 0 : FLAG.sequenceLock) |
      (tx.hasWitness ? FLAG.hasWitness : 0) |
      (signalsReplacement(tx) ? FLAG.signals : 0) |
      (returned === true ? FLAG.returned : 0);
  }

  #link(parent: number, child: number): void {
    if (this.links.isParent(parent, child)) return;
    this.links.link(parent, child);
    this.#usage += LINK_USAGE;
  }

  /** Adds an ancestor and a descendant that were not related before to each other's sums. */
  #relate(ancestor: number, descendant: number, notify = false): void {
    const { rows } = this;
    rows.ancestorCount[descendant]++;
    rows.ancestorSize[descendant] += rows.size[ancestor];
    rows.ancestorFees[descendant] += rows.modifiedFee[ancestor];
    rows.ancestorSigops[descendant] += rows.sigopCost[ancestor];
    rows.descendantCount[ancestor]++;
    rows.descendantSize[ancestor] += rows.size[descendant];
    rows.descendantFees[ancestor] += rows.modifiedFee[descendant];
    this.eviction.update(ancestor);
    if (!notify) return;
    this.eviction.resetRank(descendant);
    this.#changed(descendant);
  }

  #unrelateAncestor(removed: number, descendant: number): void {
    const { rows } = this;
    rows.ancestorCount[descendant]--;
    rows.ancestorSize[descendant] -= rows.size[removed];
    rows.ancestorFees[descendant] -= rows.modifiedFee[removed];
    rows.ancestorSigops[descendant] -= rows.sigopCost[removed];
    this.#changed(descendant);
  }

  #unrelateDescendant(ancestor: number, removed: number): void {
    const { rows } = this;
    rows.descendantCount[ancestor]--;
    rows.descendantSize[ancestor] -= rows.size[removed];
    rows.descendantFees[ancestor] -= rows.modifiedFee[removed];
    this.eviction.resetRank(ancestor);
  }

  /**
   * Marks a row as removed and notifies the followers. Holds the row until #drop, so that a follower's release cannot
   * free it earlier.
   */
  #removeFromRelatives(row: number): void {
    this.records.hold(row);
    this.rows.flags[row] &= ~FLAG.here;
    this.records.notify('removed', row);
  }

  /**
   * Removes a row from all tables, notifies the listeners and releases the row.
   * @param tx the row's transaction; its bytes may be those of the block
   */
  #drop(row: number, reason: RemovalReason, tx = this.records.tx(row)): void {
    const { rows } = this;
    this.records.delete(row, tx);
    this.#usage -= rows.usage[row];
    const left = this.size;
    if (left > 0 && left * 2 < this.#hashCapacity) this.#hashCapacity = left;
    this.#bytes -= rows.size[row];
    this.#totalFees -= rows.fee[row];
    this.eviction.remove(row);
    this.bumpCounter();
    this.#sequence++;
    if (this.#listeners.length > 0) {
      const entry = this.records.entry(row);
      for (const { name, listener } of this.#listeners) this.#guard.run(name, () => listener.removed(entry, reason));
    }
    this.records.release(row);
  }

  #changed(row: number): void {
    this.records.notify('changed', row);
    if (this.#listeners.length === 0) return;
    const entry = this.records.entry(row);
    for (const { name, listener } of this.#listeners) this.#guard.run(name, () => listener.changed(entry));
  }
}

const NO_CHILDREN: readonly number[] = [];

/** Returns nLockTime; 0 if every input disables it. */
function effectiveLockTime(tx: TxView): number {
  if (tx.locktime === 0) return 0;
  for (let i = 0; i < tx.inputCount; i++) if (tx.sequence(i) !== SEQUENCE_FINAL) return tx.locktime;
  return 0;
}
