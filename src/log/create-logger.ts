// The log: pino underneath, one line of plain text per entry in the shape of Core's debug.log, to a file, the console,
// or both. Categories are Core's; `logging` RPC and -debug switch them.
import fs from 'node:fs';
import { pino } from 'pino';
import type { Logger } from './logger.js';

/** Core 0.21's categories in the order of its `logging` call, and those of later versions that are of use here. */
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
  'i2p',
] as const;

/** Where lines go and which details are shown. */
export interface LogOptions {
  readonly file: string | undefined;
  readonly console: boolean;
  readonly categories: readonly string[];
  readonly excluded: readonly string[];
  /** Begin each line with the time. */
  readonly timestamps: boolean;
  /** With six decimals of the second. */
  readonly micros: boolean;
  /** Name the thread that speaks. */
  readonly threadNames: boolean;
  /** Cut the file to its newest 10 MB when it is larger by a tenth; undefined: unless categories are on. */
  readonly shrink: boolean | undefined;
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
  /** Unknown names in the options, as Core words it; in the log already. */
  readonly warnings: readonly string[];
  /** Tells the log where a mocked time comes from: lines then carry both. @param seconds 0 while the real clock runs */
  showMockTime(seconds: () => number): void;
}

/** The log cannot be written where it was asked for. */
export class LogFileError extends Error {
  /** A thing the operator can mend: the message alone is shown. */
  readonly code = 'LOG_FILE';
  constructor(file: string, cause: unknown) {
    super(`Could not open debug log file ${file}`, { cause });
    this.name = 'LogFileError';
  }
}

/** Core's measure of a log worth cutting, in bytes. */
const recentBytes = 10_000_000;

/**
 * What is not printable, escaped as Core does, and lines after the first set in: no text from outside can begin a line
 * of its own.
 */
function escapeLine(text: string): string {
  return text
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replaceAll('\n', '\n    ');
}

/** Keeps the newest part of a log that has grown. */
function shrinkFile(file: string): void {
  let handle: number;
  try {
    if (fs.statSync(file).size <= (recentBytes / 10) * 11) return;
    handle = fs.openSync(file, 'r+');
  } catch {
    return;
  }
  try {
    const kept = Buffer.alloc(recentBytes);
    const length = fs.readSync(handle, kept, 0, recentBytes, fs.fstatSync(handle).size - recentBytes);
    fs.ftruncateSync(handle, 0);
    fs.writeSync(handle, kept, 0, length, 0);
  } finally {
    fs.closeSync(handle);
  }
}

/** @throws LogFileError in Core's words */
function openLog(file: string): number {
  try {
    return fs.openSync(file, 'a', 0o600);
  } catch (cause) {
    throw new LogFileError(file, cause);
  }
}

const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

const everything = new Set(['1', 'all', '']);
const nothing = new Set(['0', 'none']);

/** Opens the log. @throws LogFileError when the file can't be opened */
export function createLogger(options: LogOptions): NodeLogger {
  const on = new Set<string>();
  const set = (name: string, value: boolean): boolean => {
    if (nothing.has(name)) return true;
    if (everything.has(name)) {
      on.clear();
      if (value) for (const category of logCategories) on.add(category);
      return true;
    }
    if (!(logCategories as readonly string[]).includes(name)) return false;
    if (value) on.add(name);
    else on.delete(name);
    return true;
  };
  let mockSeconds = (): number => 0;
  const unknown = (option: string, names: readonly string[], value: boolean): string[] =>
    names.filter((name) => !set(name, value)).map((name) => `Unsupported logging category -${option}=${name}.`);
  const warnings = [...unknown('debug', options.categories, true), ...unknown('debugexclude', options.excluded, false)];
  if (options.file !== undefined && (options.shrink ?? on.size === 0)) shrinkFile(options.file);
  let file = options.file === undefined ? -1 : openLog(options.file);
  // Sets this run apart from the one before.
  if (file >= 0) fs.writeSync(file, '\n\n\n\n\n');
  const stamp = (): string => {
    if (!options.timestamps) return '';
    const microsNow = Date.now() * 1000 + (Math.floor(performance.now() * 1000) % 1000);
    const seconds = isoSeconds(microsNow / 1000);
    const time = options.micros ? `${seconds.slice(0, -1)}.${String(microsNow % 1_000_000).padStart(6, '0')}Z` : seconds;
    const mocked = mockSeconds();
    return mocked > 0 ? `${time} (mocktime: ${isoSeconds(mocked * 1000)}) ` : `${time} `;
  };
  const thread = options.threadNames ? '[main] ' : '';
  const sink = {
    write(line: string): void {
      const entry = JSON.parse(line) as { level: number; msg: string; category?: string };
      const label =
        entry.category !== undefined ? `[${entry.category}] ` : entry.level >= 50 ? 'Error: ' : entry.level >= 40 ? 'Warning: ' : '';
      const text = `${stamp()}${thread}${label}${escapeLine(entry.msg)}\n`;
      // Written at once: a line stands in the file before what it tells of can be seen from outside, by any thread.
      try {
        if (file >= 0) fs.writeSync(file, text);
      } catch {
        // A full disk must not take the node down for the sake of its log; storage will speak for itself.
      }
      if (options.console) process.stdout.write(text);
    },
  };
  const root = pino({ base: null, timestamp: false, level: 'debug' }, sink);
  const logger: NodeLogger = {
    path: options.file ?? '',
    warnings,
    info: (message) => root.info(message),
    warn: (message) => root.warn(message),
    error: (message) => root.error(message),
    shows: (category) => on.has(category),
    debug: (category, message) => {
      if (on.has(category)) root.debug({ category }, message);
    },
    setCategory: set,
    categories: () => Object.fromEntries(logCategories.map((name) => [name, on.has(name)])),
    reopen: () => {
      if (options.file === undefined) return;
      const fresh = fs.openSync(options.file, 'a', 0o600);
      if (file >= 0) fs.closeSync(file);
      file = fresh;
    },
    showMockTime: (seconds) => {
      mockSeconds = seconds;
    },
    close: () => {
      if (file >= 0) fs.closeSync(file);
      file = -1;
    },
  };
  for (const warning of warnings) logger.warn(warning);
  return logger;
}
