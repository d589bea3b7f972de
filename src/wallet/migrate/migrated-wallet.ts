// Fills a descriptor wallet during a migration. Its database has a temporary name until it is complete.

import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Store } from '../../storage/store.js';
import type { Purpose } from '../address-book.js';
import type { RecordTimes } from '../coins/ledger.js';
import type { TxPlace } from '../coins/tx-table.js';
import { encodeMasterKey, type SealedMasterKey } from '../crypt/master-key.js';
import type { OpenScan } from '../follow/wallet-scans.js';
import { destinationOf } from '../keys/destination.js';
import { OWNERSHIP } from '../keys/ownership.js';
import { assembleWallet, unattached, type WalletSurroundings } from '../manage/load-wallet.js';
import { WALLET_CODE, WalletError } from '../manage/wallet-error.js';
import type { BlockFacts } from '../node-client.js';
import { WALLET_PREFIX, WALLET_SCHEMA, walletKey } from '../storage/layout.js';
import { WalletBatch } from '../storage/wallet-batch.js';
import type { Wallet } from '../wallet.js';
import { WALLET_FLAG, WalletRecord } from '../wallet-record.js';
import type { MigratedDescriptor } from './legacy-descriptors.js';

/** Number of rows per write. */
const ROWS = 2000;

/** Entry of the address book to copy into a migrated wallet. */
export interface BookEntry {
  /** Output script of the address. */
  readonly script: Uint8Array;
  /** Null: the entry only marks the address as used. */
  readonly label: string | null;
  readonly purpose: Purpose;
  readonly used: boolean;
}

/** Transaction of a wallet, with all known versions. */
export interface MovedRecord {
  readonly tx: TxView;
  readonly place: TxPlace;
  readonly values: ReadonlyMap<string, string> | undefined;
  readonly times: RecordTimes;
  readonly versions: readonly TxView[];
}

export class MigratedWallet {
  readonly wallet: Wallet;
  #batch = new WalletBatch();

  /**
   * @param store an empty store, which `finish` or `abandon` closes
   * @param sealed the encrypted master key; null: the wallet is not encrypted
   */
  constructor(
    surroundings: WalletSurroundings,
    place: { readonly name: string; readonly folder: string },
    flags: bigint,
    sealed: SealedMasterKey | null,
    store: Store,
  ) {
    const record = new WalletRecord();
    record.flags = flags | WALLET_FLAG.DESCRIPTORS;
    this.wallet = assembleWallet(unattached(surroundings), { ...place, record, encrypted: sealed !== null, store });
    this.#batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA));
    if (sealed === null) return;
    this.wallet.encryption.masterKeys.push(sealed);
    this.#batch.put(walletKey(WALLET_PREFIX.masterKey, 1), encodeMasterKey(sealed));
  }

  has(script: Uint8Array): boolean {
    return this.wallet.keys.isMine(script) !== OWNERSHIP.NO;
  }
  /** Adds a descriptor. @param run runs steps in time slices */
  async addDescriptor(wanted: MigratedDescriptor, run: <T>(steps: Generator<unknown, T>) => Promise<T>): Promise<void> {
    const secrets = wanted.secrets();
    try {
      const { descriptor, time, rangeEnd } = wanted;
      const fresh = { descriptor, secrets, time, rangeStart: 0, rangeEnd, nextIndex: 0 };
      const tracked = await run(this.wallet.descriptors!.addDescriptorInSteps(fresh, this.#batch));
      if (tracked === null) throw new WalletError(WALLET_CODE.WALLET, 'Error: The scripts of a descriptor cannot be derived');
      if (secrets.length > 0) this.wallet.record.flags &= ~WALLET_FLAG.BLANK;
    } finally {
      for (const { secret } of secrets) secret.fill(0);
    }
    await this.#written();
  }
  /** Gives the addresses of a descriptor without a range an empty label, as an import does. */
  async labelDescriptor({ descriptor }: MigratedDescriptor): Promise<void> {
    for (const script of descriptor.scripts(0) ?? []) {
      const destination = destinationOf(script, this.wallet.parts.crypto);
      if (destination) this.wallet.book.set(destination, '', 'receive', this.#batch);
    }
    await this.#written();
  }
  async addAddress({ script, label, purpose, used }: BookEntry): Promise<void> {
    if (label !== null) this.wallet.book.set(script, label, purpose, this.#batch);
    if (used) this.wallet.book.markUsed(script, this.#batch);
    await this.#written();
  }
  async addRecord({ tx, place, values, times, versions }: MovedRecord): Promise<void> {
    const { ledger } = this.wallet;
    const row = ledger.putRecord(tx, place, this.#batch, values, times);
    if (versions.length > 1) for (const version of versions) ledger.addVersion(row, version, this.#batch);
    await this.#written();
  }
  lockCoin(outpoint: Uint8Array): void {
    this.wallet.ledger.lockCoin(outpoint, this.#batch);
  }
  /** Sets the wallet's tip. Call this before records are added. */
  startAt(tip: BlockFacts): void {
    this.wallet.position.moveTo(tip);
    this.wallet.ledger.setTip(tip.height);
  }
  /** Writes all remaining rows and closes the wallet. @param unseen past blocks that the wallet still has to scan */
  async finish(locator: Uint8Array, unseen: OpenScan | null): Promise<void> {
    const { wallet } = this;
    wallet.position.setLocator(locator);
    wallet.position.writeLocator(this.#batch);
    if (unseen !== null) wallet.scans.markUnseen(unseen, this.#batch);
    wallet.record.write(this.#batch);
    await wallet.commit(this.#batch, true);
    await wallet.close(false);
  }
  /** Closes the wallet without writing the remaining rows, unless `finish` has already closed it. */
  abandon(): Promise<void> {
    return this.wallet.close(false).catch(() => {});
  }

  /** Writes the batch if it is large. The write is not synced until `finish`. */
  async #written(): Promise<void> {
    if (this.#batch.ops.length < ROWS) return;
    const batch = this.#batch;
    this.#batch = new WalletBatch();
    await this.wallet.commit(batch);
  }
}
