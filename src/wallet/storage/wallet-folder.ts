// Paths of a wallet's database: NAME/wallet.db in the folder of all wallets, which also has the lock file. Also
// replaces a database by another one (encryption, migration). A replacement that was cut off is completed or undone
// before the wallet opens:
//
//   wallet.db  wallet.db.new  wallet.db.old   state                               action
//   yes        yes            -               the new one may be incomplete       remove the new one
//   -          yes            yes             the new one is complete             rename it, remove the old one
//   yes        -              yes             replaced, not cleaned up            remove the old one
//   -          yes            -               a wallet that was never complete    no wallet; the next one created here removes it
//
// The last state is a creation or restoration that was cut off. Both fill the new database and rename it when it is
// complete.
import fs from 'node:fs/promises';
import path from 'node:path';
import type { WalletOptions } from '../options.js';

export const DATABASE_NAME = 'wallet.db';
const NEW = `${DATABASE_NAME}.new`;
const OLD = `${DATABASE_NAME}.old`;

/** Lock in a wallet's folder (folder-lock.ts). */
export const LOCK_NAME = 'wallet.lock';

/** Marker file of a wallet from an unfinished migration (migrate/migrated-places.ts). */
export const MIGRATION_MARKER = 'migration.unfinished';

const NAMES: readonly string[] = [DATABASE_NAME, NEW, OLD];
/** Core's name of a wallet file. A path that ends with it means the folder. */
export const CORE_NAME = 'wallet.dat';

const exists = (folder: string): Promise<boolean> =>
  fs.stat(folder).then(
    (info) => info.isDirectory(),
    () => false,
  );

/** Returns the folder of a wallet name: relative to the folder of all wallets, or absolute. */
export function folderOf(dir: string, name: string): string {
  return path.resolve(dir, name);
}
/** Returns the folder of a wallet to load. As in Core, the name may end with /wallet.dat. */
export function folderToLoad(dir: string, name: string): string {
  return folderOf(dir, name.replace(/(^|\/)wallet\.dat$/, '$1'));
}
/**
 * Returns whether a folder is reserved, because a part of its path, with or without links, has the name of a database.
 * A wallet there would be mistaken for the database of the folder above.
 */
export async function isReservedFolder(dir: string, folder: string): Promise<boolean> {
  const isReserved = (from: string, to: string): boolean => {
    const parts = path.relative(from, to).toLowerCase().split(path.sep);
    return parts.some((part) => part === CORE_NAME || part === LOCK_NAME || NAMES.includes(part));
  };
  return isReserved(dir, folder) || isReserved(await behindLinks(dir), await behindLinks(folder));
}
/** Resolves the links of a path, as far as it exists. */
async function behindLinks(folder: string): Promise<string> {
  const real = await fs.realpath(folder).catch(() => null);
  if (real !== null) return real;
  const above = path.dirname(folder);
  return above === folder ? folder : path.join(await behindLinks(above), path.basename(folder));
}
export const databaseOf = (folder: string): string => path.join(folder, DATABASE_NAME);
export const newDatabaseOf = (folder: string): string => path.join(folder, NEW);

export async function hasDatabase(folder: string): Promise<boolean> {
  return (await exists(databaseOf(folder))) || ((await exists(path.join(folder, NEW))) && (await exists(path.join(folder, OLD))));
}

/** Returns whether the node has wallets to load at its start. Creates the folder of all wallets. */
export async function loadsAtStart({ dir, names, unnamed }: Pick<WalletOptions, 'dir' | 'names' | 'unnamed'>): Promise<boolean> {
  await fs.mkdir(dir, { recursive: true });
  return names.length > 0 || (unnamed && (await hasDatabase(dir)));
}

/** Returns whether a database is a link into another folder, where a replacement would not reach it. */
export async function isLinkedDatabase(folder: string): Promise<boolean> {
  return (await fs.lstat(databaseOf(folder)).catch(() => null))?.isSymbolicLink() === true;
}

/**
 * Returns whether a folder cannot take a new database, because it has a file or folder with that name, or because it
 * contains a Core wallet.
 */
export async function isTaken(folder: string): Promise<boolean> {
  for (const name of [...NAMES, CORE_NAME]) {
    const info = await fs.lstat(path.join(folder, name)).catch(() => null);
    // Ignore a folder with the name of an unfinished database: it is left from a creation or restoration that was cut
    // off.
    if (info !== null && !(name === NEW && info.isDirectory())) return true;
  }
  return false;
}

/** Syncs the entries of a folder to disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r').catch(() => null);
  if (handle === null) return;
  // Windows cannot sync folders, but its renames are durable without that.
  await handle.sync().catch(() => {});
  await handle.close();
}

/**
 * Returns whether a file would be inside a wallet's database, or have the name of one.
 * @param dir the folder of all wallets
 * @throws if the file's folder does not exist
 */
export async function isOfDatabase(dir: string, file: string): Promise<boolean> {
  const folder = await fs.realpath(path.dirname(file));
  if (NAMES.includes(path.basename(file).toLowerCase())) {
    const all = await fs.realpath(dir).catch(() => path.resolve(dir));
    if (`${folder}${path.sep}`.startsWith(`${all}${path.sep}`) || (await hasDatabase(folder))) return true;
  }
  for (let at = folder; at !== path.dirname(at); at = path.dirname(at)) {
    if (NAMES.includes(path.basename(at)) && (await fs.stat(path.join(at, 'CURRENT')).catch(() => null))) return true;
  }
  return false;
}

/** Completes or undoes a replacement that was cut off. */
export async function repairFolder(folder: string): Promise<void> {
  const current = await exists(databaseOf(folder));
  const fresh = await exists(path.join(folder, NEW));
  const old = await exists(path.join(folder, OLD));
  if (!current && fresh && old) {
    await fs.rename(path.join(folder, NEW), databaseOf(folder));
    // Sync the folder before the old database is removed. Otherwise a power failure could undo the rename, and a new
    // database without its final name counts as a wallet that was never complete.
    await syncFolder(folder);
  } else if (current && fresh) await fs.rm(path.join(folder, NEW), { recursive: true });
  if (old && (current || fresh)) await fs.rm(path.join(folder, OLD), { recursive: true });
  await syncFolder(folder);
}

/**
 * Replaces the database by the new one, then deletes the old one. Both are closed; the new one is complete and synced.
 */
export async function exchangeDatabase(folder: string): Promise<void> {
  // The new name must be on disk before the present one is renamed.
  await syncFolder(folder);
  await fs.rename(databaseOf(folder), path.join(folder, OLD));
  await fs.rename(path.join(folder, NEW), databaseOf(folder));
  await syncFolder(folder);
  await fs.rm(path.join(folder, OLD), { recursive: true });
  await syncFolder(folder);
}

/**
 * Returns the path for a new database, after deleting what is there. If the folder has a database, also deletes what an
 * earlier replacement left behind.
 */
export async function clearNewDatabase(folder: string): Promise<string> {
  if (await exists(databaseOf(folder))) await fs.rm(path.join(folder, OLD), { recursive: true, force: true });
  await fs.rm(newDatabaseOf(folder), { recursive: true, force: true });
  return newDatabaseOf(folder);
}
/** Renames a complete, closed and synced new database to its final name, in a folder that has no database. */
export async function installDatabase(folder: string): Promise<void> {
  await fs.rename(newDatabaseOf(folder), databaseOf(folder));
  await syncFolder(folder);
  await syncFolder(path.dirname(folder));
}

/** Returns the names of all wallets below a folder, the unnamed one first. Does not follow links or enter databases. */
export async function findWallets(dir: string): Promise<string[]> {
  const names: string[] = [];
  const walk = async (folder: string, depth: number): Promise<void> => {
    const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
    if (entries.some((entry) => entry.isDirectory() && entry.name === DATABASE_NAME)) names.push(path.relative(dir, folder));
    if (depth === 0) return;
    for (const entry of entries) {
      if (entry.isDirectory() && !NAMES.includes(entry.name) && entry.name !== LOCK_NAME)
        await walk(path.join(folder, entry.name), depth - 1);
    }
  };
  await walk(dir, 16);
  return names;
}
