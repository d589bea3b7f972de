// Applies blocks and mempool events to a wallet's transactions and coins, as CWallet of Core 0.21 does. All methods are
// synchronous. Rows go into a batch that the caller writes. Balances are in balance-sheet.ts. The file is long because each
// event changes transactions, spends and coins together.

import { equalBytes, hashKey } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { type TableImage, transferSet } from '../image/table-image.js';
import type { KeySource } from '../keys/key-source.js';
import { OWNERSHIP } from '../keys/ownership.js';
import { keyNumber, WALLET_PREFIX, walletKey } from '../storage/layout.js';
import type { WalletBatch } from '../storage/wallet-batch.js';
import type { WalletRecord } from '../wallet-record.js';
import { BalanceSheet } from './balance-sheet.js';
import { BUCKET, type Bucket, CoinTable, decodeCoinRow, encodeCoinRow, matchesFilter } from './coin-table.js';
import { addForeignOutput, removeForeignOutput } from './foreign-outputs.js';
import { outpointOf } from './outpoint.js';
import { PoolConflicts } from './pool-conflicts.js';
import { SpendTable } from './spend-table.js';
import { TX_STATE, type TxPlace, TxTable, UNCONFIRMED_PLACE } from './tx-table.js';
import { compareVersions, sameButSignatures } from './tx-versions.js';

/** Confirmations that a coinbase needs before it can be spent. Replies count one more, as in Core. */
const COINBASE_MATURITY = 100;
/** Depth up to which a coinbase is checked at each tip change, because a reorganisation may make it immature again. */
const SETTLED_DEPTH = 1000;
const TIME_TOLERANCE = 300;
const NOTHING = new Uint8Array(0);

/** Times of a recorded transaction, in seconds since 1970. */
export interface RecordTimes {
  readonly received: number;
  /** Core's smart time, which replies show; 0 if the ledger has to compute it. */
  readonly smart: number;
}

export interface LedgerDeps {
  readonly keys: KeySource;
  readonly record: WalletRecord;
  readonly now: () => number;
  /** True if own unconfirmed change counts and may be spent (-spendzeroconfchange). */
  readonly spendZeroConfChange: boolean;
  /** Returns whether the lock time allows the transaction in the next block. */
  readonly isFinal: (tx: TxView) => boolean;
  /** Called with the script of each spent coin, to mark its address as used (avoid_reuse). */
  readonly onSpent: (script: Uint8Array, batch: WalletBatch) => void;
  /**
   * Called when a payment to a key of the pool skips earlier keys of the pool: once for the script of each skipped
   * receiving address.
   */
  readonly onPassed: (script: Uint8Array, batch: WalletBatch) => void;
  /** WalletOptions.laterRecords */
  readonly laterRecords: boolean;
  /** Returns a transaction whose bytes are a copy, so that the bytes of its block can be freed. */
  readonly copyTx: (tx: TxView) => TxView;
  /** Called when the record of a transaction was added or changed. */
  readonly onChanged: (txRow: number) => void;
}

/** Returns the database key of a coin's lock. */
const lockKey = (outpoint: Uint8Array): Uint8Array =>
  walletKey(WALLET_PREFIX.lockedCoin, outpoint.subarray(0, 32), new DataView(outpoint.buffer, outpoint.byteOffset).getUint32(32, true));

export class Ledger {
  readonly txs = new TxTable();
  readonly coins = new CoinTable();
  readonly spends = new SpendTable();
  readonly sheet: BalanceSheet;
  /** Outputs that the user locked, by `hashKey(outpoint)`. */
  readonly locked = new Map<string, Uint8Array>();
  /** Locked outputs that have a database row, so that they stay locked after a restart. */
  readonly #persistentLocks = new Set<string>();
  /** Height of the last block that was processed. */
  tipHeight = -1;
  /** True if the bucket of every coin was computed for `tipHeight`. */
  isClassified = true;
  /**
   * Rows of conflicted transactions for which the block of the conflict left the chain. Their depth is 0 until another
   * confirmed transaction conflicts with them; then its block determines the depth, even if the old block was deeper.
   */
  readonly #orphanedConflicts = new Set<number>();
  readonly poolConflicts: PoolConflicts;
  /** Coins of coinbases below SETTLED_DEPTH, which every tip change checks. */
  readonly #recentCoinbases = new Set<number>();
  readonly #deps: LedgerDeps;

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    const { txs, coins, spends } = this;
    this.poolConflicts = new PoolConflicts(txs, spends, (row) => this.#classifyRow(row));
    const { spendZeroConfChange, isFinal } = deps;
    this.sheet = new BalanceSheet({ txs, coins, spends, spendZeroConfChange, isFinal, depth: (row) => this.depth(row) });
  }

  // -- locks of coins

  /** Locks an output against spending. @param batch makes the lock persistent; null: until the wallet is unloaded */
  lockCoin(outpoint: Uint8Array, batch: WalletBatch | null): void {
    const key = hashKey(outpoint);
    this.locked.set(key, outpoint);
    if (batch === null) return;
    this.#persistentLocks.add(key);
    batch.put(lockKey(outpoint), NOTHING);
  }
  unlockCoin(outpoint: Uint8Array, batch: WalletBatch): void {
    const key = hashKey(outpoint);
    this.locked.delete(key);
    if (this.#persistentLocks.delete(key)) batch.del(lockKey(outpoint));
  }
  /** Restores a locked coin from its row. @param key of the row */
  loadLock(key: Uint8Array): void {
    const outpoint = outpointOf(key.subarray(1, 33), keyNumber(key, 33));
    this.locked.set(hashKey(outpoint), outpoint);
    this.#persistentLocks.add(hashKey(outpoint));
  }

  // -- events of the node

  /**
   * Records a transaction if it pays the wallet or spends its coins. Core: SyncTransaction.
   * @param place block or mempool in which the transaction was seen
   * @param update false: leave transactions alone that have a record already
   * @returns whether the transaction was recorded
   */
  syncTransaction(tx: TxView, place: TxPlace, batch: WalletBatch, update = true): boolean {
    if (place.state === TX_STATE.CONFIRMED && !tx.isCoinbase) this.#markConflicts(tx, place, batch);
    const known = this.txs.find(tx.txid);
    if (known >= 0 && !update) return false;
    if (known < 0 && !this.#isRelevant(tx)) return false;
    for (let i = 0; i < tx.outputCount; i++) {
      for (const passed of this.#deps.keys.markUsed(tx.outputScript(i), batch)) this.#deps.onPassed(passed, batch);
    }
    const row = this.putRecord(tx, place, batch);
    if (tx.isCoinbase && place.state === TX_STATE.UNCONFIRMED && this.#deps.laterRecords) this.abandonTransaction(row, batch);
    return true;
  }

  /**
   * Adds the record of a transaction, or changes the place of its existing record.
   * @param times times of a new record that is copied from another wallet; absent: now
   * @returns row of the record
   */
  putRecord(tx: TxView, place: TxPlace, batch: WalletBatch, values?: ReadonlyMap<string, string>, times?: RecordTimes): number {
    this.#markSpentAddresses(tx, batch);
    let row = this.txs.find(tx.txid);
    if (row < 0) {
      const { record, now } = this.#deps;
      row = this.txs.add(tx, { place, received: times?.received ?? now(), order: record.nextOrder++ });
      this.txs.setSmartTime(row, times?.smart || (place.shownTime ?? this.#smartTime(row, place)));
      for (const [name, value] of values ?? []) this.txs.setValue(row, name, value);
      this.#link(tx, row, batch);
      this.#setLive(row, tx);
      this.txs.write(row, null, tx, batch);
      record.write(batch);
      this.#writeLinks(tx, row, batch);
    } else {
      const before = this.txs.place(row);
      if (place.state !== TX_STATE.CONFLICTED) this.#orphanedConflicts.delete(row);
      const moved = before.state !== place.state;
      if (moved) this.txs.setPlace(row, place);
      const version = this.#chooseVersion(row, tx, moved, batch);
      const wtxid = this.txs.wtxid(row);
      const isOther = version !== null && (wtxid === undefined || !equalBytes(version.wtxid, wtxid));
      this.#setLive(row, version ?? tx);
      // A rescan reports known transactions again. Write a record only if it changes.
      if (moved || isOther) this.txs.write(row, before, isOther ? version : null, batch);
      this.#addOutputs(tx, row, batch);
    }
    this.#classifyAround(tx, row);
    this.sheet.markChanged(row);
    this.#deps.onChanged(row);
    return row;
  }

  setTip(height: number): void {
    const before = this.tipHeight;
    const [low, high] = [Math.min(height, before), Math.max(height, before)];
    this.tipHeight = height;
    this.sheet.handleTipChange(height >= before);
    // A coin that a conflicted transaction spends counts as unspent while the block of the conflict is at or below the
    // tip (Core: CWallet::IsSpent). The tip has changed, so update these coins.
    for (const row of this.txs.conflictedRows()) {
      if (this.txs.height(row) <= low || this.txs.height(row) > high) continue;
      if (height < before) this.#orphanedConflicts.add(row);
      this.#classifyRow(row);
    }
    for (const coin of this.#recentCoinbases) {
      this.#classifyCoin(coin);
      if (this.depth(this.coins.txRow(coin)) > SETTLED_DEPTH) this.#recentCoinbases.delete(coin);
    }
  }

  /** Stores another version of a record's transaction, which differs in its witness. */
  addVersion(row: number, tx: TxView, batch: WalletBatch): void {
    if (!this.txs.versions(row).some(({ wtxid }) => equalBytes(wtxid, tx.wtxid))) this.txs.addVersion(row, this.#copyOf(tx), batch);
  }

  /**
   * Records that a transaction entered or left the mempool. It may be one that the wallet does not know, and that
   * conflicts with one of the wallet's.
   */
  setInMempool(tx: TxView, inside: boolean): void {
    const row = this.txs.find(tx.txid);
    if (row >= 0) {
      this.txs.setInMempool(row, inside);
      this.sheet.markChanged(row);
    }
    // Core marks these conflicts since version 28.
    if (!this.#deps.laterRecords) return;
    if (inside) this.poolConflicts.enter(tx);
    else this.poolConflicts.leave(tx);
  }

  /**
   * Marks transactions of the wallet as conflicted if they spend an output that a confirmed transaction also spends,
   * with their descendants.
   */
  #markConflicts(tx: TxView, place: TxPlace, batch: WalletBatch): void {
    const own = this.txs.find(tx.txid);
    for (let i = 0; i < tx.inputCount; i++) {
      if (!this.spends.has(tx.outpoint(i))) continue;
      for (const row of this.spends.spenders(tx.outpoint(i))) if (row !== own) this.markConflicted(row, place, batch);
    }
  }

  markConflicted(first: number, place: TxPlace, batch: WalletBatch): void {
    const conflictDepth = -(this.tipHeight - place.height + 1);
    if (conflictDepth >= 0) return;
    const todo = [first];
    const done = new Set<number>();
    for (let row = todo.pop(); row !== undefined; row = todo.pop()) {
      if (done.has(row)) continue;
      done.add(row);
      if (conflictDepth >= this.depth(row)) continue;
      this.#orphanedConflicts.delete(row);
      const before = this.txs.place(row);
      this.txs.setPlace(row, { ...place, state: TX_STATE.CONFLICTED, position: 0 });
      this.txs.write(row, before, null, batch);
      for (let vout = 0; vout < this.txs.outputCount(row); vout++) todo.push(...this.spends.spenders(outpointOf(this.txs.txid(row), vout)));
      this.#classifyRow(row);
    }
  }

  /**
   * Marks unconfirmed transactions as conflicted if a confirmed transaction of the wallet spends one of the same
   * outputs, with their descendants.
   */
  markAllConflicted(batch: WalletBatch): void {
    for (const row of [...this.txs.rowsOutsideChain()]) {
      if (this.txs.state(row) !== TX_STATE.UNCONFIRMED || !this.spends.hasConflicts(row)) continue;
      const tx = this.txs.view(row)!;
      for (let i = 0; i < tx.inputCount; i++) {
        for (const rival of this.spends.spenders(tx.outpoint(i))) {
          if (this.txs.state(rival) === TX_STATE.CONFIRMED) this.markConflicted(row, this.txs.place(rival), batch);
        }
      }
    }
  }

  /**
   * Abandons a transaction and its descendants (abandontransaction).
   * @returns false if it is confirmed, conflicted or in the mempool
   */
  abandonTransaction(first: number, batch: WalletBatch): boolean {
    if (this.depth(first) !== 0 || this.txs.inMempool(first)) return false;
    const todo = [first];
    const done = new Set<number>();
    for (let row = todo.pop(); row !== undefined; row = todo.pop()) {
      if (done.has(row)) continue;
      done.add(row);
      if (this.depth(row) !== 0 || this.txs.state(row) === TX_STATE.ABANDONED) continue;
      const before = this.txs.place(row);
      this.txs.setPlace(row, { ...UNCONFIRMED_PLACE, state: TX_STATE.ABANDONED });
      this.txs.write(row, before, null, batch);
      for (let vout = 0; vout < this.txs.outputCount(row); vout++) todo.push(...this.spends.spenders(outpointOf(this.txs.txid(row), vout)));
      this.#classifyRow(row);
    }
    return true;
  }

  /** Removes a transaction and its coins (removeprunedfunds). @param tx the version that the record stores */
  removeTransaction(tx: TxView, batch: WalletBatch): void {
    const row = this.txs.find(tx.txid);
    if (row < 0) return;
    this.sheet.markChanged(row);
    for (let i = 0; i < tx.outputCount; i++) removeForeignOutput(tx.outputScript(i), this.txs.order(row), batch);
    for (let i = 0; i < tx.inputCount; i++) {
      this.spends.remove(tx.outpoint(i), row);
      batch.del(walletKey(WALLET_PREFIX.spender, tx.outpoint(i), tx.txid));
    }
    for (const coin of this.coins.ofTx(row)) {
      const outpoint = this.coins.outpoint(coin);
      this.#recentCoinbases.delete(coin);
      this.coins.remove(outpoint);
      batch.del(walletKey(WALLET_PREFIX.output, outpoint));
    }
    this.txs.remove(tx.txid, batch);
    this.poolConflicts.remove(row);
    this.#orphanedConflicts.delete(row);
    this.#classifyInputs(tx);
  }

  // -- queries

  /** Returns the confirmations of a record: 0 if unconfirmed, negative if conflicted. */
  depth(row: number): number {
    const state = this.txs.state(row);
    if (state === TX_STATE.CONFIRMED) return this.tipHeight - this.txs.height(row) + 1;
    // If the block that conflicts with a transaction left the chain, the depth is 0 at every later height. Core 0.21
    // continues to count from the height of that block.
    if (state !== TX_STATE.CONFLICTED || this.#orphanedConflicts.has(row)) return 0;
    return Math.min(0, this.txs.height(row) - this.tipHeight - 1);
  }
  /**
   * Returns the confirmations of every record by row, as of now. For replies that take long and must not show later
   * changes.
   */
  depths(): Int32Array {
    return Int32Array.from({ length: this.txs.rowCount }, (_, row) => this.depth(row));
  }
  /** Returns the number of blocks until a coinbase can be spent; 0 for other transactions. */
  blocksToMaturity(row: number): number {
    return this.txs.isCoinbase(row) ? Math.max(0, COINBASE_MATURITY + 1 - this.depth(row)) : 0;
  }
  /**
   * Returns whether a transaction that is confirmed, or may still confirm, spends an outpoint. While a transaction
   * conflicts with the mempool, it is not expected to confirm.
   */
  isSpent(outpoint: Uint8Array): boolean {
    let spent = false;
    this.spends.forEach(outpoint, (row) => {
      spent ||= this.depth(row) > 0 || this.#mayConfirm(row);
    });
    return spent;
  }
  /** Returns whether a transaction is unconfirmed without being abandoned or in conflict with a block or the mempool. */
  #mayConfirm(row: number): boolean {
    return this.depth(row) === 0 && this.txs.state(row) !== TX_STATE.ABANDONED && !this.poolConflicts.has(row);
  }
  /**
   * Returns whether a reply about a record needs the bytes of the transaction. The wallet's coins show what it
   * received, but not what it sent or which transactions conflict with it.
   */
  needsTx(row: number): boolean {
    return this.txs.spendsOurs(row) || this.spends.hasConflicts(row);
  }
  /** Updates the ownership of a coin after keys or scripts were added or removed. */
  reassessCoin(coin: number, batch: WalletBatch): void {
    if (!this.coins.isLive(coin)) return;
    const ownership = this.#deps.keys.isMine(this.coins.script(coin));
    if (ownership === this.coins.ownership(coin)) return;
    this.coins.setOwnership(coin, ownership);
    this.sheet.markChanged(this.coins.txRow(coin));
    this.#writeCoin(coin, batch);
    this.#classifyCoin(coin);
  }
  /** Adds those outputs of a known transaction that belong to the wallet since keys were added. */
  reassessTx(tx: TxView, batch: WalletBatch): void {
    const row = this.txs.find(tx.txid);
    if (row >= 0 && this.#addOutputs(tx, row, batch)) this.#classifyOutputs(row);
  }
  /** Indexes the foreign scripts that a known transaction pays, because the wallet may own them later. */
  indexForeignOutputs(tx: TxView, batch: WalletBatch): void {
    const row = this.txs.find(tx.txid);
    for (let vout = 0; vout < tx.outputCount; vout++) {
      if (this.coins.find(outpointOf(tx.txid, vout)) < 0) addForeignOutput(tx.outputScript(vout), this.txs.order(row), batch);
    }
  }

  // -- internal steps

  /** Returns whether a transaction pays the wallet or spends its coins. */
  #isRelevant(tx: TxView): boolean {
    for (let i = 0; i < tx.outputCount; i++) {
      if (this.#deps.keys.isMine(tx.outputScript(i)) !== OWNERSHIP.NO) return true;
    }
    if (tx.isCoinbase) return false;
    for (let i = 0; i < tx.inputCount; i++) {
      const coin = this.coins.find(tx.outpoint(i));
      if (coin >= 0 && matchesFilter(this.coins.ownership(coin), 3) && this.coins.value(coin) > 0) return true;
    }
    return false;
  }
  #link(tx: TxView, row: number, batch: WalletBatch): void {
    this.#addOutputs(tx, row, null);
    if (tx.isCoinbase) return;
    for (let i = 0; i < tx.inputCount; i++) {
      const outpoint = tx.outpoint(i);
      this.#addSpend(outpoint, row);
      if (this.locked.size > 0) this.unlockCoin(outpoint, batch);
    }
    if (this.spends.hasConflicts(row)) this.#copyTwinValues(tx, row);
  }
  #addSpend(outpoint: Uint8Array, row: number): void {
    this.spends.add(outpoint, row);
    if (this.coins.find(outpoint) >= 0) this.txs.setSpendsOurs(row);
  }
  /**
   * Writes the coins and spends of a record. These rows come after the record in the batch, because a load regards a
   * row without its transaction as damaged.
   */
  #writeLinks(tx: TxView, row: number, batch: WalletBatch): void {
    for (const coin of this.coins.ofTx(row)) {
      this.#writeCoin(coin, batch);
    }
    this.indexForeignOutputs(tx, batch);
    if (tx.isCoinbase) return;
    for (let i = 0; i < tx.inputCount; i++) {
      this.#writeSpend(tx.outpoint(i), tx.txid, batch);
    }
  }
  #writeSpend(outpoint: Uint8Array, txid: Uint8Array, batch: WalletBatch): void {
    batch.put(walletKey(WALLET_PREFIX.spender, outpoint, txid), NOTHING);
  }
  /**
   * Adds the wallet's outputs of a transaction.
   * @param batch null: the caller writes the rows of new coins
   * @returns whether there were new ones
   */
  #addOutputs(tx: TxView, row: number, batch: WalletBatch | null): boolean {
    let added = false;
    for (let vout = 0; vout < tx.outputCount; vout++) {
      const script = tx.outputScript(vout);
      const ownership = this.#deps.keys.isMine(script);
      if (ownership === OWNERSHIP.NO) continue;
      const outpoint = outpointOf(tx.txid, vout);
      if (this.coins.find(outpoint) >= 0) continue;
      const coin = this.coins.add(outpoint, { txRow: row, vout, value: tx.outputValue(vout), ownership, script });
      if (this.txs.isCoinbase(row)) this.#recentCoinbases.add(coin);
      for (const spender of this.spends.spenders(outpoint)) this.txs.setSpendsOurs(spender);
      if (batch) this.#writeCoin(coin, batch);
      added = true;
    }
    if (added) this.sheet.markChanged(row);
    return added;
  }
  #writeCoin(coin: number, batch: WalletBatch): void {
    const { coins } = this;
    batch.put(
      walletKey(WALLET_PREFIX.output, coins.outpoint(coin)),
      encodeCoinRow(coins.value(coin), coins.ownership(coin), coins.script(coin)),
    );
  }
  /**
   * Chooses which version of a transaction its record stores: the first one with a witness. Since release 32: the
   * version in its block; for an unconfirmed transaction the lightest one. Core: CWalletTx::Update; up to release 31
   * AddToWallet.
   * @param moved whether the state of the record has changed
   * @returns the version; null: leave the version on disk
   */
  #chooseVersion(row: number, tx: TxView, moved: boolean, batch: WalletBatch): TxView | null {
    const { txs } = this;
    const own = txs.inMemory(row);
    // No version is in memory, so the record is confirmed and has one version. If its state changes now, use the
    // version of the caller.
    if (own === undefined) return moved ? tx : null;
    this.addVersion(row, tx, batch);
    if (!this.#deps.laterRecords) return tx.hasWitness && !own.hasWitness ? tx : own;
    if (txs.state(row) === TX_STATE.CONFIRMED) return moved ? tx : own;
    return txs.versions(row).reduce((best, other) => (compareVersions(other, best) < 0 ? other : best), own);
  }
  #setLive(row: number, tx: TxView): void {
    if (this.txs.state(row) === TX_STATE.CONFIRMED) this.txs.setView(row, undefined);
    else if (this.txs.view(row) !== tx) this.txs.setView(row, this.#copyOf(tx));
  }
  /** Copies a transaction, so that the bytes of its block can be freed. */
  #copyOf(tx: TxView): TxView {
    return this.#deps.copyTx(tx);
  }

  /**
   * Copies comments and other values of the user to a new record, from the oldest record of the same payment with other
   * signatures (a malleated copy).
   */
  #copyTwinValues(tx: TxView, row: number): void {
    const twins = new Set<number>();
    for (let i = 0; i < tx.inputCount; i++) for (const other of this.spends.spenders(tx.outpoint(i))) twins.add(other);
    if (twins.size < 2) return;
    const oldest = [...twins].reduce((a, b) => (this.txs.order(a) <= this.txs.order(b) ? a : b));
    const source = this.txs.view(oldest);
    if (oldest === row || source === undefined || !sameButSignatures(source, tx)) return;
    for (const [name, value] of this.txs.values(oldest) ?? []) this.txs.setValue(row, name, value);
    this.txs.setSmartTime(row, this.txs.smartTime(oldest));
  }

  #markSpentAddresses(tx: TxView, batch: WalletBatch): void {
    if (tx.isCoinbase) return;
    for (let i = 0; i < tx.inputCount; i++) {
      const coin = this.coins.find(tx.outpoint(i));
      if (coin >= 0 && this.coins.ownership(coin) !== OWNERSHIP.NO) this.#deps.onSpent(this.coins.script(coin), batch);
    }
  }

  /**
   * Returns Core's smart time: the block's time, but not before records that arrived earlier, and not in the future.
   * Core: ComputeTimeSmart.
   */
  #smartTime(row: number, place: TxPlace): number {
    const received = this.txs.received(row);
    if (place.state !== TX_STATE.CONFIRMED) return received;
    const limit = received + TIME_TOLERANCE;
    let latestNow = received;
    let latestEntry = 0;
    for (const other of this.txs.newestFirst()) {
      if (other === row) continue;
      const time = this.txs.smartTime(other) || this.txs.received(other);
      if (time > limit) continue;
      latestEntry = time;
      if (time > latestNow) latestNow = time;
      break;
    }
    return Math.max(latestEntry, Math.min(place.blockTime, latestNow));
  }

  /** Computes the bucket that a coin belongs to at the current tip. */
  #bucketOf(coin: number): Bucket {
    const row = this.coins.txRow(coin);
    if (this.coins.ownership(coin) === OWNERSHIP.NO) return BUCKET.NONE;
    const state = this.txs.state(row);
    if (state === TX_STATE.CONFLICTED || state === TX_STATE.ABANDONED) return BUCKET.NONE;
    // An immature coinbase counts as immature even if an unconfirmed transaction of the wallet spends it, as in Core.
    if (state === TX_STATE.CONFIRMED && this.blocksToMaturity(row) > 0) return BUCKET.IMMATURE;
    if (this.isSpent(this.coins.outpointView(coin))) return BUCKET.NONE;
    if (state === TX_STATE.CONFIRMED) return BUCKET.CONFIRMED;
    return this.txs.isCoinbase(row) ? BUCKET.NONE : BUCKET.PENDING;
  }
  #classifyCoin(coin: number): void {
    const [before, after] = [this.coins.bucket(coin), this.#bucketOf(coin)];
    if (before === after) return;
    this.coins.setBucket(coin, after);
    if (before === BUCKET.PENDING || after === BUCKET.PENDING) this.sheet.markChanged(this.coins.txRow(coin));
  }
  #classifyOutputs(row: number): void {
    for (const coin of this.coins.ofTx(row)) {
      if (this.txs.isCoinbase(row)) this.#recentCoinbases.add(coin);
      this.#classifyCoin(coin);
    }
  }
  #classifyInputs(tx: TxView): void {
    if (tx.isCoinbase) return;
    for (let i = 0; i < tx.inputCount; i++) {
      const coin = this.coins.find(tx.outpoint(i));
      if (coin >= 0) this.#classifyCoin(coin);
    }
  }
  #classifyAround(tx: TxView, row: number): void {
    this.#classifyOutputs(row);
    this.#classifyInputs(tx);
  }
  #classifyRow(row: number): void {
    this.sheet.markChanged(row);
    this.#classifyOutputs(row);
    const tx = this.txs.view(row);
    if (tx) this.#classifyInputs(tx);
    // A confirmed transaction is not in memory. If it becomes conflicted, the coins that it spent are unknown here, so
    // check all coins.
    else for (const coin of this.coins.rows()) this.#classifyCoin(coin);
  }

  // -- loading

  /** Saves all tables and buckets to an image, or restores them from one. */
  transferImage(at: TableImage): void {
    this.tipHeight = at.number(this.tipHeight);
    this.txs.transferImage(at);
    this.spends.transferImage(at);
    this.coins.transferImage(at);
    transferSet(at, this.#recentCoinbases);
    if (!at.restoring) return;
    // The image was saved while other transactions conflicted with the mempool than do now.
    for (const row of this.txs.rowsOutsideChain()) if (this.txs.state(row) === TX_STATE.UNCONFIRMED) this.#classifyRow(row);
    this.isClassified = true;
    this.sheet.invalidateSums();
  }
  /** Updates the bucket of the coin at an outpoint; does nothing if the wallet has no such coin. */
  classifyOutput(outpoint: Uint8Array): void {
    const coin = this.coins.find(outpoint);
    if (coin >= 0) this.#classifyCoin(coin);
  }
  /** Updates the buckets of a transaction's outputs and of the coins that it spends. */
  classifyTx(tx: TxView): void {
    const row = this.txs.find(tx.txid);
    if (row >= 0) this.#classifyAround(tx, row);
  }

  /** Loads the row of a coin. @returns false if the row is damaged */
  loadCoin(outpoint: Uint8Array, value: Uint8Array): boolean {
    const coin = decodeCoinRow(value);
    if (coin === null || outpoint.length !== 36) return false;
    const txRow = this.txs.find(outpoint.subarray(0, 32));
    if (txRow < 0) return false;
    this.sheet.invalidateSums();
    const vout = (outpoint[32] | (outpoint[33] << 8) | (outpoint[34] << 16) | (outpoint[35] << 24)) >>> 0;
    const row = this.coins.add(outpoint, { txRow, vout, ...coin });
    this.spends.forEach(outpoint, (spender) => this.txs.setSpendsOurs(spender));
    if (this.txs.isCoinbase(txRow)) this.#recentCoinbases.add(row);
    return true;
  }
  /** Loads the row of a spend: which transaction spends an outpoint. @returns false if the row is damaged */
  loadSpend(outpoint: Uint8Array, txid: Uint8Array): boolean {
    const row = this.txs.find(txid);
    if (row < 0) return false;
    this.#addSpend(outpoint, row);
    return true;
  }
  /** Sets the bucket of every coin. Call this after the last row was loaded and the tip is known. */
  classifyAllCoins(): void {
    for (const coin of this.coins.rows()) {
      if (this.txs.isCoinbase(this.coins.txRow(coin))) this.#recentCoinbases.add(coin);
      this.#classifyCoin(coin);
    }
    this.isClassified = true;
    this.sheet.invalidateSums();
  }
}
