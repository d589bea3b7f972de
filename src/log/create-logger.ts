// The log: pino underneath, one line of plain text per entry in the shape of Core's debug.log, to a file, the console, or both.
// Callers: aditd. Categories are Core's; `logging` RPC and -debug switch them.
import fs from 'node:fs';
import { pino } from 'pino';
import type { Logger } from './logger.js';

/** Core 0.21's categories, in the order of its `logging` call. */
export const logCategories = [
  'net',
  'tor',
  'mempool',
  'http',
  'bench',
  'zmq',
  'walletdb',
  'rpc',
  'estimatefee',
  'addrman',
  'selectcoins',
  'reindex',
  'cmpctblock',
  'rand',
  'prune',
  'proxy',
  'mempoolrej',
  'libevent',
  'coindb',
  'qt',
  'leveldb',
  'validation',
] as const;

/** Where lines go and which details are shown. */
export interface LogOptions {
  readonly file: string | undefined;
  readonly console: boolean;
  readonly categories: readonly string[];
  readonly excluded: readonly string[];
}

/** The node's log: a Logger, switches for its categories, and a way to end it. */
export interface NodeLogger extends Logger {
  readonly path: string;
  /** @returns false when there is no such category */
  setCategory(name: string, on: boolean): boolean;
  categories(): Record<string, boolean>;
  /** Reopens the file (SIGHUP, after rotation). */
  reopen(): void;
  /** Writes what is buffered; nothing may be logged afterwards. */
  close(): void;
}

const everything = new Set(['1', 'all', '']);
const nothing = new Set(['0', 'none']);

/** Opens the log. @throws the file system's error when the file can't be opened */
export function createLogger(options: LogOptions): NodeLogger {
  const on = new Set<string>();
  const set = (name: string, value: boolean): boolean => {
    if (everything.has(name) || nothing.has(name)) {
      const all = everything.has(name) === value;
      on.clear();
      if (all) for (const category of logCategories) on.add(category);
      return true;
    }
    if (!(logCategories as readonly string[]).includes(name)) return false;
    if (value) on.add(name);
    else on.delete(name);
    return true;
  };
  let file = options.file === undefined ? -1 : fs.openSync(options.file, 'a', 0o600);
  let pending: string[] = [];
  let scheduled = false;
  const flush = (): void => {
    scheduled = false;
    if (pending.length === 0) return;
    const text = pending.join('');
    pending = [];
    try {
      if (file >= 0) fs.writeSync(file, text);
    } catch {
      // A full disk must not take the node down for the sake of its log; storage will speak for itself.
    }
    if (options.console) process.stdout.write(text);
  };
  const sink = {
    write(line: string): void {
      const entry = JSON.parse(line) as { level: number; msg: string; category?: string };
      const label =
        entry.category !== undefined ? `[${entry.category}] ` : entry.level >= 50 ? 'Error: ' : entry.level >= 40 ? 'Warning: ' : '';
      pending.push(`${new Date().toISOString().slice(0, 19)}Z ${label}${entry.msg}\n`);
      if (entry.level >= 50 || pending.length >= 256) flush();
      else if (!scheduled) {
        scheduled = true;
        setImmediate(flush);
      }
    },
  };
  const root = pino({ base: null, timestamp: false, level: 'debug' }, sink);
  const unknown = [...options.categories.filter((name) => !set(name, true)), ...options.excluded.filter((name) => !set(name, false))];
  const logger: NodeLogger = {
    path: options.file ?? '',
    info: (message) => root.info(message),
    warn: (message) => root.warn(message),
    error: (message) => root.error(message),
    debug: (category, message) => {
      if (on.has(category)) root.debug({ category }, message);
    },
    setCategory: set,
    categories: () => Object.fromEntries(logCategories.map((name) => [name, on.has(name)])),
    reopen: () => {
      flush();
      if (options.file === undefined) return;
      const fresh = fs.openSync(options.file, 'a', 0o600);
      if (file >= 0) fs.closeSync(file);
      file = fresh;
    },
    close: () => {
      flush();
      if (file >= 0) fs.closeSync(file);
      file = -1;
    },
  };
  for (const name of unknown) logger.warn(`Unsupported logging category -debug=${name}.`);
  return logger;
}
