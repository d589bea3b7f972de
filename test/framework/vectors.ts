// Shared test vectors for suites whose files are not lists of rows (vector-suite.ts has those): chains, blocks, headers, parameters.
// A suite whose file is not there is skipped and says so.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { VECTORS } from './vector-suite.js';

/** A tap test. */
export type Tap = Test;

/** Path of a vector file or folder, which may not exist. */
export function vectorPath(path: string): string {
  return join(VECTORS, path);
}

/** Bytes of a vector file, unpacked when its name ends in .gz; a missing plain file is looked for packed. */
export function readVector(path: string): Uint8Array {
  const file = vectorPath(path);
  const found = existsSync(file) ? file : `${file}.gz`;
  const bytes = readFileSync(found);
  return found.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** A vector file as JSON. */
export function readJson<T>(path: string): T {
  return JSON.parse(Buffer.from(readVector(path)).toString('utf8')) as T;
}

/** Lines of a vector file without the empty ones. */
export function readLines(path: string): string[] {
  return Buffer.from(readVector(path))
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

/** A suite that needs one vector file or folder. */
export function vectorSuite(path: string, run: (t: Tap) => void | Promise<void>): void {
  const file = vectorPath(path);
  const skip = existsSync(file) || existsSync(`${file}.gz`) ? false : `${file} is not there`;
  t.test(path, { skip }, async (t) => run(t));
}

/** One assertion for many rows: counts what agrees and names what does not. */
export function tally(t: Tap, what: string, failures: readonly string[], count: number): void {
  t.ok(count > 0, `${what}: has rows`);
  t.same(failures.slice(0, 20), [], `${what}: ${count} rows`);
}
