// Repairs RocksDB's list of tables after a power failure. The list is a file MANIFEST-<number>, whose name is in the
// file CURRENT. Each start writes a new list, puts its name into CURRENT, syncs the folder, and deletes the old list.
// File names reach the disk only with the folder's fsync, in no order. So a power failure before that may leave CURRENT
// with the name of a missing list next to the old list, which has the same contents: that start had not finished, so
// nothing was written after it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFileSync } from '../lib/durable-file.js';
import { fromSystemError } from './store-error.js';

const LIST = /^MANIFEST-(\d+)$/;

/**
 * Puts the name of the old list back if the new one is missing and no later file exists.
 * @throws StoreError
 */
export function repairCurrent(path: string): void {
  try {
    // Read CURRENT first, then the folder, so that a list which another process creates meanwhile is not missed.
    const current = join(path, 'CURRENT');
    if (!existsSync(current)) return;
    const named = numberOf(/^MANIFEST-(\d+)\n$/, readFileSync(current, 'latin1'));
    const names = readdirSync(path);
    if (named < 0 || names.some((name) => numberOf(LIST, name) === named)) return;
    // Files are numbered in order of creation. A later number shows that the missing list was in use.
    if (names.some((name) => numberOf(/^(\d+)\.\w+$/, name) > named)) return;
    const older = names.filter((name) => numberOf(LIST, name) >= 0 && numberOf(LIST, name) < named);
    const last = older.sort((a, b) => numberOf(LIST, b) - numberOf(LIST, a))[0];
    if (last !== undefined) replaceFileSync(current, `${last}\n`);
  } catch (error) {
    throw fromSystemError(error, `open ${path}`);
  }
}

const numberOf = (pattern: RegExp, text: string): number => Number(pattern.exec(text)?.[1] ?? -1);
