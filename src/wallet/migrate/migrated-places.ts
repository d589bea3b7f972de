// Creates, renames and replaces the folders and databases of a migration. migrate-wallet.ts describes the steps.
import fs from 'node:fs/promises';
import path from 'node:path';
import type { FolderHolds } from '../manage/folder-holds.js';
import { assertFree, inNewFolder, installNewDatabase, LOADING } from '../manage/new-folder.js';
import { WALLET_CODE, WalletError } from '../manage/wallet-error.js';
import {
  clearNewDatabase,
  databaseOf,
  exchangeDatabase,
  folderOf,
  MIGRATION_MARKER,
  newDatabaseOf,
  syncFolder,
} from '../storage/wallet-folder.js';

interface Places {
  readonly folders: FolderHolds;
  readonly dir: string;
}

const markerOf = (folder: string): string => path.join(folder, MIGRATION_MARKER);
const isThere = (file: string): Promise<boolean> =>
  fs.stat(file).then(
    () => true,
    () => false,
  );

/** Removes an additional wallet that is left from a migration that crashed before its last step. */
async function removeStray({ folders }: Places, folder: string): Promise<void> {
  if (!(await isThere(markerOf(folder)))) return;
  const hold = await folders.holdFolder(folder, LOADING);
  try {
    await fs.rm(databaseOf(folder), { recursive: true, force: true });
    await syncFolder(folder);
    await fs.rm(markerOf(folder), { force: true });
  } finally {
    await hold.release();
  }
}

/** Folder of an additional wallet. */
export interface MigratedPlace {
  readonly folder: string;
  /** Path of its database while the migration fills it. */
  readonly database: string;
  /** Renames the closed database to its final name. */
  install(): Promise<void>;
}

/**
 * Runs work with a new folder for an additional wallet. If the work throws, removes the wallet. If it returns, the wallet
 * stays.
 */
export async function inMigratedPlace(places: Places, name: string, work: (place: MigratedPlace) => Promise<void>): Promise<void> {
  const { folders, dir } = places;
  const folder = folderOf(dir, name);
  await removeStray(places, folder);
  const why = `Wallet file creation failed: Failed to create database path '${folder}'. Database already exists.`;
  const taken = new WalletError(WALLET_CODE.WALLET, why);
  await assertFree(folder, taken);
  await inNewFolder(folders, dir, name, taken, async (place, hold) => {
    const unmark = (): Promise<void> => fs.rm(markerOf(folder), { force: true }).catch(() => {});
    const named = async (): Promise<void> => {
      await fs.writeFile(markerOf(folder), '');
      await syncFolder(folder);
      await installNewDatabase(place);
    };
    try {
      await work({ folder, database: await clearNewDatabase(folder), install: named });
    } finally {
      await unmark();
    }
    await hold.release().catch(() => {});
  });
}

/** Replaces the closed legacy database by the complete new one. */
export async function exchangeMain(folder: string): Promise<void> {
  try {
    await exchangeDatabase(folder);
  } catch (error) {
    // If the legacy database was already renamed, the next load completes the replacement.
    if (await isThere(databaseOf(folder)).then(async (current) => current && (await isThere(newDatabaseOf(folder))))) throw error;
  }
}

/** Removes the closed legacy database of a wallet without private keys. */
export async function removeMain(folder: string): Promise<void> {
  await clearNewDatabase(folder);
  // The node ignores a database of this name as incomplete, so the rename alone removes the wallet.
  await fs.rename(databaseOf(folder), newDatabaseOf(folder));
  await syncFolder(folder);
  await fs.rm(newDatabaseOf(folder), { recursive: true }).catch(() => {});
}
