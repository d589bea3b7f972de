// Manages all wallets of the node: creates, loads and lists them, finds the one that a call means, and passes every
// block and mempool event to each of them. The file is longer than most because every step of creating, loading and
// closing a wallet changes the same list of wallets and folders.
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Store } from '../../storage/store.js';
import { wipeCoreWallet } from '../core/core-wallet.js';
import { readCoreWallet } from '../core/read-core-wallet.js';
import { catchUp, isOfOtherChain, rollBack } from '../follow/catch-up.js';
import { saveImage } from '../image/save-image.js';
import { WalletImages } from '../image/wallet-images.js';
import { fillPool } from '../keys/fill-pool.js';
import { ALREADY_DESCRIPTORS, type Migrated, migrateWallet, openMigrationKey } from '../migrate/migrate-wallet.js';
import { type NodeClient, type NodeEvent, sameBlock } from '../node-client.js';
import type { WalletOptions } from '../options.js';
import {
  clearNewDatabase,
  databaseOf,
  findWallets,
  folderOf,
  folderToLoad,
  hasDatabase,
  isLinkedDatabase,
  MIGRATION_MARKER,
  repairFolder,
} from '../storage/wallet-folder.js';
import type { Wallet } from '../wallet.js';
import { readBackup } from './backup.js';
import { copySettings, FailedWallets } from './failed-wallets.js';
import { type CoreImportSummary, fillFromCore, openCoreKeys, throwImportError } from './fill-from-core.js';
import { type FolderHold, FolderHolds } from './folder-holds.js';
import { loadWallet, type WalletSurroundings } from './load-wallet.js';
import { makeWallet, type NewWallet, type SignerBranch, signerDescriptors } from './make-wallet.js';
import {
  alreadyLoaded,
  assertFree,
  inNewFolder,
  installNewDatabase,
  invalidPath,
  LOADING,
  type NewFolder,
  notFoundError,
  openDatabase,
} from './new-folder.js';
import { selectWallet } from './select-wallet.js';
import { adviceForDamagedWallet, VERIFY, WALLET_CODE, WalletError } from './wallet-error.js';
import { WalletScanner } from './wallet-scanner.js';

export interface ManagerDeps {
  readonly surroundings: WalletSurroundings;
  readonly client: NodeClient;
  readonly log: { info(line: string): void; warn(line: string): void; error(line: string): void };
  readonly stopping: AbortSignal;
  /** Warnings about options, which every call that creates or loads a wallet returns. */
  readonly warnings: readonly string[];
  /**
   * Called when the list of wallets changes, with the names of wallets that are loaded or are being loaded again after
   * a failure.
   */
  readonly onNames: (names: readonly string[]) => void;
  /**
   * Called when a wallet is loaded and follows the chain. Submits the wallet's unconfirmed payments to the mempool
   * again.
   */
  readonly onLoaded: (wallet: Wallet) => Promise<void>;
  /** Adds a wallet to the list of those loaded at every start, or removes it. */
  readonly setLoadOnStart: (name: string, load: boolean) => void;
}

export class WalletManager {
  readonly options: WalletOptions;
  /** Scans of past blocks. */
  readonly scanner: WalletScanner;
  readonly #deps: ManagerDeps;
  /** Loaded wallets, in the order in which they were loaded. */
  readonly #wallets: Wallet[] = [];
  /** All wallet folders that this process holds. */
  readonly #folders = new FolderHolds();
  /** Folder of each wallet that is or was in the list and is not closed yet. */
  readonly #holds = new Map<Wallet, FolderHold>();
  /** Wallets that are catching up with the chain. */
  readonly #catchingUp = new Set<Wallet>();
  /** Wallets whose loading is complete. A failure before that is handled by the code that loads the wallet. */
  readonly #complete = new WeakSet<Wallet>();
  readonly #failed = new FailedWallets(() => performance.now());
  /** Failed wallets that are being loaded again. */
  readonly #reloads = new Set<Promise<Wallet>>();
  #closed = false;
  readonly #surroundings: WalletSurroundings;
  #lastBlockSeconds = 0;
  /** Stops the events of the node; null while there are no wallets. */
  #stopListening: Promise<() => void> | null = null;
  /**
   * True if the unnamed wallet was loaded because settings.json has no list. When settings.json first gets a list, the
   * list must include that wallet.
   */
  #unnamedByHabit = false;

  constructor(deps: ManagerDeps) {
    this.#deps = deps;
    const { surroundings } = deps;
    this.options = surroundings.options;
    this.scanner = new WalletScanner({ client: deps.client, log: deps.log, onProgress: this.#updatePruneGuard });
    this.#surroundings = {
      ...surroundings,
      onFault: (error, wallet) => {
        surroundings.onFault(error, wallet);
        this.#onFault(wallet, error);
      },
    };
  }

  // -- finding wallets

  get all(): readonly Wallet[] {
    return this.#wallets;
  }
  get(name: string): Wallet | undefined {
    return this.#wallets.find((wallet) => wallet.name === name);
  }
  /**
   * Returns the wallet that a call means.
   * @param name from /wallet/NAME; null without it
   * @param ambiguous error text if several wallets could be meant
   */
  selectWallet(name: string | null, ambiguous: string): Wallet {
    return selectWallet(this.#wallets, this.#failed, name, ambiguous);
  }
  /** Protects blocks from pruning, from the lowest height that a wallet still has to read. */
  readonly #updatePruneGuard = (): void => {
    let lowest = Number.POSITIVE_INFINITY;
    for (const { scans } of this.#wallets) lowest = Math.min(lowest, scans.neededFrom);
    for (const { tip } of this.#catchingUp) lowest = Math.min(lowest, (tip?.height ?? 0) + 1);
    this.#deps.client.setPruneGuard(lowest);
  };
  /** Warnings about options. */
  get warnings(): readonly string[] {
    return this.#deps.warnings;
  }
  listDir(): Promise<string[]> {
    return findWallets(this.options.dir);
  }

  // -- events of the node, log lines

  /** Starts to receive events of the node if there is a wallet. */
  async #listen(): Promise<void> {
    this.#stopListening ??= this.#deps.client.listen((event) => this.#onEvent(event));
    await this.#stopListening;
  }
  /** Stops receiving events of the node if there is no wallet left. */
  #listenNoMore(): void {
    if (this.#wallets.length + this.#catchingUp.size > 0 || this.#stopListening === null) return;
    void this.#stopListening.then((stop) => stop());
    this.#stopListening = null;
  }
  /**
   * Passes an event to every wallet.
   * @returns for block events, a promise that resolves when no wallet needs the block's bytes any more
   */
  #onEvent(event: NodeEvent): Promise<unknown> | undefined {
    if (event.kind === 'history') {
      void this.#onHistoryEnd(event.jumps);
      return undefined;
    }
    if (this.#wallets.length === 0) return undefined;
    for (const wallet of this.#wallets) wallet.events.push(event);
    if (event.kind !== 'connected' && event.kind !== 'disconnected') return undefined;
    this.#lastBlockSeconds = this.#surroundings.now();
    return Promise.all(this.#wallets.map((wallet) => wallet.events.whenApplied()));
  }
  /** Time at which the last block arrived, seconds; 0 before the first. */
  get lastBlockSeconds(): number {
    return this.#lastBlockSeconds;
  }
  /** Starts the scans that waited for blocks below a coins snapshot, or below a jump of the tip, to be stored. */
  async #onHistoryEnd(jumps: number): Promise<void> {
    const start = async (wallet: Wallet): Promise<void> => {
      await wallet.events.applyPending();
      await this.scanner.scanUnseen(wallet);
    };
    await Promise.all(this.#wallets.map((wallet) => start(wallet).catch(this.scanner.logNotStarted)));
    this.#updatePruneGuard();
    this.#deps.client.confirmJump(jumps);
  }

  /** Logs an operation on a wallet. @param what the operation, without secrets */
  logOperation(name: string, what: string): void {
    this.#deps.log.info(`Wallet ${JSON.stringify(name)} ${what}`);
  }
  /** Logs a failed operation. @param what the rest of the sentence "Failed to ..." */
  logFailure(what: string, error: unknown): void {
    this.#deps.log.warn(`Failed to ${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
  #logAndThrow(what: string, error: unknown): never {
    this.logFailure(what, error);
    throw error;
  }

  // -- creating, loading, replacing and closing wallets

  /** Creates a wallet. @returns the wallet, and warnings in addition to `warnings` */
  async createWallet(wanted: NewWallet): Promise<{ wallet: Wallet; warnings: string[] }> {
    const warnings: string[] = [];
    const { name } = wanted;
    const secret = wanted.passphrase !== null && wanted.passphrase.length > 0;
    if (wanted.passphrase !== null && !secret) warnings.push('Empty string given as passphrase, wallet will not be encrypted.');
    const folder = folderOf(this.options.dir, name);
    const taken = new WalletError(WALLET_CODE.WALLET, `${VERIFY}Failed to create database path '${folder}'. Database already exists.`);
    await assertFree(folder, taken);
    if (secret && wanted.disablePrivateKeys) {
      throw new WalletError(
        WALLET_CODE.WALLET,
        'Passphrase provided but private keys are disabled. A passphrase is only used to encrypt private keys, so cannot be used for wallets with private keys disabled.',
      );
    }
    const signerBranches = wanted.signer === null ? null : await signerDescriptors(wanted, wanted.signer, this.#surroundings.context);
    const wallet = await inNewFolder(this.#folders, this.options.dir, name, taken, (place, hold) =>
      this.#make(wanted, place, signerBranches, hold),
    ).catch((error: unknown) => this.#logAndThrow(`create wallet ${JSON.stringify(name)}`, error));
    this.logOperation(name, `created in ${folder}`);
    return { wallet, warnings };
  }
  async #make(wanted: NewWallet, place: NewFolder, signerBranches: readonly SignerBranch[] | null, hold: FolderHold): Promise<Wallet> {
    const surroundings = this.#surroundings;
    const wallet = await makeWallet(wanted, place, signerBranches, surroundings, this.#deps.client);
    try {
      await this.#attach(wallet, hold);
      this.#markComplete(wallet);
      if (surroundings.images) wallet.storage.useImages(new WalletImages(surroundings.images, databaseOf(place.folder)));
      return wallet;
    } catch (error) {
      await this.#dropWallet(wallet);
      throw error;
    }
  }

  async loadWallet(name: string): Promise<Wallet> {
    const folder = folderToLoad(this.options.dir, name);
    // Do not create a lock in a folder without a wallet.
    if (!(await hasDatabase(folder))) throw await notFoundError(folder);
    const hold = await this.#folders.holdFolder(folder, LOADING);
    try {
      const wallet = await this.#loadFrom(folder, name, hold);
      this.logOperation(name, `loaded from ${folder}`);
      return wallet;
    } catch (error) {
      await hold.release();
      return this.#logAndThrow(`load wallet ${JSON.stringify(name)} from ${folder}`, error);
    }
  }
  /** Loads a wallet whose folder is locked. @param former the wallet object before the failure, if the wallet has failed */
  async #loadFrom(folder: string, name: string, hold: FolderHold, former?: Wallet): Promise<Wallet> {
    if (!(await hasDatabase(folder))) throw await notFoundError(folder);
    if (await isLinkedDatabase(folder)) throw invalidPath(this.options.dir, name);
    await repairFolder(folder);
    // Delete the marker, so that the next migration does not remove this wallet.
    await fs.rm(path.join(folder, MIGRATION_MARKER), { force: true });
    const store = await openDatabase(databaseOf(folder));
    let wallet: Wallet | undefined;
    try {
      const result = await loadWallet(this.#surroundings, { name, folder }, store);
      wallet = result.wallet;
      if (former !== undefined) copySettings(wallet, former);
      if (isOfOtherChain(result.locator, this.#deps.client)) {
        throw new WalletError(WALLET_CODE.WALLET, 'Wallet loading failed. Wallet files should not be reused across chains.');
      }
      await rollBack(wallet, result.locator, this.#deps.client);
      if (result.reassessDue) {
        this.#deps.log.info(`Wallet ${JSON.stringify(name)}: checking known transactions again, because keys were added since`);
        await wallet.reassessor.finishPending(result.isIndexed);
      }
      // Save an image after the first load from rows, or after a sudden end that left a long journal.
      await saveImage(wallet);
      await this.#attach(wallet, hold);
      await wallet.reassessor.startReassessing();
      await fillPool(wallet, 0);
      if (this.options.rescan && former === undefined) await this.scanner.rescan(wallet);
      else await this.scanner.scanUnseen(wallet);
      await this.#deps.onLoaded(wallet);
      this.#markComplete(wallet);
      return wallet;
    } catch (error) {
      await (wallet ? this.#dropWallet(wallet) : store.close());
      throw wallet?.storage.fault ? wallet.storage.fault.error : error;
    }
  }
  /**
   * Marks the loading as complete. From then on the manager handles failures of the wallet.
   * @throws if the wallet failed during loading
   */
  #markComplete(wallet: Wallet): void {
    if (wallet.storage.fault !== null) throw wallet.storage.fault.error;
    this.#failed.recordLoaded(wallet.name);
    this.#complete.add(wallet);
  }
  /** Closes a wallet that could not be created or loaded, and removes it from the list. */
  async #dropWallet(wallet: Wallet): Promise<void> {
    const at = this.#wallets.indexOf(wallet);
    if (at >= 0) this.#wallets.splice(at, 1);
    this.#publishNames();
    this.#listenNoMore();
    await wallet.close(false);
    this.#holds.delete(wallet);
  }

  /**
   * Brings a wallet to the tip and adds it to the list, so that it receives events. The wallet's folder is held until
   * the wallet is closed.
   */
  async #attach(wallet: Wallet, hold: FolderHold): Promise<void> {
    const { client, stopping } = this.#deps;
    const { deps } = this.scanner;
    this.#catchingUp.add(wallet);
    this.#updatePruneGuard();
    try {
      await this.#listen();
      // catchUp resolves in the same event-loop tick in which the wallet reaches the tip. No other code runs before the
      // wallet is in the list, so it misses no event.
      do {
        if (!(await catchUp(wallet, deps, () => stopping.aborted))) {
          throw new WalletError(WALLET_CODE.WALLET, 'Wallet loading failed. Failed to rescan the wallet during initialization');
        }
      } while (!sameBlock(wallet.tip, client.tip));
      this.#wallets.push(wallet);
      this.#publishNames();
      this.#holds.set(wallet, hold);
      hold.setErrorText(alreadyLoaded(wallet));
    } finally {
      this.#catchingUp.delete(wallet);
      this.#listenNoMore();
      this.#updatePruneGuard();
    }
    await client.readMempool((event) => wallet.events.push(event));
    await wallet.events.applyPending();
  }

  async unloadWallet(wallet: Wallet): Promise<void> {
    const at = this.#wallets.indexOf(wallet);
    if (at < 0) throw new WalletError(WALLET_CODE.MISC, 'Requested wallet already unloaded');
    this.#holds.get(wallet)?.setErrorText('Wallet is being unloaded.');
    this.#wallets.splice(at, 1);
    this.#publishNames();
    this.#listenNoMore();
    wallet.scans.abort();
    await wallet.access.runExclusive(() => this.#closeWallet(wallet, true));
    this.logOperation(wallet.name, 'unloaded');
  }
  /**
   * Removes a failed wallet from the list and loads it again from its folder. The folder has all data that were
   * written. The wallet reads the missing data again from the chain and the mempool.
   */
  #onFault(wallet: Wallet, error: unknown): void {
    const at = this.#wallets.indexOf(wallet);
    if (at < 0 || !this.#complete.has(wallet)) return;
    this.#wallets.splice(at, 1);
    this.#listenNoMore();
    wallet.scans.abort();
    void this.#recover(wallet, error, this.#failed.recordFailure(wallet.name));
  }
  async #recover(wallet: Wallet, error: unknown, loadsAgain: boolean): Promise<void> {
    const { name, parts } = wallet;
    const hold = this.#holds.get(wallet)!;
    hold.setErrorText(LOADING);
    try {
      await wallet.access.runExclusive(() => wallet.close(false));
      this.#holds.delete(wallet);
      if (this.#closed) return;
      if (!loadsAgain) throw error;
      this.#deps.log.warn(`Wallet ${JSON.stringify(name)} has failed and is loaded again from its folder`);
      const reload = this.#loadFrom(parts.folder, name, hold, wallet);
      this.#reloads.add(reload);
      await reload.finally(() => this.#reloads.delete(reload));
      this.logOperation(name, 'was loaded again');
    } catch (reason) {
      this.#holds.delete(wallet);
      await hold.release().catch(() => {});
      if (!this.#closed) this.#giveUp(name, reason);
    }
  }
  #giveUp(name: string, reason: unknown): void {
    this.#deps.log.error(this.#failed.giveUpWallet(name, reason));
    this.#publishNames();
  }
  /**
   * Loads the wallets that were loaded when the wallets' thread ended.
   * @param why reason for which they must stay unloaded instead; null: load them
   */
  async reloadWallets(names: readonly string[], why: string | null): Promise<void> {
    for (const name of names) this.#failed.recordFailure(name);
    for (const name of names) {
      if (why !== null) this.#giveUp(name, why);
      else await this.loadWallet(name).catch((error: unknown) => this.#giveUp(name, error));
    }
  }
  #publishNames(): void {
    this.#deps.onNames([...new Set([...this.#wallets.map(({ name }) => name), ...this.#failed.reloading])]);
  }
  dismissFailed(name: string): boolean {
    return this.#failed.dismissWallet(name);
  }
  async #closeWallet(wallet: Wallet, settled?: boolean): Promise<void> {
    wallet.scans.abort();
    try {
      await wallet.close(settled);
    } finally {
      await this.#holds.get(wallet)?.release();
      this.#holds.delete(wallet);
    }
  }

  /** Restores a wallet from a backup file and loads it. */
  async restoreWallet(name: string, file: string): Promise<Wallet> {
    const isFile = await fs.stat(file).then(
      (info) => info.isFile(),
      () => false,
    );
    if (!isFile) throw new WalletError(WALLET_CODE.INVALID_PARAMETER, 'Backup file does not exist');
    const folder = folderOf(this.options.dir, name);
    const why = `Failed to restore wallet. Database file exists in '${databaseOf(folder)}'.`;
    const taken = new WalletError(WALLET_CODE.ALREADY_EXISTS, why);
    await assertFree(folder, taken);
    const wallet = await this.#loadFilled(name, taken, async (store) => {
      const fault = await readBackup(file, store);
      if (fault === null) return;
      throw new WalletError(WALLET_CODE.WALLET, `Wallet loading failed. Error loading ${name}: Wallet corrupted. ${file} ${fault}.`);
    }).catch((error: unknown) => this.#logAndThrow(`restore wallet ${JSON.stringify(name)} from ${file}`, error));
    this.logOperation(name, `restored from ${file}`);
    return wallet;
  }
  /** Fills the database of a new wallet, and loads the wallet. */
  #loadFilled(name: string, taken: WalletError, fill: (store: Store) => Promise<void>): Promise<Wallet> {
    return inNewFolder(this.#folders, this.options.dir, name, taken, async (place, hold) => {
      const { folder } = place;
      const store = await openDatabase(await clearNewDatabase(folder));
      try {
        await fill(store);
      } finally {
        await store.close();
      }
      await installNewDatabase(place);
      return this.#loadFrom(folder, name, hold);
    });
  }

  /**
   * Imports a wallet file of Bitcoin Core as a new wallet and loads it.
   * @param magic the node's network, 4 bytes
   * @param passphrase of an encrypted file; the new wallet is encrypted with it too. The caller wipes it
   * @throws WalletError
   */
  async importCoreWallet(
    name: string,
    { file, magic, passphrase }: { readonly file: string; readonly magic: Uint8Array; readonly passphrase: Uint8Array | null },
  ): Promise<CoreImportSummary> {
    const [{ client }, surroundings] = [this.#deps, this.#surroundings];
    const folder = folderOf(this.options.dir, name);
    const occupied = new WalletError(WALLET_CODE.ALREADY_EXISTS, `There is a wallet in '${folder}' already`);
    await assertFree(folder, occupied);
    const core = await readCoreWallet(file, magic, surroundings.crypto).catch(throwImportError);
    let masterKey: Uint8Array | null = null;
    try {
      masterKey = await openCoreKeys(core, passphrase).catch(throwImportError);
      const opened = { core, masterKey };
      let taken: CoreImportSummary | undefined;
      await this.#loadFilled(name, occupied, async (store) => {
        taken = await fillFromCore(surroundings, client, { name, folder }, opened, passphrase, store).catch(throwImportError);
      });
      this.logOperation(name, `imported from ${file}`);
      return taken as CoreImportSummary;
    } finally {
      masterKey?.fill(0);
      wipeCoreWallet(core);
    }
  }

  /**
   * Migrates a legacy wallet to descriptor wallets (migrate/migrate-wallet.ts).
   * @param loads whether to load the new wallets, now and at every start
   * @param passphrase of an encrypted wallet. The caller wipes it.
   * @throws WalletError
   */
  async migrateWallet(name: string, passphrase: Uint8Array | null, loads: boolean): Promise<Migrated> {
    const known = this.get(name);
    if (known?.descriptors) throw new WalletError(WALLET_CODE.WALLET, ALREADY_DESCRIPTORS);
    // Check before unloading the wallet.
    if (known?.vault.encrypted) (await openMigrationKey(known.encryption.masterKeys, passphrase)).fill(0);
    const folder = folderToLoad(this.options.dir, name);
    if (!(await hasDatabase(folder))) {
      const { message } = await notFoundError(folder);
      const hint = /It is Bitcoin Core's.*/.exec(message)?.[0] ?? '';
      throw new WalletError(WALLET_CODE.WALLET, `Error: Wallet does not exist${hint && `. ${hint}`}`);
    }
    if (known) await this.unloadWallet(known);
    let migrated: Migrated;
    try {
      migrated = await this.#migrateIn(folder, name, passphrase);
    } catch (error) {
      if (known) await this.loadWallet(name).catch((again: unknown) => this.logFailure(`load wallet ${JSON.stringify(name)} again`, again));
      return this.#logAndThrow(`migrate wallet ${JSON.stringify(name)}`, error);
    }
    const { main, watchOnly, solvables, backupPath } = migrated;
    const made = [main, watchOnly, solvables].filter((one) => one !== null);
    this.logOperation(name, `migrated to ${made.map((one) => JSON.stringify(one)).join(', ')}; the legacy wallet is in ${backupPath}`);
    for (const one of made) if (one !== name || !loads) this.setLoadOnStart(one, loads);
    if (main === null) this.setLoadOnStart(name, false);
    if (loads) for (const one of made) await this.loadWallet(one);
    return migrated;
  }
  async #migrateIn(folder: string, name: string, passphrase: Uint8Array | null): Promise<Migrated> {
    const [{ client, stopping }, surroundings] = [this.#deps, this.#surroundings];
    const hold = await this.#folders.holdFolder(folder, LOADING);
    let isRemoved = false;
    try {
      const tools = { surroundings, client, folders: this.#folders, dir: this.options.dir, stopping };
      const migrated = await migrateWallet(tools, { name, folder }, passphrase);
      isRemoved = migrated.main === null;
      return migrated;
    } finally {
      await hold.release(isRemoved);
      if (isRemoved) await fs.rmdir(folder).catch(() => {});
    }
  }

  setLoadOnStart(name: string, load: boolean): void {
    if (this.#unnamedByHabit) this.#deps.setLoadOnStart('', true);
    this.#unnamedByHabit = false;
    this.#deps.setLoadOnStart(name, load);
  }
  /** Loads the wallets of -wallet and settings.json. @throws WalletError for the operator */
  async loadAtStart(): Promise<void> {
    const names = new Set(this.options.names);
    if (this.options.unnamed && (await hasDatabase(this.options.dir))) {
      names.add('');
      this.#unnamedByHabit = true;
    }
    for (const name of names) {
      const folder = folderToLoad(this.options.dir, name);
      if (!(await hasDatabase(folder))) {
        this.#deps.log.warn(`Skipping -wallet path that does not exist. ${folder}`);
        continue;
      }
      if (await this.#folders.has(folder)) {
        this.#deps.log.warn(`Ignoring duplicate -wallet ${name}.`);
        continue;
      }
      await this.loadWallet(name).catch((error: unknown) => {
        if (!(error instanceof WalletError) || !error.message.endsWith('Wallet corrupted')) throw error;
        const advice = adviceForDamagedWallet(databaseOf(folder));
        throw new WalletError(error.code, `${error.message}. Start without this wallet (-wallet, settings.json). ${advice}`);
      });
    }
    if (this.#wallets.length > 0) for (const warning of this.warnings) this.#deps.log.warn(`Warning: ${warning}`);
  }
  async close(): Promise<void> {
    this.#closed = true;
    this.#wallets.length = 0;
    this.#listenNoMore();
    // Also close wallets that wait to be unloaded: neither a call nor another wallet may delay the stop of the node.
    const endAll = () => Promise.allSettled([...this.#holds.keys()].map((wallet) => this.#closeWallet(wallet)));
    const ends = await endAll();
    await Promise.allSettled(this.#reloads);
    for (const end of [...ends, ...(await endAll())]) if (end.status === 'rejected') throw end.reason;
  }
}
