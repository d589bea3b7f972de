// Reads the options of the log, for aditd and adit-front.
import { ALL_CATEGORIES, type LogLevel, listedCategories, logCategories, logLevels, NO_CATEGORIES } from '../log/categories.js';
import type { LogOptions } from '../log/create-logger.js';
import { LOG_ROWS } from '../log/options.js';
import type { Compat } from '../policy/compat.js';
import { type Args, ConfigError } from './args.js';
import { readRows } from './rows.js';

/** Options of the log, except its file. `ips`: whether lines about peers show addresses. */
export interface LogConfig extends Omit<LogOptions, 'file'> {
  readonly ips: boolean;
  /** Value of -debuglogfile. */
  readonly fileName: string;
}

/** Reads the options of the log. With -compat=0.21.1 an unknown category is only a warning. @throws ConfigError in Core's words */
export function logOptions(args: Args, compat: Compat): LogConfig {
  const { file: fileName, categories, excluded, levels, console, ...rows } = readRows(args, LOG_ROWS, compat);
  const old = compat.name === '0.21.1';
  const check = (option: string, names: readonly string[], isKnown: (name: string) => boolean): readonly string[] =>
    names.filter((name) => {
      if (isKnown(name)) return true;
      const text = `Unsupported logging category -${option}=${name}.`;
      if (!old) throw new ConfigError(text);
      args.loudWarnings.push(text);
      return false;
    });
  const isCategory = (name: string): boolean => ALL_CATEGORIES.has(name) || logCategories.includes(name);
  // `0` or `none` cancels the values of -debug before it. In 0.21.1 it cancels all values of -debug.
  const lastNone = categories.findLastIndex((name) => NO_CATEGORIES.has(name));
  const asked = lastNone < 0 ? categories : old ? [] : categories.slice(lastNone + 1);
  return {
    ...rows,
    fileName,
    console: console ?? !args.bool('daemon', false),
    categories: check('debug', asked, isCategory),
    excluded: check('debugexclude', excluded, (name) => isCategory(name) || (old && NO_CATEGORIES.has(name))),
    levels: levels.map(levelOf),
    echoWarnings: false,
  };
}

/** Parses -loglevel=level or -loglevel=category:level. @throws ConfigError in Core's words */
function levelOf(text: string): readonly [category: string, level: LogLevel] {
  const isLevel = (name: string | undefined): name is LogLevel => (logLevels as readonly string[]).includes(name ?? '');
  // As in Core, a colon counts only from the fourth character on.
  if (text.indexOf(':', 3) < 0) {
    if (isLevel(text)) return ['', text];
    throw new ConfigError(`Unsupported global logging level -loglevel=${text}. Valid values: ${logLevels.toReversed().join(', ')}.`);
  }
  const [category = '', level, ...more] = text.split(':');
  if (more.length === 0 && isLevel(level) && (ALL_CATEGORIES.has(category) || logCategories.includes(category))) return [category, level];
  throw new ConfigError(
    `Unsupported category-specific logging level -loglevel=${text}. Expected -loglevel=<category>:<loglevel>. Valid categories: ${listedCategories({ name: '31' }).join(', ')}. Valid loglevels: ${logLevels.toReversed().join(', ')}.`,
  );
}
