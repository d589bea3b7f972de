// One loaded wallet: its keys, address book, transactions and coins, and the way changes get to disk. WalletManager
// makes it and feeds it events; RPC asks and changes it. Changes happen inside change(): memory at once, then one
// batch.

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

/** Rows that are written in the turn of the loop in which they were made: about 2 ms. */
const ROWS_PER_SLICE = 1_000;

/** What a wallet is made of; the loader fills it. */
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
  /** A record of a transaction was made or changed. @param row of ledger.txs */
  readonly onTransaction: (wallet: Wallet, row: number) => void;
}

/** A scan of past blocks under way. */
export interface ScanState {
  readonly startedMs: number;
  progress: number;
  abort: boolean;
  /** Height of the block that is looked at: blocks from there on are still needed. */
  height: number;
  /** What it has not come to, as far as written down. */
  open: OpenScan | null;
}

const copyTx = (tx: TxView, crypto: Crypto): TxView => parseTx(new Uint8Array(tx.bytes), crypto);

export class Wallet {
  readonly name: string;
  readonly book = new AddressBook();
  readonly ledger: Ledger;
  readonly #reader: TxReader;
  readonly masterKeys: SealedMasterKey[] = [];
  /** The block up to which everything is known here. */
  tip: BlockFacts | null = null;
  /** Times that the tip left the chain: as long as the number stays, every later tip descends from the earlier ones. */
  disconnects = 0;
  /** Of the tip, when it is written: where to go on from, whatever happened to the chain meanwhile. */
  locator: Uint8Array = new Uint8Array(0);
  /** The scan that holds the wallet, null when none does. */
  scan: ScanState | null = null;
  /** Past blocks that wait for a scan: it was told of them without what they hold, or a scan was cut off. */
  unseen: OpenScan | null = null;
  /** Seconds on the clock when the wallet locks itself; 0 when locked. */
  unlockedUntil = 0;
  /** Satoshis per 1,000 virtual bytes set by -paytxfee or settxfee; 0: none. */
  payFeeRate: number;
  /**
   * Whether a legacy wallet has its key manager yet: made with it, or found on disk, or by the first import (Core shows
   * it).
   */
  hasKeyManager = true;
  /** Encrypted, and still with the seed from before: a new one is made when it is unlocked (encrypt-wallet.ts). */
  needsNewSeed = false;
  /** Keeps an image of the tables; null while they are loaded, and where none is kept. */
  images: WalletImages | null = null;
  /** What calls, changes, events and exclusive work take before they touch the wallet. */
  readonly access = new WalletLock();
  readonly #reassessor = new Reassessor(this);
  readonly #events: EventQueue;
  readonly #writes = new SerialQueue();
  /** The write at the end of the queue while it has not begun. */
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
  /** The legacy keys; null for descriptor wallets. */
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
  /** Ours without a label: change, as far as the wallet can tell. */
  isChange(script: Uint8Array): boolean {
    return this.isMine(script) !== OWNERSHIP.NO && this.isUnlabelled(script);
  }
  /** Whether a script has no address, or one without a label. */
  isUnlabelled(script: Uint8Array): boolean {
    const destination = destinationOf(script, this.parts.crypto);
    return destination === null || this.book.label(destination) === undefined;
  }
  /** Whether any script is watched only. */
  get watches(): boolean {
    return this.legacy?.watches ?? false;
  }

  /** Whether an address, or for legacy keys a sibling of it, was spent from (avoid_reuse). */
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

  /** Reads rows once everything written before is there. */
  async read<T>(work: (store: Store) => Promise<T>): Promise<T> {
    await this.#writes.idle();
    this.assertOpen();
    return work(this.store);
  }
  /** A record's transaction; from disk when it is in the chain and was not read lately. */
  transaction(row: number): TxView | Promise<TxView | undefined> {
    return this.#reader.readOne(row);
  }
  /**
   * The same for several rows, in their order; undefined for rows that are not needed or whose bytes the wallet lacks.
   */
  transactions(rows: readonly number[], needed?: (row: number) => boolean): Promise<(TxView | undefined)[]> {
    return this.#reader.readMany(rows, needed);
  }

  // -- changes

  /**
   * Changes memory and writes what belongs to it. The work is synchronous; when it throws, nothing may have changed.
   * @param sync false: the batch is only handed to the kernel. For what nobody was told of, and what a later change
   *   makes safe: batches reach the disk in their order
   * @returns once what was written is on the disk
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
   * Like `change`, for work that pauses: it has the wallet for itself. It asks assertOpen after every pause, and ends
   * there: what it did by then is nowhere but in memory. Not within a call that holds the wallet.
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
  /** Writes a batch after all before it. @param sync wait for the disk */
  commit(batch: WalletBatch, sync = false): Promise<void> {
    this.#reassessor.checkForNewKeys(batch);
    const { ops } = batch;
    if (ops.length > 0) this.#generation++;
    this.images?.journalBatch(batch);
    return ops.length === 0 ? this.#writes.idle() : this.#joinWrite(ops, sync);
  }
  /**
   * Writes rows together with all that come until their turn: changes made while the disk is busy share one write and
   * one fsync.
   */
  #joinWrite(ops: readonly BatchOp[], sync: boolean): Promise<void> {
    const last = this.#waiting;
    if (last !== null) {
      for (const op of ops) last.ops.push(op);
      last.sync ||= sync;
      return last.written;
    }
    const write = { ops: [...ops], sync, written: Promise.resolve() };
    write.written = this.queueWrite(async () => {
      // A block may bring ten thousand: what waits for this thread goes in between making and writing them.
      if (write.ops.length > ROWS_PER_SLICE) await yieldInQueue();
      if (this.#waiting === write) this.#waiting = null;
      return this.store.batch(write.ops, { sync: write.sync });
    });
    this.#waiting = write;
    return write.written;
  }
  /** Rises with every change: long answers that pause look whether they still speak of the same wallet. */
  get generation(): number {
    return this.#generation;
  }
  /** Runs after every write before, and before every write after. */
  queueWrite<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting = null;
    return this.#writes.run(async () => {
      // What comes after a batch that failed would leave a gap.
      if (this.#fault !== null) throw this.#fault.error;
      try {
        return await work();
      } catch (error) {
        // A write after the end is told by the rejection; nothing is lost that was promised.
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
  /** Settled when what was pushed up to now is applied, in its own time. */
  whenEventsApplied(): Promise<void> {
    return this.#events.whenApplied();
  }
  /**
   * Applies everything that happened up to now.
   * @returns undefined when that is done at once; otherwise other work gets turns between events
   */
  applyPendingEvents(): Promise<void> | undefined {
    return this.#events.applyPending();
  }
  writeLocator(batch: WalletBatch): void {
    batch.put(walletKey(WALLET_PREFIX.locator), this.locator);
  }

  /**
   * Like `change`, for keys or scripts that may have been paid already: once it is written, coins and transactions that
   * are known are looked at for what the new ones concern.
   */
  changeKeys<T>(work: (batch: WalletBatch) => T): Promise<T> {
    return this.#reassessor.change(work);
  }
  /** The same like `changeExclusively`. */
  changeKeysExclusively<T>(work: (batch: WalletBatch) => Promise<T>): Promise<T> {
    return this.#reassessor.changeExclusively(work);
  }
  /**
   * The wallet's keys are those of its rows: keys that come from here on are noticed by `noticeKeys`.
   * @param pendingRow the row 'q'
   */
  finishLoading(pendingRow?: Uint8Array): void {
    this.#reassessor.finishLoading(pendingRow);
  }
  /** Looks at what is known for keys that came since it was loaded, and from now on for all that come. */
  startReassessing(): Promise<void> {
    return this.#reassessor.startReassessing();
  }
  /** Fulfilled when what is known was looked at for all keys that came. */
  whenReassessed(): Promise<void> {
    return this.#reassessor.whenIdle;
  }
  /**
   * Looks at what is known for keys for which an earlier process did not come to it.
   * @param isIndexed false: the wallet is of an earlier version, and gets the rows that it lacks
   */
  finishReassessment(isIndexed: boolean): Promise<void> {
    return this.#reassessor.finishPending(isIndexed);
  }

  // -- locking

  /**
   * Unlocks with a master key (taken over) until `seconds` have passed.
   * @throws WalletError once the wallet is closed
   */
  unlock(masterKey: Uint8Array, seconds: number | null): void {
    if (this.closed) masterKey.fill(0);
    this.assertOpen();
    this.vault.unlock(masterKey);
    this.#unlockings++;
    clearTimeout(this.#relock);
    if (seconds === null) return;
    this.unlockedUntil = this.parts.now() + seconds;
    // Timers hold 31 bits of milliseconds; a longer one is armed again when it fires.
    const arm = (leftMs: number): void => {
      const slice = Math.min(leftMs, 2 ** 31 - 1);
      this.#relock = setTimeout(() => (leftMs > slice ? arm(leftMs - slice) : this.lock()), slice);
      this.#relock.unref();
    };
    arm(seconds * 1000);
  }
  /** The end of an unlocking: locks it once no call is under way, unless one unlocks it before. */
  lock(): void {
    const unlockings = this.#unlockings;
    void this.access.runExclusive(() => {
      if (this.#unlockings === unlockings) this.lockNow();
    });
  }
  /** For exclusive work, and where no call has the wallet yet. */
  lockNow(): void {
    clearTimeout(this.#relock);
    this.unlockedUntil = 0;
    this.vault.lock();
  }

  /** Keys by outpoint of what lockunspent holds back. */
  isLocked(outpoint: Uint8Array): boolean {
    return this.ledger.locked.size > 0 && this.ledger.locked.has(hashKey(outpoint));
  }

  /** Writes or restores every table. */
  transferImage(at: TableImage): void {
    this.legacy?.transferImage(at);
    this.descriptors?.transferImage(at);
    this.book.transferImage(at);
    this.ledger.transferImage(at);
  }
  /** Writes an image of the tables where one is due. Nothing else may use the wallet. */
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
   * @param settled false: the tables are not to be believed. Loading failed, or exclusive work is cut off: it may have
   * changed tables and not yet rows, or rows and not yet tables, whose keys are plain still while the wallet is
   * encrypted.
   */
  close(settled = !this.access.isExclusive): Promise<void> {
    this.#closing ??= this.#close(settled);
    return this.#closing;
  }
  async #close(settled: boolean): Promise<void> {
    if (settled) {
      this.#events.applyAll();
      // A row that speaks of looks which are over goes with it.
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
  /** Whether the wallet was closed, or has failed and will be. */
  get closed(): boolean {
    return this.#closed || this.#fault !== null;
  }
  /** Throws if the wallet is closed or has failed. @throws WalletError */
  assertOpen(): void {
    if (this.closed) throw new WalletError(WALLET_CODE.NOT_FOUND, NOT_LOADED);
  }
}
