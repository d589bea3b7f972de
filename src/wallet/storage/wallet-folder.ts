// Where a wallet's database lies: NAME/wallet.db under the folder of all wallets, beside the lock of the folder, and
// how its database folder is exchanged for another one (encryption). An exchange that was cut off is finished or undone
// before the wallet opens:
//
//   wallet.db  wallet.db.new  wallet.db.old   state                               what is done
//   yes        yes            -               the new one may be incomplete       remove the new one
//   -          yes            yes             the new one is complete             rename it, remove the old one
//   yes        -              yes             exchanged, not tidied               remove the old one
//   -          yes            -               a wallet that was never complete    none is there; the next one made here removes it
//
// The last is a creation or a restoration that was cut off: both fill the new one and give it its name when it is
// complete.
import fs from 'node:fs/promises';
import path from 'node:path';
import type { WalletOptions } from '../options.js';

export const DATABASE_NAME = 'wallet.db';
const NEW = `${DATABASE_NAME}.new`;
const OLD = `${DATABASE_NAME}.old`;

/** The lock of a wallet's folder (folder-lock.ts). */
export const LOCK_NAME = 'wallet.lock';

/** Marker file of a wallet from an unfinished migration (migrate/migrated-places.ts). */
export const MIGRATION_MARKER = 'migration.unfinished';

const NAMES: readonly string[] = [DATABASE_NAME, NEW, OLD];
/** Core's name for a wallet's file; who gives it in a path means the folder. */
export const CORE_NAME = 'wallet.dat';

/** Whether a database's folder is there. */
const exists = (folder: string): Promise<boolean> =>
  fs.stat(folder).then(
    (info) => info.isDirectory(),
    () => false,
  );

/** The folder a name stands for: relative to the folder of all wallets, or absolute. */
export function folderOf(dir: string, name: string): string {
  return path.resolve(dir, name);
}
/** The folder of a wallet that is to be loaded: Core takes the name of its file too. */
export function folderToLoad(dir: string, name: string): string {
  return folderOf(dir, name.replace(/(^|\/)wallet\.dat$/, '$1'));
}
/**
 * Whether no wallet may have a folder, since a part of it is named like a database, in the path or behind its links: it
 * would be taken for that of the folder above.
 */
export async function isReservedFolder(dir: string, folder: string): Promise<boolean> {
  const isReserved = (from: string, to: string): boolean => {
    const parts = path.relative(from, to).toLowerCase().split(path.sep);
    return parts.some((part) => part === CORE_NAME || part === LOCK_NAME || NAMES.includes(part));
  };
  return isReserved(dir, folder) || isReserved(await behindLinks(dir), await behindLinks(folder));
}
/** A path without links, as far as it is there. */
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

/** Whether a start has wallets to load. Makes the folder of all wallets. */
export async function loadsAtStart({ dir, names, unnamed }: Pick<WalletOptions, 'dir' | 'names' | 'unnamed'>): Promise<boolean> {
  await fs.mkdir(dir, { recursive: true });
  return names.length > 0 || (unnamed && (await hasDatabase(dir)));
}

/** Whether a database is another folder's, reached through a link: what is exchanged here would stay there. */
export async function isLinkedDatabase(folder: string): Promise<boolean> {
  return (await fs.lstat(databaseOf(folder)).catch(() => null))?.isSymbolicLink() === true;
}

/** Whether a folder can take no new database: something lies in its place, of whatever kind, or a wallet of Core's. */
export async function isTaken(folder: string): Promise<boolean> {
  for (const name of [...NAMES, CORE_NAME]) {
    const info = await fs.lstat(path.join(folder, name)).catch(() => null);
    // A folder of that name is what a creation or a restoration left that was cut off.
    if (info !== null && !(name === NEW && info.isDirectory())) return true;
  }
  return false;
}

/** Writes a folder's names to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r').catch(() => null);
  if (handle === null) return;
  // Windows opens folders but cannot sync them; its renames are durable.
  await handle.sync().catch(() => {});
  await handle.close();
}

/**
 * Whether a file would lie in a wallet's database, or in the place of one.
 * @param dir the folder of all wallets
 * @throws where its folder is not there
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

/** Finishes or undoes an exchange that was cut off. */
export async function repairFolder(folder: string): Promise<void> {
  const current = await exists(databaseOf(folder));
  const fresh = await exists(path.join(folder, NEW));
  const old = await exists(path.join(folder, OLD));
  if (!current && fresh && old) {
    await fs.rename(path.join(folder, NEW), databaseOf(folder));
    // Before the old one goes: without it a new one without its name counts as a wallet that was never complete.
    await syncFolder(folder);
  } else if (current && fresh) await fs.rm(path.join(folder, NEW), { recursive: true });
  if (old && (current || fresh)) await fs.rm(path.join(folder, OLD), { recursive: true });
  await syncFolder(folder);
}

/** Puts the complete, closed and synced new database into the place of the closed present one, which is deleted. */
export async function exchangeDatabase(folder: string): Promise<void> {
  // The new one's name must be on the disk before the present one's goes.
  await syncFolder(folder);
  await fs.rename(databaseOf(folder), path.join(folder, OLD));
  await fs.rename(path.join(folder, NEW), databaseOf(folder));
  await syncFolder(folder);
  await fs.rm(path.join(folder, OLD), { recursive: true });
  await syncFolder(folder);
}

/** An empty place for a new database. Where there is one already, the place where it will go is emptied too. */
export async function clearNewDatabase(folder: string): Promise<string> {
  if (await exists(databaseOf(folder))) await fs.rm(path.join(folder, OLD), { recursive: true, force: true });
  await fs.rm(newDatabaseOf(folder), { recursive: true, force: true });
  return newDatabaseOf(folder);
}
/** Gives the complete, closed and synced new database its name, in a folder that has none. */
export async function installDatabase(folder: string): Promise<void> {
  await fs.rename(newDatabaseOf(folder), databaseOf(folder));
  await syncFolder(folder);
  await syncFolder(path.dirname(folder));
}

/** Names of all wallets below a folder, the unnamed one first. Links are not followed, databases not entered. */
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
