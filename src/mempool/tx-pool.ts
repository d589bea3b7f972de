// Data structure of the mempool: rows by txid, wtxid and spent outpoint, links, sums over ancestors and descendants,
// fee deltas, and the transactions-updated counter. It is synchronous and consistent after each call. The code in
// accept/ decides which transactions may enter. A change costs time in proportion to the rows that it adds or removes
// and their relatives.
import { hashKey } from '../consensus/bytes/hex.js';
import { SEQUENCE_FINAL } from '../consensus/rules/locks.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { RECORD_HEADER, WTXID_AT } from '../jobs/assemble-messages.js';
import { ListenerGuard } from '../lib/listener-guard.js';
import { silentLogger } from '../log/logger.js';
import { signalsReplacement } from '../policy/replaceable.js';
import { type EntryFields, type EntryStore, type LockPoints, MempoolEntry, type StoredTx, storedTx, txInPlace } from './entry.js';
import { byAge, resetRank, worseByDescendants, worseByRank } from './eviction-order.js';
import { ID_BYTES, IdTable } from './id-table.js';
import { LinkTable } from './link-table.js';
import { sameBytes } from './open-table.js';
import { MOST_DELTA } from './options.js';
import { RecordArena } from './record-arena.js';
import { collectAncestors, collectDescendants } from './relatives.js';
import { RowHeap } from './row-heap.js';
import { FLAG, NO_ROW, Rows } from './rows.js';
import { SpenderTable } from './spender-table.js';
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

/** Follower of changes by row, such as the assembler's mirror. It may hold a removed row. */
export interface RowListener {
  added(row: number): void;
  removed(row: number): void;
  changed(row: number): void;
  /** Called when the row's record has moved. */
  moved(row: number): void;
  /** Called after another method of the follower threw. The follower's copy of the rows may be wrong. */
  failed(): void;
}

export class TxPool implements EntryStore {
  readonly rows = new Rows();
  readonly links = new LinkTable(this.rows);
  readonly arena: RecordArena;
  /** Lock points of rows with FLAG.sequenceLock. The map is small, because most payments have no relative locks. */
  readonly locks = new Map<number, LockPoints>();
  readonly #byTxid: IdTable;
  readonly #byWtxid: IdTable;
  readonly #spenders: SpenderTable;
  readonly #scores: RowHeap;
  readonly #ages = new RowHeap(this.rows, 'agePlace', byAge(this.rows));
  readonly #deltas = new Map<string, number>();
  readonly #listeners: { readonly name: string; readonly listener: PoolListener }[] = [];
  readonly #guard: ListenerGuard;
  readonly #followers: RowListener[] = [];
  #hashes: Hashes | null = null;
  #usage = 0;
  /**
   * Capacity that Core's list of transaction hashes would have: it doubles when full and shrinks when half of it is
   * unused.
   */
  #hashCapacity = 0;
  #bytes = 0;
  #txBytes = 0;
  #totalFees = 0;
  #counter = 0;
  #sequence = 1;
  #serial = 0;

  /** @param segmentBytes, evictChunks see MempoolOptions @param guard runs the listeners */
  constructor(segmentBytes: number, evictChunks = false, guard = new ListenerGuard(silentLogger)) {
    this.#guard = guard;
    const { rows } = this;
    this.#scores = new RowHeap(rows, 'scorePlace', evictChunks ? worseByRank(rows, this.compareIds) : worseByDescendants(rows));
    this.arena = new RecordArena(this.rows, segmentBytes, (row) => {
      this.#notifyFollowers('moved', row);
    });
    this.#byTxid = new IdTable(this.rows, this.arena, 0);
    this.#byWtxid = new IdTable(this.rows, this.arena, 32);
    this.#spenders = new SpenderTable(this.rows, this.arena);
  }

  get size(): number {
    return this.#byTxid.size;
  }
  /** Sum of the virtual sizes. */
  get bytes(): number {
    return this.#bytes;
  }
  /** Serialised bytes of all transactions. */
  get txBytes(): number {
    return this.#txBytes;
  }
  /** Sum of base fees in satoshis. */
  get totalFees(): number {
    return this.#totalFees;
  }
  /** Estimated memory in bytes, counted as Core does. */
  get usageBytes(): number {
    return this.#usage + this.#deltas.size * DELTA_USAGE + hashListUsage(this.#hashCapacity);
  }
  /** Hash functions for views, taken from the first added transaction. */
  get hashes(): Hashes {
    if (this.#hashes === null) throw new Error('the pool has not received a transaction yet');
    return this.#hashes;
  }
  /** Called whenever the counter changes. */
  onCounter: (counter: number) => void = () => {};

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
  /** Serial of the newest row. */
  get lastSerial(): number {
    return this.#serial;
  }
  /** Row that is evicted first. */
  get worst(): number | undefined {
    return this.#scores.peek();
  }
  /**
   * Sets the rank of a row to the rate of its chunk.
   * @param fee modified fees
   * @param weight sigop-adjusted
   */
  setRank(row: number, fee: number, weight: number): void {
    this.rows.rankFee[row] = fee;
    this.rows.rankWeight[row] = weight;
    this.#scores.update(row);
  }
  get oldest(): number | undefined {
    return this.#ages.peek();
  }
  /** Fee deltas of prioritisetransaction in satoshis, by key of the txid. */
  get deltas(): ReadonlyMap<string, number> {
    return this.#deltas;
  }

  /** Returns the row of a txid (32 bytes at `at`, internal order); NO_ROW if it is not in the mempool. */
  find(txid: Uint8Array, at = 0): number {
    return this.#byTxid.get(txid, at);
  }
  /** Returns the row of a wtxid, like `find`. */
  findWitness(wtxid: Uint8Array, at = 0): number {
    return this.#byWtxid.get(wtxid, at);
  }
  /** Returns the row that spends an outpoint (36 bytes at `at`); NO_ROW for none. */
  spender(outpoint: Uint8Array, at = 0): number {
    return this.#spenders.get(outpoint, at);
  }
  /** Returns a view of a row that is in the mempool or held. */
  entry(row: number): MempoolEntry {
    return new MempoolEntry(this, row);
  }
  /** Returns the offset of a row's wtxid in its segment of the arena. */
  wtxidAt(row: number): number {
    return this.rows.offset[row] + WTXID_AT;
  }
  /** Returns the stored transaction of a row that is in the mempool or held, not parsed. */
  stored(row: number): StoredTx {
    return storedTx(this, row);
  }
  /** Returns a view of a row's transaction in place, in shared memory, for reading at once. */
  tx(row: number): TxView {
    return txInPlace(this, row);
  }
  /** Returns the bytes of a row's transaction in place. They stay valid while the row is in the mempool or held. */
  bytesOf(row: number): Uint8Array {
    const from = this.rows.offset[row] + RECORD_HEADER;
    return this.arena.bytesOf(row).subarray(from, from + this.rows.length[row]);
  }
  /** Returns the fee delta of a txid in satoshis. */
  delta(txid: Uint8Array): number {
    return this.#deltas.size === 0 ? 0 : (this.#deltas.get(hashKey(txid)) ?? 0);
  }
  /**
   * Registers a listener.
   * @param name for the log and the metric of failures
   */
  listen(listener: PoolListener, name = 'unnamed'): void {
    this.#guard.registerListener(name);
    this.#listeners.push({ name, listener });
  }
  follow(follower: RowListener): void {
    this.#followers.push(follower);
  }

  /**
   * Compares rows by txid in Core's order: byte by byte in internal order, so the byte that is displayed last counts
   * most.
   */
  compareIds = (a: number, b: number): number => {
    const { offset } = this.rows;
    const aBytes = this.arena.bytesOf(a);
    const bBytes = this.arena.bytesOf(b);
    for (let i = offset[a], k = offset[b], end = i + 32; i < end; i++, k++) {
      if (aBytes[i] !== bBytes[k]) return aBytes[i] - bBytes[k];
    }
    return 0;
  };

  /**
   * Holds a row: its figures and bytes remain readable after its transaction leaves, until `release` was called as
   * often as `hold`.
   */
  hold(row: number): void {
    this.rows.holds[row]++;
  }
  release(row: number): void {
    if (--this.rows.holds[row] === 0 && !this.rows.isHere(row)) this.#recycle(row);
  }

  /** Increments the counter. Called for each block of a tip change, and when the node stops. */
  bumpCounter(): void {
    this.#counter = (this.#counter + 1) >>> 0;
    this.onCounter(this.#counter);
  }

  /**
   * Adds a transaction and links it to its parents in the mempool. linkChildren adds the links to children that are in
   * the mempool already.
   * @returns the new row
   */
  add(fields: EntryFields): number {
    const { tx } = fields;
    this.#hashes ??= tx.hashes;
    const row = this.rows.allocate();
    this.#fillRow(row, fields);
    this.arena.store(row, tx);
    this.#byTxid.add(row);
    this.#byWtxid.add(row);
    for (let i = 0; i < tx.inputCount; i++) {
      const at = tx.outpointAt(i);
      this.#spenders.add(row, RECORD_HEADER + at - tx.start);
      const parent = this.#byTxid.get(tx.buffer, at);
      if (parent !== NO_ROW) this.#link(parent, row);
    }
    if (this.links.hasParents(row)) for (const ancestor of collectAncestors(this.links, row)) this.#relate(ancestor, row);
    this.rows.usage[row] = entryUsage(tx);
    this.#usage += this.rows.usage[row];
    if (this.size > this.#hashCapacity) this.#hashCapacity = Math.max(1, this.#hashCapacity * 2);
    this.#bytes += fields.size;
    this.#txBytes += tx.totalSize;
    this.#totalFees += fields.fee;
    this.#scores.insert(row);
    this.#ages.insert(row);
    this.bumpCounter();
    this.#sequence++;
    this.#notifyFollowers('added', row);
    if (this.#listeners.length > 0) {
      const entry = new MempoolEntry(this, row, tx);
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
   * leave. The rows can still be found by txid until `confirmed` and `confirm` finish the removal in the same
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

  /** Removes confirmed rows from the heaps of eviction and expiry. */
  confirmed(rows: readonly number[]): void {
    this.#scores.removeAll(rows);
    this.#ages.removeAll(rows);
  }

  /**
   * Finishes the removal of a confirmed row.
   * @param tx the transaction as in the block; its witness may differ from that of the row
   */
  confirm(row: number, tx: TxView): void {
    const same = sameBytes(this.arena.bytesOf(row), this.rows.offset[row] + ID_BYTES, tx.wtxid, 0, ID_BYTES);
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
    const row = this.find(tx.txid);
    if (row !== NO_ROW) collectDescendants(this.links, row, stage);
    else for (const child of this.#spendersOf(tx.txid, tx.outputCount)) collectDescendants(this.links, child, stage);
    this.remove(stage, reason);
  }

  /** Returns whether a mempool transaction spends an output that this transaction spends. */
  hasConflicts(tx: TxView): boolean {
    for (let i = 0; i < tx.inputCount; i++) if (this.spender(tx.buffer, tx.outpointAt(i)) !== NO_ROW) return true;
    return false;
  }

  /**
   * Removes transactions that spend the same outputs as a confirmed transaction, with their descendants. Deletes the
   * fee deltas of the conflicting transactions, but not those of the descendants.
   */
  removeConflicts(tx: TxView): void {
    if (this.size === 0) return;
    for (let i = 0; i < tx.inputCount; i++) {
      const rival = this.spender(tx.buffer, tx.outpointAt(i));
      if (rival === NO_ROW || !this.rows.isHere(rival)) continue;
      if (this.#deltas.size > 0) this.#deltas.delete(hashKey(this.entry(rival).txid));
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
    const spenders = this.#spendersOf(this.entry(row).txid, this.tx(row).outputCount);
    return [...new Set(spenders)].filter((child) => !this.links.isParent(row, child));
  }

  /**
   * Adds to the fee delta of a txid (prioritisetransaction). If the transaction is not in the mempool, the delta
   * applies when it arrives. The total is limited to MOST_DELTA.
   * @param txid internal order
   */
  prioritise(txid: Uint8Array, wantedSats: number): void {
    const key = hashKey(txid);
    const before = this.#deltas.get(key) ?? 0;
    const total = Math.max(-MOST_DELTA, Math.min(MOST_DELTA, before + wantedSats));
    const deltaSats = total - before;
    if (total === 0) this.#deltas.delete(key);
    else this.#deltas.set(key, total);
    const row = this.find(txid);
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
    this.#resetRank(row);
    for (const ancestor of collectAncestors(this.links, row)) {
      descendantFees[ancestor] += deltaSats;
      this.#resetRank(ancestor);
    }
    this.bumpCounter();
  }

  /** Removes a fee delta, for example when its transaction was mined. */
  clearDelta(txid: Uint8Array): void {
    if (this.#deltas.size > 0) this.#deltas.delete(hashKey(txid));
  }

  /** Yields all fee deltas with their rows; NO_ROW if the transaction is not in the mempool. */
  *prioritised(): IterableIterator<{ txid: Uint8Array; delta: number; row: number }> {
    for (const [key, delta] of this.#deltas) {
      const txid = Uint8Array.from(key, (character) => character.charCodeAt(0));
      yield { txid, delta, row: this.find(txid) };
    }
  }

  #fillRow(row: number, { tx, fee, time, height, sigopCost, size, spendsCoinbase, locks, returned }: EntryFields): void {
    const { rows } = this;
    const modifiedFee = fee + this.delta(tx.txid);
    rows.fee[row] = fee;
    rows.modifiedFee[row] = modifiedFee;
    rows.time[row] = time;
    rows.size[row] = size;
    rows.ancestorSize[row] = size;
    rows.ancestorFees[row] = modifiedFee;
    rows.descendantSize[row] = size;
    rows.descendantFees[row] = modifiedFee;
    this.#serial = (this.#serial + 1) >>> 0 || 1;
    rows.serial[row] = this.#serial;
    rows.height[row] = height;
    rows.weight[row] = tx.weight;
    rows.sigopCost[row] = sigopCost;
    rows.lockTime[row] = effectiveLockTime(tx);
    rows.ancestorCount[row] = 1;
    rows.ancestorSigops[row] = sigopCost;
    rows.descendantCount[row] = 1;
    if (locks !== null) this.locks.set(row, locks);
    this.links.clear(row);
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

  #spendersOf(txid: Uint8Array, outputCount: number): number[] {
    const found: number[] = [];
    const outpoint = new Uint8Array(36);
    outpoint.set(txid);
    const view = new DataView(outpoint.buffer);
    for (let i = 0; i < outputCount; i++) {
      view.setUint32(32, i, true);
      const child = this.spender(outpoint);
      if (child !== NO_ROW) found.push(child);
    }
    return found;
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
    this.#scores.update(ancestor);
    if (!notify) return;
    this.#resetRank(descendant);
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
    this.#resetRank(ancestor);
  }

  #resetRank(row: number): void {
    resetRank(this.rows, row);
    this.#scores.update(row);
  }

  /**
   * Marks a row as removed and notifies the followers. Holds the row until #drop, so that a follower's release cannot
   * free it earlier.
   */
  #removeFromRelatives(row: number): void {
    this.hold(row);
    this.rows.flags[row] &= ~FLAG.here;
    this.#notifyFollowers('removed', row);
  }

  /**
   * Removes a row from all tables, notifies the listeners and releases the row.
   * @param tx the row's transaction; its bytes may be those of the block
   */
  #drop(row: number, reason: RemovalReason, tx = this.tx(row)): void {
    const { rows } = this;
    this.#byTxid.delete(row);
    this.#byWtxid.delete(row);
    for (let i = 0; i < tx.inputCount; i++) this.#spenders.delete(row, RECORD_HEADER + tx.outpointAt(i) - tx.start);
    this.#usage -= rows.usage[row];
    const left = this.size;
    if (left > 0 && left * 2 < this.#hashCapacity) this.#hashCapacity = left;
    this.#bytes -= rows.size[row];
    this.#txBytes -= rows.length[row];
    this.#totalFees -= rows.fee[row];
    this.#scores.remove(row);
    this.#ages.remove(row);
    this.locks.delete(row);
    this.bumpCounter();
    this.#sequence++;
    if (this.#listeners.length > 0) {
      const entry = this.entry(row);
      for (const { name, listener } of this.#listeners) this.#guard.run(name, () => listener.removed(entry, reason));
    }
    this.release(row);
  }

  #recycle(row: number): void {
    this.arena.free(row);
    this.rows.serial[row] = 0;
    this.rows.recycle(row);
  }

  #changed(row: number): void {
    this.#notifyFollowers('changed', row);
    if (this.#listeners.length === 0) return;
    const entry = this.entry(row);
    for (const { name, listener } of this.#listeners) this.#guard.run(name, () => listener.changed(entry));
  }

  #notifyFollowers(event: 'added' | 'removed' | 'changed' | 'moved', row: number): void {
    for (const follower of this.#followers) {
      if (!this.#guard.run('mempool rows', () => follower[event](row))) follower.failed();
    }
  }
}

const NO_CHILDREN: readonly number[] = [];

/** Returns nLockTime; 0 if every input disables it. */
function effectiveLockTime(tx: TxView): number {
  if (tx.locktime === 0) return 0;
  for (let i = 0; i < tx.inputCount; i++) if (tx.sequence(i) !== SEQUENCE_FINAL) return tx.locktime;
  return 0;
}
