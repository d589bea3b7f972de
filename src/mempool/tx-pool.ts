// The pool's structure: rows by txid, wtxid and spent outpoint, links, sums over ancestors and descendants, deltas of
// fees, and the transactions-updated counter. Synchronous and complete after each call; what may enter is decided
// elsewhere (accept/). A change costs time in proportion to what it touches: the rows that come or go and their
// relatives.
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

/** Why a transaction left, as Core's MemPoolRemovalReason. */
export type RemovalReason = 'expiry' | 'sizelimit' | 'reorg' | 'block' | 'conflict' | 'replaced';

/** Hears of every change, synchronously and in order. The views are for at once. */
export interface PoolListener {
  added(entry: MempoolEntry): void;
  removed(entry: MempoolEntry, reason: RemovalReason): void;
  /** Parents, modified fee or sums over ancestors changed. */
  changed(entry: MempoolEntry): void;
}

/** Hears the same by rows. One that is removed may be held. */
export interface RowListener {
  added(row: number): void;
  removed(row: number): void;
  changed(row: number): void;
  /** Its record lies elsewhere now. */
  moved(row: number): void;
  /** Called after another method of the follower threw: the follower's copy of rows may be wrong. */
  failed(): void;
}

export class TxPool implements EntryStore {
  readonly rows = new Rows();
  readonly links = new LinkTable(this.rows);
  readonly arena: RecordArena;
  /** Of rows with FLAG.sequenceLock: few, since payments have none. */
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
  /** Room in Core's list of hashes: doubles when full, shrinks to fit when half of it is idle. */
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
  /** Base fees of everything here. */
  get totalFees(): number {
    return this.#totalFees;
  }
  /** Estimated memory in Core's count. */
  get usageBytes(): number {
    return this.#usage + this.#deltas.size * DELTA_USAGE + hashListUsage(this.#hashCapacity);
  }
  /** Functions that views are read with: those of the transactions that came. */
  get hashes(): Hashes {
    if (this.#hashes === null) throw new Error('the pool was never given a transaction');
    return this.#hashes;
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
  /** The serial of the youngest row. */
  get lastSerial(): number {
    return this.#serial;
  }
  /** First row to be evicted. */
  get worst(): number | undefined {
    return this.#scores.peek();
  }
  /** Says what a row's chunk pays. @param fee modified fees @param weight sigop-adjusted */
  setRank(row: number, fee: number, weight: number): void {
    this.rows.rankFee[row] = fee;
    this.rows.rankWeight[row] = weight;
    this.#scores.update(row);
  }
  get oldest(): number | undefined {
    return this.#ages.peek();
  }
  /** Satoshis that prioritisetransaction added, by key of the txid. */
  get deltas(): ReadonlyMap<string, number> {
    return this.#deltas;
  }

  /** The row of a txid, 32 bytes at `at` in internal order; NO_ROW when it isn't here. */
  find(txid: Uint8Array, at = 0): number {
    return this.#byTxid.get(txid, at);
  }
  /** The same by wtxid. */
  findWitness(wtxid: Uint8Array, at = 0): number {
    return this.#byWtxid.get(wtxid, at);
  }
  /** Who spends an outpoint, 36 bytes at `at`. */
  spender(outpoint: Uint8Array, at = 0): number {
    return this.#spenders.get(outpoint, at);
  }
  /** A view of a row that is here or held. */
  entry(row: number): MempoolEntry {
    return new MempoolEntry(this, row);
  }
  /** Where a row's wtxid begins in the piece of memory that arena names. */
  wtxidAt(row: number): number {
    return this.rows.offset[row] + WTXID_AT;
  }
  /** What is stored of a row that is here or held, not parsed, for as long as it is needed. */
  stored(row: number): StoredTx {
    return storedTx(this, row);
  }
  /** A row's transaction where it lies, in shared memory; for a look. */
  tx(row: number): TxView {
    return txInPlace(this, row);
  }
  /**
   * The bytes of a row's transaction, in place; good for as long as the row is here or held, and never written again.
   */
  bytesOf(row: number): Uint8Array {
    const from = this.rows.offset[row] + RECORD_HEADER;
    return this.arena.bytesOf(row).subarray(from, from + this.rows.length[row]);
  }
  /** What prioritisetransaction added for a txid. */
  delta(txid: Uint8Array): number {
    return this.#deltas.size === 0 ? 0 : (this.#deltas.get(hashKey(txid)) ?? 0);
  }
  /** Registers a follower. @param name for the log and the metric of failures */
  listen(listener: PoolListener, name = 'unnamed'): void {
    this.#guard.registerListener(name);
    this.#listeners.push({ name, listener });
  }
  follow(follower: RowListener): void {
    this.#followers.push(follower);
  }

  /** Core's order of txids: bytes as stored, first byte first (which is the last one displayed). */
  compareIds = (a: number, b: number): number => {
    const { offset } = this.rows;
    const aBytes = this.arena.bytesOf(a);
    const bBytes = this.arena.bytesOf(b);
    for (let i = offset[a], k = offset[b], end = i + 32; i < end; i++, k++) {
      if (aBytes[i] !== bBytes[k]) return aBytes[i] - bBytes[k];
    }
    return 0;
  };

  /** The row's figures and bytes stay as they are until as many releases, also when its transaction leaves. */
  hold(row: number): void {
    this.rows.holds[row]++;
  }
  release(row: number): void {
    if (--this.rows.holds[row] === 0 && !this.rows.isHere(row)) this.#recycle(row);
  }

  /** The tip moved by one block, or the node shuts down. */
  bumpCounter(): void {
    this.#counter = (this.#counter + 1) >>> 0;
    this.onCounter(this.#counter);
  }

  /**
   * Adds a transaction whose parents are here; links to children already here are made by linkChildren.
   * @returns its row
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

  /** Removes a set that is closed under descendants. */
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
   * Rows that a block confirms, in its order, leave: nothing is related to them any more, and followers take them for
   * gone. The rest of each, by which it is still found, is left to `confirmed` and `confirm` in the same turn. Their
   * ancestors are among them or have left before.
   */
  confirming(rows: readonly number[]): void {
    const stage = new Set(rows.filter((row) => this.links.hasParents(row) || this.links.hasChildren(row)));
    // All at once: a cluster that leaves whole would be walked once for each of its transactions otherwise.
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

  /** None of these is evicted any more. */
  confirmed(rows: readonly number[]): void {
    this.#scores.removeAll(rows);
    this.#ages.removeAll(rows);
  }

  /** Ends what `confirming` began. @param tx as in the block, perhaps with another witness */
  confirm(row: number, tx: TxView): void {
    const same = sameBytes(this.arena.bytesOf(row), this.rows.offset[row] + ID_BYTES, tx.wtxid, 0, ID_BYTES);
    this.#drop(row, 'block', same ? tx : undefined);
  }

  /** Takes rows out of the links. */
  #unlink(stage: ReadonlySet<number>): void {
    for (const row of stage) {
      const orphaned = this.links.hasChildren(row) ? this.links.children(row) : NO_CHILDREN;
      this.#usage -= this.links.unlinkAll(row) * LINK_USAGE;
      for (const child of orphaned) if (!stage.has(child)) this.#changed(child);
    }
  }

  /** A row and everything after it. */
  removeWithDescendants(row: number, reason: RemovalReason): void {
    const stage = new Set<number>();
    collectDescendants(this.links, row, stage);
    this.remove(stage, reason);
  }

  /** Whatever in the pool is this transaction or depends on it, also when the transaction itself isn't here. */
  removeRecursive(tx: TxView, reason: RemovalReason): void {
    if (this.size === 0) return;
    const stage = new Set<number>();
    const row = this.find(tx.txid);
    if (row !== NO_ROW) collectDescendants(this.links, row, stage);
    else for (const child of this.#spendersOf(tx.txid, tx.outputCount)) collectDescendants(this.links, child, stage);
    this.remove(stage, reason);
  }

  /** Whether an output that a transaction spends is spent here. */
  hasConflicts(tx: TxView): boolean {
    for (let i = 0; i < tx.inputCount; i++) if (this.spender(tx.buffer, tx.outpointAt(i)) !== NO_ROW) return true;
    return false;
  }

  /**
   * What spends the same outputs as a confirmed transaction, which left, goes with all that depends on it and their
   * prioritisations.
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
   * Rows that came back from disconnected blocks meet children that were here before. In block order; each may have
   * relatives already, by whatever way.
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

  /** Rows that spend a row and are not linked to it yet. */
  unlinkedChildren(row: number): number[] {
    const spenders = this.#spendersOf(this.entry(row).txid, this.tx(row).outputCount);
    return [...new Set(spenders)].filter((child) => !this.links.isParent(row, child));
  }

  /**
   * prioritisetransaction: adds to a txid's fee in all rankings, now and when it comes later. All that was added stops
   * at MOST_DELTA.
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

  /** Forgets a prioritisation, as when its transaction was mined. */
  clearDelta(txid: Uint8Array): void {
    if (this.#deltas.size > 0) this.#deltas.delete(hashKey(txid));
  }

  /** Every prioritisation by txid, with the row it is for, NO_ROW when that isn't here. */
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

  /** Puts a new pair of relatives into each other's sums. */
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

  /** Held until it is dropped, so that no listener's release gives the row away before. */
  #removeFromRelatives(row: number): void {
    this.hold(row);
    this.rows.flags[row] &= ~FLAG.here;
    this.#notifyFollowers('removed', row);
  }

  /** Of a row that left. @param tx its transaction, wherever its bytes lie */
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

/** nLockTime, or 0 when every input switches it off. */
function effectiveLockTime(tx: TxView): number {
  if (tx.locktime === 0) return 0;
  for (let i = 0; i < tx.inputCount; i++) if (tx.sequence(i) !== SEQUENCE_FINAL) return tx.locktime;
  return 0;
}
