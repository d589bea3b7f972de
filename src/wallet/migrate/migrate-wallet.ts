// Migrates a legacy wallet to descriptor wallets. Scripts with private keys stay in the wallet itself. Scripts that the
// wallet only watches go to NAME_watchonly. Scripts that it can solve but does not watch go to NAME_solvables. Core:
// MigrateLegacyToDescriptor, ApplyMigrationData.
//
// The migration first writes all new databases to disk under temporary names. Then it renames the additional wallets,
// each with a marker file (migrated-places.ts). Last it replaces the main database in one atomic step
// (wallet-folder.ts). After a crash before that step the legacy wallet is unchanged, and the next migration removes the
// wallets that have a marker.
import { randomFillSync } from 'node:crypto';
import path from 'node:path';
import { secretBytes } from '../../crypto/secret-bytes.js';
import { TimeSlice } from '../../lib/time-slice.js';
import type { Store } from '../../storage/store.js';
import { PURPOSES } from '../address-book.js';
import { openAnyMasterKey, type SealedMasterKey } from '../crypt/master-key.js';
import { isOfOtherChain, rollBack } from '../follow/catch-up.js';
import { fillPool } from '../keys/fill-pool.js';
import { OWNERSHIP } from '../keys/ownership.js';
import { writeBackup } from '../manage/backup.js';
import { renewSeed } from '../manage/encrypt-wallet.js';
import type { FolderHolds } from '../manage/folder-holds.js';
import { loadWallet, unattached, type WalletSurroundings } from '../manage/load-wallet.js';
import { openDatabase } from '../manage/new-folder.js';
import { addSeedDescriptors } from '../manage/new-keys.js';
import { WALLET_CODE, WalletError } from '../manage/wallet-error.js';
import type { NodeClient } from '../node-client.js';
import { WALLET_PREFIX } from '../storage/layout.js';
import { unpackRow } from '../storage/rows.js';
import { scanRows } from '../storage/scan-rows.js';
import { clearNewDatabase, databaseOf, repairFolder } from '../storage/wallet-folder.js';
import type { Wallet } from '../wallet.js';
import { WALLET_FLAG } from '../wallet-record.js';
import { LegacyDescriptors, type RestDescriptor, type RestKind } from './legacy-descriptors.js';
import { exchangeMain, inMigratedPlace, removeMain } from './migrated-places.js';
import { type BookEntry, MigratedWallet } from './migrated-wallet.js';

/** Parts of the node that a migration needs. */
export interface MigrationTools {
  readonly surroundings: WalletSurroundings;
  readonly client: NodeClient;
  readonly folders: FolderHolds;
  /** The folder of all wallets. */
  readonly dir: string;
  /** Aborts the migration when the node stops. */
  readonly stopping: AbortSignal;
}

/** Names of the wallets that a migration created. */
export interface Migrated {
  /** Name of the migrated wallet; null if it had no private keys, so that its database was removed. */
  readonly main: string | null;
  readonly watchOnly: string | null;
  readonly solvables: string | null;
  readonly backupPath: string;
}

const refuse = (text: string): WalletError => new WalletError(WALLET_CODE.WALLET, `Error: ${text}`);

export const ALREADY_DESCRIPTORS = 'Error: This wallet is already a descriptor wallet';

/** Decrypts the master key, which the caller wipes. @param passphrase null if none was given @throws WalletError */
export async function openMigrationKey(masterKeys: readonly SealedMasterKey[], passphrase: Uint8Array | null): Promise<Uint8Array> {
  const opened = passphrase && (await openAnyMasterKey(masterKeys, passphrase));
  if (opened) return opened.key;
  throw refuse('Wallet decryption failed, the wallet passphrase was not provided or was incorrect.');
}

/**
 * Migrates the wallet in a folder that the caller has locked. If it fails, the legacy wallet is unchanged.
 * @param passphrase null if none was given. The caller wipes it.
 * @throws WalletError
 */
export async function migrateWallet(
  tools: MigrationTools,
  place: { readonly name: string; readonly folder: string },
  passphrase: Uint8Array | null,
): Promise<Migrated> {
  const { surroundings, client } = tools;
  await repairFolder(place.folder);
  const store = await openDatabase(databaseOf(place.folder));
  let legacy: Wallet | undefined;
  try {
    const loaded = await loadWallet(unattached(surroundings), place, store);
    legacy = loaded.wallet;
    if (legacy.descriptors) throw new WalletError(WALLET_CODE.WALLET, ALREADY_DESCRIPTORS);
    if (isOfOtherChain(loaded.locator, client)) {
      throw new WalletError(WALLET_CODE.WALLET, 'Wallet loading failed. Wallet files should not be reused across chains.');
    }
    const sealed = legacy.encryption.masterKeys[0] ?? null;
    if (sealed !== null) legacy.vault.unlock(await openMigrationKey(legacy.encryption.masterKeys, passphrase));
    await rollBack(legacy, loaded.locator, client);
    if (loaded.reassessDue) await legacy.reassessor.finishPending(loaded.isIndexed);
    if (legacy.encryption.needsNewSeed) await renewSeed(legacy, surroundings.context);
    const backupPath = await backUp(tools, place, legacy);
    return await new Migration(tools, place, legacy, passphrase).run(backupPath);
  } finally {
    await (legacy ? legacy.close(false) : store.close());
  }
}

async function backUp(
  { dir, surroundings }: MigrationTools,
  { name, folder }: { name: string; folder: string },
  legacy: Wallet,
): Promise<string> {
  const prefix = name === '' ? DEFAULT_PREFIX : path.basename(folder);
  const file = path.join(dir, `${prefix}_${surroundings.now()}.legacy.bak`);
  try {
    await legacy.storage.queueWrite(async () => {});
    await writeBackup(legacy.storage.store, file);
  } catch (error) {
    throw refuse(`Unable to make a backup of your wallet ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return file;
}

/** Prefix for names of additional wallets if the main wallet has an empty name. */
const DEFAULT_PREFIX = 'default_wallet';

class Migration {
  readonly #tools: MigrationTools;
  readonly #place: { readonly name: string; readonly folder: string };
  readonly #legacy: Wallet;
  readonly #passphrase: Uint8Array | null;
  readonly #slice = new TimeSlice();
  readonly #descriptors: LegacyDescriptors;

  constructor(
    tools: MigrationTools,
    place: { readonly name: string; readonly folder: string },
    legacy: Wallet,
    passphrase: Uint8Array | null,
  ) {
    this.#tools = tools;
    this.#place = place;
    this.#legacy = legacy;
    this.#passphrase = passphrase;
    this.#descriptors = new LegacyDescriptors(legacy.legacy!, legacy.record, tools.surroundings.context, legacy.record.privateKeysDisabled);
  }

  readonly #assertRunning = (): void => {
    if (this.#tools.stopping.aborted)
      throw refuse('The node is stopping, so the wallet was not migrated. Call migratewallet again after the next start.');
  };
  readonly #run = <T>(steps: Generator<unknown, T>): Promise<T> => this.#slice.run(steps, this.#assertRunning);
  readonly #yieldOrStop = (): Promise<void> | undefined => {
    this.#assertRunning();
    return this.#slice.over ? this.#slice.next() : undefined;
  };

  async run(backupPath: string): Promise<Migrated> {
    const { folder } = this.#place;
    const made: MigratedWallet[] = [];
    let isDone = false;
    try {
      const main = await this.#open(this.#place, this.#legacy.record.flags, made, await clearNewDatabase(folder));
      const rest = await this.#fillKeys(main);
      const keepsMain = main.wallet.descriptors!.count > 0 || (rest.watched.length === 0 && rest.solvable.length === 0);
      const prefix = this.#place.name === '' ? DEFAULT_PREFIX : this.#place.name;
      const watchOnly = rest.watched.length === 0 ? null : `${prefix}_watchonly`;
      const solvables = rest.solvable.length === 0 ? null : `${prefix}_solvables`;
      await this.#withExtraWallet(watchOnly, rest.watched, made, (watching, nameWatching) =>
        this.#withExtraWallet(solvables, rest.solvable, made, async (solving, nameSolving) => {
          await this.#fillRecords(main, watching);
          await this.#fillBooks(main, [watching, solving]);
          await this.#finish(made);
          await this.#legacy.close(false);
          await nameWatching();
          await nameSolving();
          await (keepsMain ? exchangeMain(folder) : removeMain(folder));
          isDone = true;
        }),
      );
      return { main: keepsMain ? this.#place.name : null, watchOnly, solvables, backupPath };
    } finally {
      for (const one of made) await one.abandon();
      if (!isDone) await clearNewDatabase(folder).catch(() => {});
    }
  }

  /** Opens a new wallet to which keys can be added. */
  async #open(
    place: { readonly name: string; readonly folder: string },
    flags: bigint,
    made: MigratedWallet[],
    database: string,
  ): Promise<MigratedWallet> {
    const isMain = place === this.#place;
    const sealed = isMain ? (this.#legacy.encryption.masterKeys[0] ?? null) : null;
    const store: Store = await openDatabase(database);
    const one = new MigratedWallet(this.#tools.surroundings, place, flags, sealed, store);
    made.push(one);
    if (sealed !== null) one.wallet.vault.unlock(await openMigrationKey([sealed], this.#passphrase));
    one.startAt(this.#legacy.tip!);
    return one;
  }

  /**
   * Runs work with an additional wallet in a new folder. The work also gets a function that renames the wallet's
   * database to its final name.
   * @param name name of the wallet; null: the migration needs no such wallet, and the work gets none
   */
  async #withExtraWallet(
    name: string | null,
    descriptors: readonly RestDescriptor[],
    made: MigratedWallet[],
    work: (one: MigratedWallet | null, install: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    if (name === null) return work(null, async () => {});
    await inMigratedPlace(this.#tools, name, async ({ folder, database, install }) => {
      const { AVOID_REUSE, KEY_ORIGIN_METADATA, DISABLE_PRIVATE_KEYS, BLANK } = WALLET_FLAG;
      const flags = (this.#legacy.record.flags & (AVOID_REUSE | KEY_ORIGIN_METADATA)) | DISABLE_PRIVATE_KEYS | BLANK;
      const one = await this.#open({ name, folder }, flags, made, database);
      try {
        for (const descriptor of descriptors) {
          await one.addDescriptor(descriptor, this.#run);
          await one.labelDescriptor(descriptor);
        }
        await work(one, install);
      } finally {
        // Close the wallet before its folder is removed.
        await one.abandon();
      }
    });
  }

  /** Adds descriptors to the main wallet, and returns those for the other wallets. */
  async #fillKeys(main: MigratedWallet): Promise<Record<Exclude<RestKind, 'own'>, RestDescriptor[]>> {
    const rest: Record<Exclude<RestKind, 'own'>, RestDescriptor[]> = { watched: [], solvable: [] };
    for (const descriptor of this.#descriptors.ofKeys()) await main.addDescriptor(descriptor, this.#run);
    for (const descriptor of this.#descriptors.ofRest((script) => main.has(script))) {
      const pause = this.#yieldOrStop();
      if (pause) await pause;
      if (descriptor === null) continue;
      if (descriptor.kind === 'own') await main.addDescriptor(descriptor, this.#run);
      else rest[descriptor.kind].push(descriptor);
    }
    if (main.wallet.descriptors!.count > 0 && !this.#legacy.record.privateKeysDisabled) await this.#giveAddresses(main);
    return rest;
  }
  /** Adds descriptors for new addresses, from the current seed or from a new one. */
  async #giveAddresses({ wallet }: MigratedWallet): Promise<void> {
    const { context } = this.#tools.surroundings;
    const seed = this.#descriptors.seed() ?? randomFillSync(secretBytes(32));
    try {
      await wallet.change((batch) => addSeedDescriptors(wallet, seed, context, batch), false);
    } finally {
      seed.fill(0);
    }
    await fillPool(wallet, 0);
  }

  /** Copies every transaction to the wallets that it concerns. */
  async #fillRecords(main: MigratedWallet, watching: MigratedWallet | null): Promise<void> {
    const { txs, coins, locked } = this.#legacy.ledger;
    for (const row of [...txs.rows()].sort((a, b) => txs.order(a) - txs.order(b))) {
      const pause = this.#yieldOrStop();
      if (pause) await pause;
      const tx = await this.#legacy.reader.readOne(row);
      if (tx === undefined)
        throw new WalletError(WALLET_CODE.WALLET, `Wallet loading failed. Error loading ${this.#place.name}: Wallet corrupted`);
      const spent = tx.isCoinbase
        ? []
        : Array.from({ length: tx.inputCount }, (_, i) => coins.find(tx.outpoint(i))).filter((coin) => coin >= 0);
      const scripts = [...spent, ...coins.ofTx(row)]
        .filter((coin) => coins.ownership(coin) !== OWNERSHIP.NO)
        .map((coin) => coins.script(coin));
      const owners = [main, watching].filter((one) => one !== null && scripts.some((script) => one.has(script)));
      if (owners.length === 0) {
        const txid = Buffer.from(txs.txid(row)).reverse().toString('hex');
        throw refuse(`Transaction ${txid} in wallet cannot be identified to belong to migrated wallets`);
      }
      const times = { received: txs.received(row), smart: txs.smartTime(row) };
      const moved = { tx, place: txs.place(row), values: txs.values(row), times, versions: txs.versions(row) };
      for (const owner of owners) await owner!.addRecord(moved);
    }
    for (const outpoint of locked.values()) {
      const coin = coins.find(outpoint);
      (coin >= 0 && watching?.has(coins.script(coin)) ? watching : main).lockCoin(outpoint);
    }
  }

  /**
   * Copies the address book. Entries of own addresses go to the wallet with the script. All other entries go to every wallet.
   * Entries of own addresses that no wallet has stay in the main wallet.
   */
  async #fillBooks(main: MigratedWallet, extraWallets: readonly (MigratedWallet | null)[]): Promise<void> {
    const others = extraWallets.filter((one) => one !== null);
    for (const entry of await this.#bookEntries()) {
      const pause = this.#yieldOrStop();
      if (pause) await pause;
      const owner = entry.purpose === 'receive' && !main.has(entry.script) ? others.find((one) => one.has(entry.script)) : undefined;
      for (const taker of owner ? [owner] : [main, ...others]) await taker.addAddress(entry);
    }
  }
  async #bookEntries(): Promise<BookEntry[]> {
    const entries: BookEntry[] = [];
    await scanRows(this.#legacy.storage.store, WALLET_PREFIX.address, (key, value) => {
      const [label, purpose, used] = unpackRow(value);
      entries.push({
        script: key.slice(1),
        label: typeof label === 'string' ? label : null,
        purpose: PURPOSES[Number(purpose)],
        used: used === true,
      });
    });
    return entries;
  }

  async #finish(made: readonly MigratedWallet[]): Promise<void> {
    const locator = await this.#tools.client.locator(this.#legacy.tip!.hash);
    for (const one of made) await one.finish(locator, this.#legacy.scans.unseen);
  }
}
