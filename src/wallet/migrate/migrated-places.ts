// Where the databases of a migration lie, and how they come to count together: see migrate-wallet.ts.
import fs from 'node:fs/promises';
import path from 'node:path';
import type { FolderHolds } from '../manage/folder-holds.js';
import { assertFree, inNewFolder, install, LOADING } from '../manage/new-place.js';
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

/** Removes a wallet that a migration made which a crash ended before its last step. */
async function removeStray({ folders }: Places, folder: string): Promise<void> {
  if (!(await isThere(markerOf(folder)))) return;
  const hold = await folders.take(folder, LOADING);
  try {
    await fs.rm(databaseOf(folder), { recursive: true, force: true });
    await syncFolder(folder);
    await fs.rm(markerOf(folder), { force: true });
  } finally {
    await hold.release();
  }
}

/** A folder for a wallet beside the one that is migrated. */
export interface MigratedPlace {
  readonly folder: string;
  /** Where its database is filled. */
  readonly database: string;
  /** Gives the closed database its name. */
  install(): Promise<void>;
}

/**
 * Runs work with a folder that has no wallet. When the work throws, nothing of the wallet is left; when it returns, the
 * migration counts.
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
      await install(place);
    };
    try {
      await work({ folder, database: await clearNewDatabase(folder), install: named });
    } finally {
      await unmark();
    }
    await hold.release().catch(() => {});
  });
}

/** Puts the complete new database into the place of the closed legacy one. */
export async function exchangeMain(folder: string): Promise<void> {
  try {
    await exchangeDatabase(folder);
  } catch (error) {
    // Once the legacy database has lost its name the new one counts: the next load finishes the exchange.
    if (await isThere(databaseOf(folder)).then(async (current) => current && (await isThere(newDatabaseOf(folder))))) throw error;
  }
}

/** Removes the closed legacy database of a wallet of which nothing is left. */
export async function removeMain(folder: string): Promise<void> {
  await clearNewDatabase(folder);
  // A database of this name is one that was never complete: none is there from now on.
  await fs.rename(databaseOf(folder), newDatabaseOf(folder));
  await syncFolder(folder);
  await fs.rm(newDatabaseOf(folder), { recursive: true }).catch(() => {});
}
