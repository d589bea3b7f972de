// A loaded wallet: its keys, address book, transactions and coins, and how changes get to disk. WalletManager creates
// it and passes events to it. RPC reads and changes it. All changes go through change(): memory first, then one batch.

import { hashKey } from '../consensus/bytes/hex.js';
import { scriptHashScript } from '../consensus/script/build-script.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import { SerialQueue } from '../lib/serial-queue.js';
import { yieldInQueue } from '../lib/slicer.js';
import type { SigningProvider } from '../signing/signing-provider.js';
import type { BatchOp, Store } from '../storage/store.js';
import { AddressBook } from './address-book.js';
import { Ledger } from './coins/ledger.js';
import { TxReader } from './coins/tx-reader.js';
import type { SealedMasterKey } from './crypt/master-key.js';
import type { Vault } from './crypt/vault.js';
import { EventQueue } from './follow/event-queue.js';
import type { OpenScan } from './follow/open-scan.js';
import type { TableImage } from './image/table-image.js';
import type { WalletImages } from './image/wallet-images.js';
import type { DescriptorKeys } from './keys/descriptor-keys.js';
import { destinationOf } from './keys/destination.js';
import { keysInScript, payToKeyHash } from './keys/is-mine.js';
import type { KeySource } from './keys/key-source.js';
import { keyHashProgram } from './keys/key-table.js';
import type { LegacyKeys } from './keys/legacy-keys.js';
import { OWNERSHIP, type Ownership } from './keys/ownership.js';
import { WalletLock } from './lock.js';
import { NOT_LOADED, WALLET_CODE, WalletError } from './manage/wallet-error.js';
import type { BlockFacts, NodeEvent } from './node-client.js';
import type { WalletOptions } from './options.js';
import { Reassessor } from './reassess.js';
import { WALLET_PREFIX, walletKey } from './storage/layout.js';
import { WalletBatch } from './storage/wallet-batch.js';
import { WALLET_FLAG, type WalletRecord } from './wallet-record.js';

/** Number of rows up to which a write starts without yielding first. This many rows take about 2 ms. */
const ROWS_PER_SLICE = 1_000;

/** Parts of a wallet, which the loader creates. */
export interface WalletParts {
  readonly name: string;
  /** Folder that holds the wallet's database folder. */
  readonly folder: string;
  readonly record: WalletRecord;
  readonly vault: Vault;
  readonly legacy: LegacyKeys | null;
  readonly descriptors: DescriptorKeys | null;
  readonly crypto: Crypto;
  readonly options: WalletOptions;
  readonly now: () => number;
  readonly isFinal: (tx: TxView) => boolean;
  /** Called once when the wallet fails, see Wallet.fail. */
  readonly onFault: (error: unknown, wallet: Wallet) => void;
  /** Called when a transaction's record was added or changed. @param row of ledger.txs */
  readonly onTransaction: (wallet: Wallet, row: number) => void;
}

/** Running scan of past blocks. */
export interface ScanState {
  readonly startedMs: number;
  progress: number;
  abort: boolean;
  /** Height of the block that is being scanned. The node must not prune this block or later ones. */
  height: number;
  /** Blocks that this scan has still to read, as last written to the database. */
  open: OpenScan | null;
}

const copyTx = (tx: TxView, crypto: Crypto): TxView => parseTx(new Uint8Array(tx.bytes), crypto);

export class Wallet {
  readonly name: string;
  readonly book = new AddressBook();
  readonly ledger: Ledger;
  readonly #reader: TxReader;
  readonly masterKeys: SealedMasterKey[] = [];
  /** Last block that the wallet has processed. */
  tip: BlockFacts | null = null;
  /**
   * Number of times that the wallet's tip was disconnected. While this number stays the same, every later tip descends
   * from the earlier tips.
   */
  disconnects = 0;
  /** Locator of the wallet's tip. The next load continues from the last of its blocks that is in the best chain. */
  locator: Uint8Array = new Uint8Array(0);
  /** Running scan; null if there is none. */
  scan: ScanState | null = null;
  /** Past blocks that still need a scan, because their events had no bytes or because an earlier scan was cut off. */
  unseen: OpenScan | null = null;
  /** Time at which the wallet locks itself, seconds; 0 if the wallet is locked now. */
  unlockedUntil = 0;
  /** Fee rate of -paytxfee or settxfee, satoshis per 1,000 virtual bytes; 0: none. */
  payFeeRate: number;
  /**
   * True if a legacy wallet has a key manager: it was created with one, has keys on disk, or got one with its first
   * import. Replies show this, as in Core.
   */
  hasKeyManager = true;
  /**
   * True if the wallet is encrypted but still uses the seed from before the encryption. The next unlocking makes a new
   * seed (encrypt-wallet.ts).
   */
  needsNewSeed = false;
  /** Image of the wallet's tables; null while the tables are being loaded, or if images are disabled. */
  images: WalletImages | null = null;
  /** Lock that calls, changes, events and exclusive work acquire before they use the wallet. */
  readonly access = new WalletLock();
  readonly #reassessor = new Reassessor(this);
  readonly #events: EventQueue;
  readonly #writes = new SerialQueue();
  /** Last write in the queue, to which later changes may add rows; null once that write has started. */
  #waiting: { readonly ops: BatchOp[]; sync: boolean; written: Promise<void> } | null = null;
  #relock: NodeJS.Timeout | undefined;
  #unlockings = 0;
  #closed = false;
  #closing: Promise<void> | undefined;
  #fault: { readonly error: unknown } | null = null;
  #generation = 0;

  constructor(
    readonly parts: WalletParts,
    public store: Store,
  ) {
    this.name = parts.name;
    this.payFeeRate = parts.options.spend.payFeeRate;
    this.#events = new EventQueue(this);
    this.ledger = new Ledger({
      keys: this.keys,
      record: parts.record,
      now: parts.now,
      spendZeroConfChange: parts.options.spendZeroConfChange,
      isFinal: parts.isFinal,
      copyTx: (tx) => copyTx(tx, parts.crypto),
      onSpent: (script, batch) => {
        const destination = parts.record.has(WALLET_FLAG.AVOID_REUSE) ? destinationOf(script, parts.crypto) : null;
        if (destination) this.book.markUsed(destination, batch);
      },
      onPassed: (script, batch) => {
        const destination = destinationOf(script, parts.crypto);
        if (parts.options.laterRecords && destination && this.book.label(destination) === undefined) {
          this.book.set(destination, '', 'receive', batch);
        }
      },
      laterRecords: parts.options.laterRecords,
      onChanged: (row) => {
        this.#reader.evictRow(row);
        parts.onTransaction(this, row);
      },
    });
    this.#reader = new TxReader({
      txs: this.ledger.txs,
      read: (keys) => this.read((store) => store.getMany(keys)),
      parse: (bytes) => parseTx(bytes, parts.crypto),
    });
  }

  get record(): WalletRecord {
    return this.parts.record;
  }
  get vault(): Vault {
    return this.parts.vault;
  }
  get keys(): KeySource {
    return (this.parts.legacy ?? this.parts.descriptors)!;
  }
  /** Legacy keys; null for descriptor wallets. */
  get legacy(): LegacyKeys | null {
    return this.parts.legacy;
  }
  get descriptors(): DescriptorKeys | null {
    return this.parts.descriptors;
  }
  get privateKeysDisabled(): boolean {
    return this.record.has(WALLET_FLAG.DISABLE_PRIVATE_KEYS);
  }

  isMine(script: Uint8Array): Ownership {
    return this.keys.isMine(script);
  }
  provider(script: Uint8Array): SigningProvider | undefined {
    return this.keys.provider(script);
  }
  /**
   * Returns whether a script belongs to the wallet and its address has no label. The wallet regards such scripts as
   * change.
   */
  isChange(script: Uint8Array): boolean {
    return this.isMine(script) !== OWNERSHIP.NO && this.isUnlabelled(script);
  }
  /** Returns whether a script has no address, or an address without a label. */
  isUnlabelled(script: Uint8Array): boolean {
    const destination = destinationOf(script, this.parts.crypto);
    return destination === null || this.book.label(destination) === undefined;
  }
  /** True if the wallet watches a script that it cannot spend. */
  get watches(): boolean {
    return this.legacy?.watches ?? false;
  }

  /**
   * Returns whether the wallet has already spent from an address (avoid_reuse). For legacy keys, spending from another
   * address of the same key counts too.
   */
  isUsed(script: Uint8Array): boolean {
    const destination = destinationOf(script, this.parts.crypto);
    if (destination === null) return false;
    if (this.book.isUsed(destination)) return true;
    const { legacy } = this;
    if (legacy === null) return false;
    return keysInScript(script, legacy, this.parts.crypto).some((id) => {
      const program = keyHashProgram(id);
      const wrapped = scriptHashScript(this.parts.crypto.hash160(program));
      return [program, wrapped, payToKeyHash(id)].some((sibling) => this.book.isUsed(sibling));
    });
  }

  /** Reads from the database, after all earlier writes have finished. */
  async read<T>(work: (store: Store) => Promise<T>): Promise<T> {
    await this.#writes.idle();
    this.assertOpen();
    return work(this.store);
  }
  /** Returns the transaction of a record. Reads the transaction from disk if it is confirmed and not cached. */
  transaction(row: number): TxView | Promise<TxView | undefined> {
    return this.#reader.readOne(row);
  }
  /**
   * Returns the transactions of several rows, in order; undefined for rows that are not needed, or whose bytes the
   * wallet lacks.
   */
  transactions(rows: readonly number[], needed?: (row: number) => boolean): Promise<(TxView | undefined)[]> {
    return this.#reader.readMany(rows, needed);
  }

  // -- changes

  /**
   * Runs work that changes memory, then writes the batch that the work filled. The work is synchronous. If it throws,
   * it must not have changed anything.
   * @param sync false: the write reaches the kernel but is not synced. Use this for changes that no client knows about
   *   yet. Batches reach the disk in order, so a later synced change makes this one durable
   * @returns a promise that resolves with the result of the work when the batch is written
   */
  async change<T>(work: (batch: WalletBatch) => T, sync = true): Promise<T> {
    const { result, written } = await this.access.runChange(() => {
      this.assertOpen();
      const batch = new WalletBatch();
      return { result: work(batch), written: this.commit(batch, sync) };
    });
    await written;
    return result;
  }
  /**
   * Like `change`, for work that pauses, with exclusive access. The work calls assertOpen after every pause. If
   * assertOpen throws, nothing of the work is written. Do not use this method in code that holds the wallet's shared
   * lock.
   */
  async changeExclusively<T>(work: (batch: WalletBatch) => Promise<T>, sync = true): Promise<T> {
    const { result, written } = await this.access.runExclusive(async () => {
      this.assertOpen();
      const batch = new WalletBatch();
      const made = await work(batch);
      return { result: made, written: this.commit(batch, sync) };
    });
    await written;
    return result;
  }
  /** Writes a batch after all earlier ones. @param sync true: sync the write to disk */
  commit(batch: WalletBatch, sync = false): Promise<void> {
    this.#reassessor.checkForNewKeys(batch);
    const { ops } = batch;
    if (ops.length > 0) this.#generation++;
    this.images?.journalBatch(batch);
    return ops.length === 0 ? this.#writes.idle() : this.#joinWrite(ops, sync);
  }
  /** Queues rows for writing. Changes made while a write is running share the next write and its fsync. */
  #joinWrite(ops: readonly BatchOp[], sync: boolean): Promise<void> {
    const last = this.#waiting;
    if (last !== null) {
      for (const op of ops) last.ops.push(op);
      last.sync ||= sync;
      return last.written;
    }
    const write = { ops: [...ops], sync, written: Promise.resolve() };
    write.written = this.queueWrite(async () => {
      // A block may add 10,000 rows, so yield once before writing them.
      if (write.ops.length > ROWS_PER_SLICE) await yieldInQueue();
      if (this.#waiting === write) this.#waiting = null;
      return this.store.batch(write.ops, { sync: write.sync });
    });
    this.#waiting = write;
    return write.written;
  }
  /**
   * Counter that increases with every change. Replies that are computed with pauses compare the counter to see whether
   * the wallet is unchanged.
   */
  get generation(): number {
    return this.#generation;
  }
  /** Runs work after all earlier writes and before all later ones. */
  queueWrite<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting = null;
    return this.#writes.run(async () => {
      // After a failed batch, refuse all later ones: the database must not contain a change without the changes before
      // it.
      if (this.#fault !== null) throw this.#fault.error;
      try {
        return await work();
      } catch (error) {
        // A write after closing is rejected but is no failure of the wallet: no client received a success reply for it.
        if (!this.#closed) this.fail(error);
        throw error;
      }
    });
  }
  /**
   * Marks the wallet as failed: memory is ahead of the disk, or halfway through a change. A failed wallet applies no
   * events, writes nothing and counts as closed. WalletManager loads it again from its folder.
   */
  fail(error: unknown): void {
    if (this.#fault !== null) return;
    this.#fault = { error };
    this.parts.onFault(error, this);
  }
  /** Reason why the wallet failed; null if it has not failed. */
  get fault(): { readonly error: unknown } | null {
    return this.#fault;
  }

  // -- following

  pushEvent(event: NodeEvent): void {
    this.#events.push(event);
  }
  /** Resolves when the events pushed so far are applied. Does not apply them earlier than the queue would. */
  whenEventsApplied(): Promise<void> {
    return this.#events.whenApplied();
  }
  /**
   * Applies all pending events now.
   * @returns undefined if all were applied synchronously; otherwise a promise, and other work runs between events
   */
  applyPendingEvents(): Promise<void> | undefined {
    return this.#events.applyPending();
  }
  writeLocator(batch: WalletBatch): void {
    batch.put(walletKey(WALLET_PREFIX.locator), this.locator);
  }

  /**
   * Like `change`, for work that adds keys or scripts which transactions may already have paid. After the write, known
   * coins and transactions are reassessed.
   */
  changeKeys<T>(work: (batch: WalletBatch) => T): Promise<T> {
    return this.#reassessor.change(work);
  }
  /** Like `changeKeys`, with exclusive access. */
  changeKeysExclusively<T>(work: (batch: WalletBatch) => Promise<T>): Promise<T> {
    return this.#reassessor.changeExclusively(work);
  }
  /**
   * Marks the keys as loaded. Keys that are added later are reassessed by `startReassessing`.
   * @param pendingRow row 'q' of the database: scripts that an earlier process left to reassess
   */
  finishLoading(pendingRow?: Uint8Array): void {
    this.#reassessor.finishLoading(pendingRow);
  }
  /** Reassesses the scripts of keys that were added during the load. From now on, new keys are reassessed at once. */
  startReassessing(): Promise<void> {
    return this.#reassessor.startReassessing();
  }
  /** Resolves when all reassessments are done. */
  whenReassessed(): Promise<void> {
    return this.#reassessor.whenIdle;
  }
  /**
   * Finishes reassessments that an earlier process left pending.
   * @param isIndexed false: an earlier version of adit wrote the wallet, which lacks the rows of foreign outputs; write
   *   them
   */
  finishReassessment(isIndexed: boolean): Promise<void> {
    return this.#reassessor.finishPending(isIndexed);
  }

  // -- locking

  /**
   * Unlocks the wallet for some seconds.
   * @param masterKey belongs to the wallet from now on
   * @throws WalletError if the wallet is closed
   */
  unlock(masterKey: Uint8Array, seconds: number | null): void {
    if (this.closed) masterKey.fill(0);
    this.assertOpen();
    this.vault.unlock(masterKey);
    this.#unlockings++;
    clearTimeout(this.#relock);
    if (seconds === null) return;
    this.unlockedUntil = this.parts.now() + seconds;
    // A timer's delay has 31 bits of milliseconds. For a longer delay, the timer is set again when it fires.
    const arm = (leftMs: number): void => {
      const slice = Math.min(leftMs, 2 ** 31 - 1);
      this.#relock = setTimeout(() => (leftMs > slice ? arm(leftMs - slice) : this.lock()), slice);
      this.#relock.unref();
    };
    arm(seconds * 1000);
  }
  /**
   * Locks the wallet as soon as no call is running. Does nothing if walletpassphrase unlocks the wallet again before.
   */
  lock(): void {
    const unlockings = this.#unlockings;
    void this.access.runExclusive(() => {
      if (this.#unlockings === unlockings) this.lockNow();
    });
  }
  /** Locks the wallet at once. For exclusive work, and for wallets that no call can use yet. */
  lockNow(): void {
    clearTimeout(this.#relock);
    this.unlockedUntil = 0;
    this.vault.lock();
  }

  /** Returns whether lockunspent has locked an outpoint. */
  isLocked(outpoint: Uint8Array): boolean {
    return this.ledger.locked.size > 0 && this.ledger.locked.has(hashKey(outpoint));
  }

  /** Saves every table to an image, or restores it from one. */
  transferImage(at: TableImage): void {
    this.legacy?.transferImage(at);
    this.descriptors?.transferImage(at);
    this.book.transferImage(at);
    this.ledger.transferImage(at);
  }
  /**
   * Writes a new image of the tables if one is due (WalletImages.isNewImageDue). The caller has exclusive access to the
   * wallet.
   */
  async saveImage(): Promise<void> {
    const { images, ledger, generation } = this;
    if (images === null || !ledger.isClassified || !images.isNewImageDue(this.keys.scriptCount + ledger.txs.size + ledger.coins.size))
      return;
    await images.save(
      this.store,
      (at) => this.transferImage(at),
      () => this.generation === generation,
    );
  }

  /**
   * Closes the wallet.
   * @param settled false: the tables may be wrong, because loading failed or exclusive work was cut off. Such work may
   *   have changed the tables but not the rows, or the rows but not the tables. For example, the tables may still have
   *   plain keys although the rows are encrypted
   */
  close(settled = !this.access.isExclusive): Promise<void> {
    this.#closing ??= this.#close(settled);
    return this.#closing;
  }
  async #close(settled: boolean): Promise<void> {
    if (settled) {
      this.#events.applyAll();
      // An empty batch: if nothing is pending, commit adds the deletion of the row of pending scripts.
      this.commit(new WalletBatch()).catch(() => {});
    }
    this.#closed = true;
    const isWhole = settled && this.scan === null;
    if (this.scan) this.scan.abort = true;
    this.lockNow();
    await this.queueWrite(async () => {
      await this.store.batch([], { sync: true });
      if (isWhole) await this.saveImage();
    }).catch(() => {});
    await this.store.close();
    this.keys.wipeSecrets();
  }
  /** True if the wallet was closed, or has failed and will be closed. */
  get closed(): boolean {
    return this.#closed || this.#fault !== null;
  }
  /** Throws if the wallet is closed or has failed. @throws WalletError */
  assertOpen(): void {
    if (this.closed) throw new WalletError(WALLET_CODE.NOT_FOUND, NOT_LOADED);
  }
}
