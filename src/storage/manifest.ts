// Repairs RocksDB's list of tables after a power failure. The list is a file MANIFEST-<number>, whose name is in the
// file CURRENT. Each start writes a new list, puts its name into CURRENT, syncs the folder, and deletes the old list.
// Before the sync, file names may reach the disk in any order. So after a power failure, CURRENT may name a list that
// is missing, while the old list is still there. The old list has the same contents: the start had not finished, so
// nothing was written after it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFileSync } from '../lib/durable-file.js';
import { fromSystemError } from './store-error.js';

const LIST = /^MANIFEST-(\d+)$/;

/**
 * Puts the name of the old list into CURRENT if the new list is missing and no later file exists.
 * @throws StoreError
 */
export function repairCurrent(path: string): void {
  try {
    // Read CURRENT first, then the folder. In the other order, a list that another process has just created could seem
    // to be missing.
    const current = join(path, 'CURRENT');
    if (!existsSync(current)) return;
    const named = numberOf(/^MANIFEST-(\d+)\n$/, readFileSync(current, 'latin1'));
    const names = readdirSync(path);
    if (named < 0 || names.some((name) => numberOf(LIST, name) === named)) return;
    // Files are numbered in order of creation. A file with a later number shows that the missing list was in use, so
    // the old one is outdated.
    if (names.some((name) => numberOf(/^(\d+)\.\w+$/, name) > named)) return;
    const older = names.filter((name) => numberOf(LIST, name) >= 0 && numberOf(LIST, name) < named);
    const last = older.sort((a, b) => numberOf(LIST, b) - numberOf(LIST, a))[0];
    if (last !== undefined) replaceFileSync(current, `${last}\n`);
  } catch (error) {
    throw fromSystemError(error, `open ${path}`);
  }
}

const numberOf = (pattern: RegExp, text: string): number => Number(pattern.exec(text)?.[1] ?? -1);
