// The ENGINE file: which binding and which format a data folder belongs to. The RocksDB versions of the two bindings
// are years apart. A binding may damage a folder of the other one or fail with an obscure error, so the file is checked
// before a binding opens the folder.

import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineName } from './engine.js';
import { fromSystemError, StoreError } from './store-error.js';

/** Version of adit's database format (comparator, file options). Increased when older folders can no longer be read. */
export const ENGINE_FORMAT = 1;

/** Contents of an ENGINE file. */
export interface EngineRecord {
  readonly engine: string;
  readonly format: number;
  /** Version of the npm package that created the folder. */
  readonly binding: string;
  /** True if every synced batch in the folder's logs ends with a mark (write-ahead-log.ts). */
  readonly marks: boolean;
}

const FILE_NAME = 'ENGINE';
const NAMES: readonly string[] = ['nxtedition-rocksdb', 'level-rocksdb'] satisfies EngineName[];

/** Returns whether a text is the name of a known engine. */
export function isEngineName(name: string): name is EngineName {
  return NAMES.includes(name);
}

/** Reads the record of a folder; null for a folder without a database. */
export async function readEngineFile(dir: string): Promise<EngineRecord | null> {
  let text: string;
  try {
    text = await readFile(join(dir, FILE_NAME), 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw fromSystemError(error, `read ${join(dir, FILE_NAME)}`);
    if (existsSync(join(dir, 'CURRENT'))) {
      throw new StoreError('STORE_ENGINE', `${dir} holds a database that adit did not create (there is no ${FILE_NAME} file)`);
    }
    return null;
  }
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  const engine = fields.get('engine');
  const format = Number(fields.get('format'));
  if (engine === undefined || !Number.isSafeInteger(format)) {
    throw new StoreError('STORE_CORRUPTION', `${join(dir, FILE_NAME)} is unreadable`);
  }
  return { engine, format, binding: fields.get('binding') ?? 'unknown', marks: fields.get('marks') === 'yes' };
}

/**
 * Creates the folder if it is missing, and writes its ENGINE file. If the process dies during the write, the folder has
 * either the old or the new file.
 */
export async function writeEngineFile(dir: string, { engine, format, binding, marks }: EngineRecord): Promise<void> {
  const path = join(dir, FILE_NAME);
  try {
    await mkdir(dir, { recursive: true });
    const temporary = `${path}.new`;
    const file = await open(temporary, 'w');
    try {
      await file.writeFile(`engine: ${engine}\nformat: ${format}\nbinding: ${binding}\n${marks ? 'marks: yes\n' : ''}`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    throw fromSystemError(error, `write ${path}`);
  }
}
