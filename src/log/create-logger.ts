// Creates the log: one line of plain text per entry in the shape of Core's debug.log, to a file, the console, or both.
// Categories are Core's; the `logging` call and -debug switch them.
import fs from 'node:fs';
import { ALL_CATEGORIES, type LogLevel, logCategories } from './categories.js';
import type { Logger } from './logger.js';

/** Where lines are written, and which details are shown. */
export interface LogOptions {
  readonly file: string | undefined;
  readonly console: boolean;
  /** True to write warnings and errors to stderr while `console` is off. */
  readonly echoWarnings: boolean;
  /** Categories that are on at first, or a name that stands for all categories. */
  readonly categories: readonly string[];
  readonly excluded: readonly string[];
  /** Minimum level of debug lines, by category ('' for all others). The last entry wins. */
  readonly levels: readonly (readonly [category: string, level: LogLevel])[];
  /** True if lines begin with the time. */
  readonly timestamps: boolean;
  /** True if times have six decimals of the second. */
  readonly micros: boolean;
  /** True if lines contain the name of the thread. */
  readonly threadNames: boolean;
  /** True if every line contains category and level, as in Core: `[all:info]`. */
  readonly levelAlways: boolean;
  /**
   * True to shrink the file at the start to its newest 10 MB if it is larger by more than a tenth; undefined: yes,
   * unless categories are on.
   */
  readonly shrink: boolean | undefined;
}

/** The node's log: a Logger, switches for its categories, and a way to end it. */
export interface NodeLogger extends Logger {
  readonly path: string;
  /** Switches a category. @returns false if it does not exist */
  setCategory(name: string, on: boolean): boolean;
  isOn(category: string): boolean;
  /**
   * Reopens the file (SIGHUP, after rotation). If that fails, the log continues in the old file, as in Core.
   */
  reopen(): void;
  /** Logs why the process ends. Always writes the reason to stderr too. */
  fatal(message: string): void;
  /** Logs a warning about the start. Always writes it to stderr too. */
  warnLoudly(message: string): void;
  /** Closes the file; nothing may be logged afterwards. */
  close(): void;
  /**
   * Makes lines show the mocked time in addition to the real time.
   * @param seconds returns the mocked time, 0 while the real clock is used
   */
  showMockTime(seconds: () => number): void;
}

/** Error: the log file cannot be opened. */
export class LogFileError extends Error {
  /** Marks an error that the operator can fix: only its message is shown. */
  readonly code = 'LOG_FILE';
  constructor(file: string, cause: unknown) {
    super(`Could not open debug log file ${file}`, { cause });
    this.name = 'LogFileError';
  }
}

/** Bytes to which a log file is shrunk, as in Core. */
const recentBytes = 10_000_000;

/**
 * Escapes unprintable characters as Core does, and indents lines after the first, so that no text from outside can
 * start a line of its own.
 */
function escapeLine(text: string): string {
  return text
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replaceAll('\n', '\n    ');
}

/** Shrinks a large log file to its newest part. */
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
  } catch {
    // The disk is full or fails. Keep the file as it is.
  } finally {
    tryClose(handle);
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

/** Logs the notes about options. Notes that begin with `Warning: ` become warnings. */
export function logNotes(notes: readonly string[], log: Logger): void {
  for (const note of notes) {
    if (note.startsWith('Warning: ')) log.warn(note.slice('Warning: '.length));
    else log.info(note);
  }
}

type Severity = 'debug' | 'info' | 'warning' | 'error';

/** Returns the label before the message, such as `Warning: `. */
function labelOf(severity: Severity, category: string | undefined, always: boolean): string {
  if (always) return `[${category ?? 'all'}:${severity}] `;
  return category !== undefined ? `[${category}] ` : severity === 'error' ? 'Error: ' : severity === 'warning' ? 'Warning: ' : '';
}

/**
 * Writes to the file. Ignores failures such as a full disk, as Core does. The storage reports a full disk itself.
 */
function tryWrite(file: number, text: string): void {
  try {
    if (file >= 0) fs.writeSync(file, text);
  } catch {
    // The line is lost.
  }
}

/** Opens the log. @throws LogFileError if the file cannot be opened */
export function createLogger(options: LogOptions): NodeLogger {
  const on = new Set<string>();
  const set = (name: string, value: boolean): boolean => {
    if (!ALL_CATEGORIES.has(name) && !logCategories.includes(name)) return false;
    for (const category of ALL_CATEGORIES.has(name) ? logCategories : [name]) {
      if (value) on.add(category);
      else on.delete(category);
    }
    return true;
  };
  for (const name of options.categories) set(name, true);
  for (const name of options.excluded) set(name, false);
  const levels = new Map(options.levels);
  const shows = (category: string): boolean => on.has(category) && (levels.get(category) ?? levels.get('')) !== 'info';
  let mockSeconds = (): number => 0;
  if (options.file !== undefined && (options.shrink ?? on.size === 0)) shrinkFile(options.file);
  let file = options.file === undefined ? -1 : openLog(options.file);
  // Separate this run from the previous one.
  tryWrite(file, '\n\n\n\n\n');
  const stamp = (): string => {
    if (!options.timestamps) return '';
    const microsNow = Date.now() * 1000 + (Math.floor(performance.now() * 1000) % 1000);
    const seconds = isoSeconds(microsNow / 1000);
    const time = options.micros ? `${seconds.slice(0, -1)}.${String(microsNow % 1_000_000).padStart(6, '0')}Z` : seconds;
    const mocked = mockSeconds();
    return mocked > 0 ? `${time} (mocktime: ${isoSeconds(mocked * 1000)}) ` : `${time} `;
  };
  const thread = options.threadNames ? '[main] ' : '';
  /** @param loud true to write the line to stderr too, whatever the options say */
  const write = (severity: Severity, message: string, { category, loud = false }: { category?: string; loud?: boolean } = {}): void => {
    // Some texts of Core begin with the label.
    const escaped = escapeLine(severity === 'warning' && !options.levelAlways ? message.replace(/^Warning: /, '') : message);
    const text = `${stamp()}${thread}${labelOf(severity, category, options.levelAlways)}${escaped}\n`;
    // Written synchronously: a line is in the file before any thread can show the effect that it describes.
    tryWrite(file, text);
    if (options.console) process.stdout.write(text);
    const echoed = options.echoWarnings && !options.console && (severity === 'warning' || severity === 'error');
    if (loud || echoed) process.stderr.write(`${labelOf(severity, category, false)}${loud ? message : escaped}\n`);
  };
  const logger: NodeLogger = {
    path: options.file ?? '',
    info: (message) => write('info', message),
    warn: (message) => write('warning', message),
    error: (message) => write('error', message),
    fatal: (message) => write('error', message, { loud: true }),
    warnLoudly: (message) => write('warning', message, { loud: true }),
    shows,
    debug: (category, message) => {
      if (shows(category)) write('debug', message, { category });
    },
    setCategory: set,
    isOn: (category) => on.has(category),
    reopen: () => {
      if (options.file === undefined) return;
      let fresh: number;
      try {
        fresh = openLog(options.file);
      } catch (error) {
        const { code } = (error as LogFileError).cause as NodeJS.ErrnoException;
        logger.warn(
          `${(error as Error).message} (${code}). The log continues in the previous file. Send SIGHUP again when the new file can be opened.`,
        );
        return;
      }
      const old = file;
      file = fresh;
      if (old >= 0) tryClose(old);
    },
    showMockTime: (seconds) => {
      mockSeconds = seconds;
    },
    close: () => {
      if (file >= 0) tryClose(file);
      file = -1;
    },
  };
  return logger;
}

/** Closes a file. Ignores late write errors that the system reports on close. */
function tryClose(file: number): void {
  try {
    fs.closeSync(file);
  } catch {
    // The file is closed even after an error.
  }
}
