// RocksDB lists its tables in a file MANIFEST-<number>, whose name stands in the file CURRENT. Each start writes a new
// list, puts its name into CURRENT, syncs the folder, and drops the old list. Names are on the disk with their folder's
// fsync alone, in no order, so a loss of power before that may leave the name of a list that is not there, beside the
// old one, which says the same: that start had not come to an end, so nothing was written after it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFileSync } from '../lib/durable-file.js';
import { fromSystemError } from './store-error.js';

const LIST = /^MANIFEST-(\d+)$/;

/** Puts the old list back where the new one is missing and nothing was made after it. @throws StoreError */
export function repairCurrent(path: string): void {
  try {
    // First what it says, then what is there: a list that another process makes meanwhile is not missed.
    const current = join(path, 'CURRENT');
    if (!existsSync(current)) return;
    const named = numberOf(/^MANIFEST-(\d+)\n$/, readFileSync(current, 'latin1'));
    const names = readdirSync(path);
    if (named < 0 || names.some((name) => numberOf(LIST, name) === named)) return;
    // Files are numbered as they are made: one behind the list that is missing shows that it was in use.
    if (names.some((name) => numberOf(/^(\d+)\.\w+$/, name) > named)) return;
    const older = names.filter((name) => numberOf(LIST, name) >= 0 && numberOf(LIST, name) < named);
    const last = older.sort((a, b) => numberOf(LIST, b) - numberOf(LIST, a))[0];
    if (last !== undefined) replaceFileSync(current, `${last}\n`);
  } catch (error) {
    throw fromSystemError(error, `open ${path}`);
  }
}

const numberOf = (pattern: RegExp, text: string): number => Number(pattern.exec(text)?.[1] ?? -1);
