// Creates the folder of a new or restored wallet and removes it on failure. Also defines the errors for folders from
// which no wallet can be loaded.
import fs from 'node:fs/promises';
import path from 'node:path';
import { makeFolders } from '../../lib/durable-file.js';
import { openFile } from '../../lib/open-file.js';
import { openStore } from '../../storage/open-store.js';
import type { Store } from '../../storage/store.js';
import { isCoreFile } from '../core/read-core-wallet.js';
import {
  CORE_NAME,
  clearNewDatabase,
  DATABASE_NAME,
  databaseOf,
  folderOf,
  installDatabase,
  isReservedFolder,
  isTaken,
  LOCK_NAME,
} from '../storage/wallet-folder.js';
import type { Wallet } from '../wallet.js';
import type { FolderHold, FolderHolds } from './folder-holds.js';
import { VERIFY, WALLET_CODE, WalletError } from './wallet-error.js';

/** Error for a folder whose wallet is being created or loaded. */
export const LOADING = 'Wallet already being loading.';

/** Returns the error for the folder of a loaded wallet. */
export function alreadyLoaded(wallet: Wallet): string {
  const text = wallet.descriptors
    ? 'SQLiteDatabase: Unable to obtain an exclusive lock on the database, is it being used by another bitcoind?\n'
    : `Refusing to load database. Data file '${path.join(wallet.parts.folder, DATABASE_NAME)}' is already loaded.`;
  return VERIFY + text;
}

export const openDatabase = (path: string): Promise<Store> => openStore({ path, cacheBytes: 8 << 20, writeBufferBytes: 16 << 20 });

/** Checks that a folder has no wallet. @param taken error to throw if it has one */
export async function assertFree(folder: string, taken: WalletError): Promise<void> {
  if (await isTaken(folder)) throw taken;
}

/**
 * Makes a wallet in a folder that has none. On failure, removes everything that was created.
 * @param taken error if the folder has a wallet already
 */
export async function inNewFolder<T>(
  folders: FolderHolds,
  dir: string,
  name: string,
  taken: WalletError,
  make: (place: NewFolder, hold: FolderHold) => Promise<T>,
): Promise<T> {
  const folder = folderOf(dir, name);
  const place = await makeFolder(folder, dir, name);
  const hold = await folders.holdFolder(folder, LOADING);
  let free = false;
  try {
    // Check after the folder is held: another call may have put a wallet there before.
    await assertFree(folder, taken);
    free = true;
    return await make(place, hold);
  } catch (error) {
    // If the wallet was unloaded meanwhile, leave the folder alone: another call may be loading the wallet from it.
    free &&= !hold.isReleased;
    if (free) await removeDatabase(place);
    await hold.release(free);
    if (free && place.made) await fs.rmdir(folder).catch(() => {});
    throw error;
  }
}

/** Folder of a new wallet, and the facts that decide what is removed on failure. */
export interface NewFolder {
  readonly folder: string;
  /** True if the folder was created for this wallet. */
  readonly made: boolean;
  /** True if the database has its final name. */
  installed: boolean;
}

async function makeFolder(folder: string, dir: string, name: string): Promise<NewFolder> {
  if (await isReservedFolder(dir, folder)) {
    throw new WalletError(
      WALLET_CODE.WALLET,
      `${VERIFY}Invalid -wallet path '${name}'. Nothing in it may be called ${DATABASE_NAME}, ${DATABASE_NAME}.new, ${DATABASE_NAME}.old, ${LOCK_NAME} or wallet.dat.`,
    );
  }
  const info = await fs.stat(folder).catch(() => null);
  if (info && !info.isDirectory()) throw invalidPath(dir, name);
  try {
    makeFolders(folder);
  } catch (error) {
    throw new WalletError(WALLET_CODE.WALLET, `${VERIFY}Failed to create database path '${folder}'. ${(error as Error).message}`);
  }
  return { folder, made: info === null, installed: false };
}

export async function installNewDatabase(place: NewFolder): Promise<void> {
  await installDatabase(place.folder);
  place.installed = true;
}

/** Removes the database of a failed creation or restoration. */
async function removeDatabase({ folder, installed }: NewFolder): Promise<void> {
  if (installed) await fs.rm(databaseOf(folder), { recursive: true, force: true });
  else await clearNewDatabase(folder);
}

/** Returns whether a path is a wallet file of Bitcoin Core. */
async function isCoreWallet(file: string): Promise<boolean> {
  const handle = await openFile(file).catch(() => null);
  if (handle === null) return false;
  try {
    const head = new Uint8Array(100);
    const { bytesRead } = await handle.read(head, 0, head.length, 0);
    return isCoreFile(head.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}

/** Returns the error for a folder from which no wallet can be loaded. */
export async function notFoundError(folder: string): Promise<WalletError> {
  const there = await fs.stat(folder).then(
    () => true,
    () => false,
  );
  const isCore = there && ((await fs.stat(path.join(folder, CORE_NAME)).catch(() => null)) !== null || (await isCoreWallet(folder)));
  const hint = isCore ? " It is Bitcoin Core's: importcorewallet takes it over." : '';
  const why = there ? `Data is not in recognized format.${hint}` : 'Path does not exist.';
  return new WalletError(WALLET_CODE.NOT_FOUND, `${VERIFY}Failed to load database path '${folder}'. ${why}`);
}

export const invalidPath = (dir: string, name: string): WalletError =>
  new WalletError(
    WALLET_CODE.WALLET,
    `${VERIFY}Invalid -wallet path '${name}'. -wallet path should point to a directory where ${DATABASE_NAME} can be stored or a location where such a directory could be created (in ${dir}).`,
  );
