// settings.json: options that calls set for the next start (load_on_startup), in the network's folder; read once,
// written whole by a temporary file (Core's util/settings.cpp).
import fs from 'node:fs';
import { replaceFileSync } from '../lib/durable-file.js';
import { ConfigError } from './args.js';

/**
 * Values of an entry as options see them: texts, and false where the file says false; and what stands there, as JSON.
 */
interface Setting {
  readonly values: readonly (string | false)[];
  readonly json: string;
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Keys of the outermost object in the order they stand there, repeated ones too; JSON.parse keeps only the last. */
function outerKeys(text: string): string[] {
  const keys: string[] = [];
  let depth = 0;
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"(?=(\s*:)?)|[[\]{}]/g)) {
    const token = match[0];
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (depth === 1 && match[1] !== undefined) keys.push(JSON.parse(token) as string);
  }
  return keys;
}

function parse(file: string): { [key: string]: Json } {
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new ConfigError(`Failed loading settings file:\n- Failed reading settings file ${file}\n`);
  }
  const refuse = (problem: string): never => {
    throw new ConfigError(`Failed loading settings file:\n- ${problem}\n`);
  };
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return refuse(`Unable to parse settings file ${file}`);
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return refuse(`Found non-object value ${JSON.stringify(value)} in settings file ${file}`);
  const keys = outerKeys(text);
  const seen = new Set<string>();
  const twice = keys.find((key) => seen.size === seen.add(key).size);
  return twice === undefined ? value : refuse(`Found duplicate key ${twice} in settings file ${file}`);
}

/** Entries of the file; none when there is no file. @throws ConfigError in Core's words when it can't be used */
export function readSettings(file: string): Map<string, Setting> {
  const one = (value: Json): string | false =>
    value === false ? false : value === true ? '1' : typeof value === 'string' ? value : JSON.stringify(value);
  const read = (value: Json): Setting => ({ values: Array.isArray(value) ? value.map(one) : [one(value)], json: JSON.stringify(value) });
  return new Map(Object.entries(parse(file)).map(([key, value]) => [key, read(value)]));
}

/** Writes what the file holds in Core's form, making it when it isn't there. @throws ConfigError */
export function rewriteSettings(file: string): void {
  write(file, parse(file));
}

/**
 * Changes a list of the file, such as `wallet`: what load_on_startup does. Nothing is written when the list stays as it
 * is.
 * @throws ConfigError when the file can't be read or written
 */
export function updateSettingsList(file: string, name: string, change: (list: readonly string[]) => readonly string[]): void {
  const all = parse(file);
  const before = Array.isArray(all[name]) ? (all[name].filter((value) => typeof value === 'string') as string[]) : [];
  const after = change(before);
  if (before.length === after.length && before.every((value, i) => value === after[i])) return;
  all[name] = [...after];
  write(file, all);
}

/** univalue's indented form: four blanks a level, an empty object or list over two lines. */
function pretty(value: Json, depth: number): string {
  const inner = ' '.repeat(4 * depth);
  const outer = ' '.repeat(4 * (depth - 1));
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const items = Array.isArray(value)
    ? value.map((item) => inner + pretty(item, depth + 1))
    : Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${pretty(item, depth + 1)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${items.length === 0 ? '' : `${items.join(',\n')}\n`}${outer}${close}`;
}

function write(file: string, value: { [key: string]: Json }): void {
  const temporary = `${file}.tmp`;
  try {
    replaceFileSync(file, `${pretty(value, 1)}\n`, temporary);
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      syscall === 'rename'
        ? `Failed saving settings file:\n- Failed renaming settings file ${temporary} to ${file}\n`
        : `Failed saving settings file:\n- Error: Unable to open settings file ${temporary} for writing\n`,
    );
  }
}
