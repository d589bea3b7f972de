// Test suites over a folder of vectors, which VECTORS names (default ../shared/vectors). The files in the folder
// determine names and counts. A suite without files is skipped with a message, and a file without rows fails. A report
// counts rows and names only the failures, because there are thousands of rows. test/vectors/unread.test.ts names files
// that no suite reads.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';

/** The folder with the vectors. */
export const VECTORS = process.env.VECTORS ?? '../shared/vectors';

/** A tap test. */
export type Tap = Test;

/** Returns the path of a vector file or folder, compressed or not; null if it is missing. */
export function vectorPath(path: string): string | null {
  const file = join(VECTORS, path);
  return [file, `${file}.gz`].find((one) => existsSync(one)) ?? null;
}

/** Returns the names of the files of a folder that match a pattern, without .gz, sorted; none if the folder is missing. */
export function vectorNames(folder: string, pattern: RegExp): string[] {
  const path = join(VECTORS, folder);
  if (!existsSync(path)) return [];
  const names = readdirSync(path).map((name) => name.replace(/\.gz$/, ''));
  return [...new Set(names)].filter((name) => pattern.test(name)).sort();
}

/**
 * Returns the decompressed bytes of a vector file. They are a Buffer, whose slice() shares memory.
 * @throws if the file is missing
 */
export function readVector(path: string): Buffer {
  const file = vectorPath(path);
  if (file === null) throw new Error(`${join(VECTORS, path)} is not there`);
  const bytes = readFileSync(file);
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** Returns the JSON value of a vector file. */
export function readJson<T>(path: string): T {
  return JSON.parse(readVector(path).toString('utf8')) as T;
}

/** Returns the lines of a vector file that are not empty. */
export function readLines(path: string): string[] {
  return readVector(path)
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

/** Declares a suite that needs one vector file or folder. */
export function fileSuite(path: string, run: (t: Tap) => void | Promise<void>): void {
  const skip = vectorPath(path) === null ? `${join(VECTORS, path)} is not there` : false;
  t.test(path, { skip }, async (t) => run(t));
}

/** Declares a suite for every file of a folder whose name, without .gz, matches the pattern. */
export function filesSuite(folder: string, pattern: RegExp, what: string, run: (t: Tap, name: string) => void | Promise<void>): void {
  const names = vectorNames(folder, pattern);
  if (names.length === 0) t.test(`${folder}: ${what}`, { skip: `no file like ${pattern} is there in ${join(VECTORS, folder)}` }, () => {});
  for (const name of names) t.test(`${folder}/${name}: ${what}`, async (t) => run(t, name));
}

/**
 * Declares a suite for a file of rows (a JSON array, or one JSON object per line). `check` returns the fault of a row,
 * or null.
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

/** Makes one assertion for many rows: counts the rows and lists the failures. A file without rows fails. */
export function tally(t: Tap, what: string, failures: readonly string[], count: number): void {
  t.ok(count > 0, `${what}: has rows`);
  t.same(failures.slice(0, 20), [], `${what}: ${count} rows`);
}
