// A loaded wallet: its keys, address book, transactions and coins, and how changes get to disk. WalletManager creates
// it and passes events to it. RPC reads and changes it. All changes go through change(): memory first, then one batch.

import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Store } from '../storage/store.js';
import { AddressBook } from './address-book.js';
import { Ledger } from './coins/ledger.js';
import { TxReader } from './coins/tx-reader.js';
import type { Vault } from './crypt/vault.js';
import { WalletEncryption } from './crypt/wallet-encryption.js';
import { ChainPosition } from './follow/chain-position.js';
import { EventQueue } from './follow/event-queue.js';
import { WalletScans } from './follow/wallet-scans.js';
import { saveImage } from './image/save-image.js';
import { applyImportPlan, type ImportPlan } from './import-plan.js';
import type { DescriptorKeys } from './keys/descriptor-keys.js';
import { destinationOf } from './keys/destination.js';
import type { KeySource } from './keys/key-source.js';
import type { LegacyKeys } from './keys/legacy-keys.js';
import { WalletLock } from './lock.js';
import type { WalletError } from './manage/wallet-error.js';
import type { BlockFacts } from './node-client.js';
import type { WalletOptions } from './options.js';
import { Reassessor } from './reassess.js';
import { WalletBatch } from './storage/wallet-batch.js';
import { WalletStorage } from './storage/wallet-storage.js';
import { WALLET_FLAG, type WalletRecord } from './wallet-record.js';

/** Settings of a loaded wallet that are not stored. */
class WalletSession {
  #payFeeRate: number;
  #hasKeyManager = true;

  constructor(payFeeRate: number) {
    this.#payFeeRate = payFeeRate;
  }

  /** Fee rate of -paytxfee or settxfee, satoshis per 1,000 virtual bytes; 0: none. */
  get payFeeRate(): number {
    return this.#payFeeRate;
  }
  setPayFeeRate(rate: number): void {
    this.#payFeeRate = rate;
  }
  /**
   * True if a legacy wallet has a key manager: it was created with one, has keys on disk, or got one with its first
   * import. Replies show this, as in Core.
   */
  get hasKeyManager(): boolean {
    return this.#hasKeyManager;
  }
  addKeyManager(): void {
    this.#hasKeyManager = true;
  }
  removeKeyManager(): void {
    this.#hasKeyManager = false;
  }
}

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

const copyTx = (tx: TxView, crypto: Crypto): TxView => parseTx(new Uint8Array(tx.bytes), crypto);

export class Wallet {
  readonly name: string;
  readonly book = new AddressBook();
  readonly ledger: Ledger;
  readonly reader: TxReader;
  readonly position = new ChainPosition();
  readonly scans = new WalletScans();
  readonly session: WalletSession;
  /** Lock that calls, changes, events and exclusive work acquire before they use the wallet. */
  readonly access = new WalletLock();
  readonly storage: WalletStorage;
  readonly encryption: WalletEncryption;
  readonly reassessor = new Reassessor(this);
  readonly events = new EventQueue(this);
  #closing: Promise<void> | undefined;

  constructor(
    readonly parts: WalletParts,
    store: Store,
  ) {
    this.name = parts.name;
    this.session = new WalletSession(parts.options.spend.payFeeRate);
    this.storage = new WalletStorage(store, (error) => parts.onFault(error, this));
    this.encryption = new WalletEncryption({
      vault: parts.vault,
      access: this.access,
      now: parts.now,
      isClosed: () => this.closed,
    });
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
        this.reader.evictRow(row);
        parts.onTransaction(this, row);
      },
    });
    this.reader = new TxReader({
      txs: this.ledger.txs,
      read: (keys) => this.storage.read((store) => store.getMany(keys)),
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
  get tip(): BlockFacts | null {
    return this.position.tip;
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
  /** Writes a batch after all earlier ones. @param sync true: sync the write to disk */
  commit(batch: WalletBatch, sync = false): Promise<void> {
    this.reassessor.checkForNewKeys(batch);
    return this.storage.commit(batch, sync);
  }
  /**
   * Imports scripts, keys and descriptors as one change, then reassesses the transactions and coins of all scripts that
   * the change touched.
   * @returns for each item of the plan why it was refused; null if it was imported
   */
  import(plan: ImportPlan): Promise<(WalletError | null)[]> {
    return this.reassessor.change((batch) => {
      const refused = applyImportPlan(this, plan, batch);
      this.session.addKeyManager();
      if (refused.includes(null)) this.scans.planRescan(this.tip, plan.scanFrom, batch);
      return refused;
    });
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
    const { storage, scans } = this;
    if (settled) {
      this.events.applyAll();
      // An empty batch: if nothing is pending, commit adds the deletion of the row of pending scripts.
      this.commit(new WalletBatch()).catch(() => {});
    }
    storage.markClosed();
    const isWhole = settled && scans.running === null;
    scans.abort();
    this.encryption.lockNow();
    await storage
      .queueWrite(async () => {
        await storage.store.batch([], { sync: true });
        if (isWhole) await saveImage(this);
      })
      .catch(() => {});
    await storage.store.close();
    this.keys.wipeSecrets();
  }
  /** True if the wallet was closed, or has failed and will be closed. */
  get closed(): boolean {
    return this.storage.isClosed;
  }
  /** Throws if the wallet is closed or has failed. @throws WalletError */
  assertOpen(): void {
    this.storage.assertOpen();
  }
}
