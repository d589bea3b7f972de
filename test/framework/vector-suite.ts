// Suites over a folder of vectors. VECTORS names it (../shared/vectors by default); names and counts come from the
// files that are in it. A suite that finds nothing is skipped with a message, and a file without rows fails. Rows are
// counted, failures named: thousands of passing rows would drown the report. test/vectors/unread.test.ts names files
// that no suite reads.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';

/** The folder with the vectors. */
export const VECTORS = process.env.VECTORS ?? '../shared/vectors';

/** A tap test. */
export type Tap = Test;

/** Path of a vector file or folder, packed or not; null when it is not there. */
export function vectorPath(path: string): string | null {
  const file = join(VECTORS, path);
  return [file, `${file}.gz`].find((one) => existsSync(one)) ?? null;
}

/** Names of the files of a folder that match, without .gz, in order; none when the folder is not there. */
export function vectorNames(folder: string, pattern: RegExp): string[] {
  const path = join(VECTORS, folder);
  if (!existsSync(path)) return [];
  const names = readdirSync(path).map((name) => name.replace(/\.gz$/, ''));
  return [...new Set(names)].filter((name) => pattern.test(name)).sort();
}

/** Bytes of a vector file, unpacked. A Buffer: its slice() shares memory. @throws when it is not there */
export function readVector(path: string): Buffer {
  const file = vectorPath(path);
  if (file === null) throw new Error(`${join(VECTORS, path)} is not there`);
  const bytes = readFileSync(file);
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** A vector file as JSON. */
export function readJson<T>(path: string): T {
  return JSON.parse(readVector(path).toString('utf8')) as T;
}

/** Lines of a vector file without the empty ones. */
export function readLines(path: string): string[] {
  return readVector(path)
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

/** A suite that needs one vector file or folder. */
export function fileSuite(path: string, run: (t: Tap) => void | Promise<void>): void {
  const skip = vectorPath(path) === null ? `${join(VECTORS, path)} is not there` : false;
  t.test(path, { skip }, async (t) => run(t));
}

/** A suite over every file of a folder whose name, without .gz, matches. */
export function filesSuite(folder: string, pattern: RegExp, what: string, run: (t: Tap, name: string) => void | Promise<void>): void {
  const names = vectorNames(folder, pattern);
  if (names.length === 0) t.test(`${folder}: ${what}`, { skip: `no file like ${pattern} is there in ${join(VECTORS, folder)}` }, () => {});
  for (const name of names) t.test(`${folder}/${name}: ${what}`, async (t) => run(t, name));
}

/**
 * A suite over one file of rows (a JSON array, or one JSON object per line). `check` returns what is wrong, or null.
 */
export function rowSuite<Row>(path: string, what: string, check: (row: Row, index: number) => string | null): void {
  const skip = vectorPath(path) === null ? `${join(VECTORS, path)} is not there` : false;
  t.test(`${path}: ${what}`, { skip }, async (t) => {
    const rows = path.includes('.jsonl') ? readLines(path).map((line) => JSON.parse(line) as Row) : readJson<Row[]>(path);
    const failures: string[] = [];
    rows.forEach((row, index) => {
      const failure = check(row, index);
      if (failure !== null) failures.push(`row ${index}: ${failure}`);
    });
    tally(t, path, failures, rows.length);
  });
}

/** One assertion for many rows: counts what agrees and names what does not. A file without rows is a failure. */
export function tally(t: Tap, what: string, failures: readonly string[], count: number): void {
  t.ok(count > 0, `${what}: has rows`);
  t.same(failures.slice(0, 20), [], `${what}: ${count} rows`);
}
