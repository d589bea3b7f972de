// Suites over the vector folder. VECTORS names it (../shared/vectors by default); a file that is not there skips its suite with
// a message. Rows are counted, failures named: thousands of passing rows would drown the report.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t from 'tap';

/** The folder with the vectors. */
export const VECTORS = process.env.VECTORS ?? '../shared/vectors';

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const unhex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));

/** Content of a vector file, unpacked when its name ends in .gz; null when it is not there. A Buffer: its slice() shares memory. */
export function readVector(path: string): Buffer | null {
  const file = join(VECTORS, path);
  if (!existsSync(file)) return null;
  const bytes = readFileSync(file);
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** A suite over one file of rows (a JSON array, or one JSON object per line). `check` returns what is wrong, or null. */
export function vectorSuite<Row>(path: string, what: string, check: (row: Row, index: number) => string | null): void {
  const data = readVector(path);
  const skip = data === null ? `${join(VECTORS, path)} is not there` : false;
  t.test(`${path}: ${what}`, { skip }, async (t) => {
    const text = (data as Buffer).toString('utf8');
    const rows: Row[] = path.includes('.jsonl')
      ? text
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Row)
      : (JSON.parse(text) as Row[]);
    t.ok(rows.length > 0, 'has rows');
    const failures: string[] = [];
    rows.forEach((row, index) => {
      const failure = check(row, index);
      if (failure !== null) failures.push(`row ${index}: ${failure}`);
    });
    t.same(failures, [], `${rows.length} rows`);
  });
}
