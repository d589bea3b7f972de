// Reads bitcoin.conf as Core does (util/system.cpp, GetConfigOptions and ReadConfigFiles): sections, comments, dotted
// names, and includeconf, one level deep.
import fs from 'node:fs';
import path from 'node:path';
import { type Args, ConfigError } from './args.js';
import { flagByName } from './flags.js';

const knownSections = new Set(['main', 'test', 'testnet4', 'signet', 'regtest']);
const blanks = ' \t\r\n';

/** Removes the blanks around a text. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && blanks.includes(text[start])) start++;
  while (end > start && blanks.includes(text[end - 1])) end--;
  return text.slice(start, end);
}

/** A `name=value`, with its section ('' for the default one). */
export interface ConfLine {
  readonly section: string;
  readonly name: string;
  readonly value: string;
  /** Number of the line in the file, starting at 1. */
  readonly number: number;
}

/** Parses the text of a file. @throws ConfigError with Core's `parse error on line N` texts */
export function parseConf(text: string, fileName: string, warn: (line: string) => void): ConfLine[] {
  const lines: ConfLine[] = [];
  let prefix = '';
  const heed = (section: string, number: number): void => {
    if (!knownSections.has(section)) warn(`${fileName}:${number} Section [${section}] is not recognized.`);
  };
  text.split('\n').forEach((raw, index) => {
    const number = index + 1;
    const hash = raw.indexOf('#');
    const line = trimmed(hash < 0 ? raw : raw.slice(0, hash));
    if (line === '') return;
    if (line.startsWith('[') && line.endsWith(']')) {
      const section = line.slice(1, -1);
      heed(section, number);
      prefix = `${section}.`;
      return;
    }
    if (line.startsWith('-'))
      throw new ConfigError(`parse error on line ${number}: ${line}, options in configuration file must be specified without leading -`);
    const split = line.indexOf('=');
    if (split < 0) {
      const hint = line.startsWith('no') ? `, if you intended to specify a negated option, use ${line}=1 instead` : '';
      throw new ConfigError(`parse error on line ${number}: ${line}${hint}`);
    }
    const full = prefix + trimmed(line.slice(0, split));
    const value = trimmed(line.slice(split + 1));
    if (hash >= 0 && full.includes('rpcpassword'))
      throw new ConfigError(`parse error on line ${number}, using # in rpcpassword can be ambiguous and should be avoided`);
    // A dotted name contains its section. Below the title of a section it names an unknown section.
    const last = full.lastIndexOf('.');
    if (last >= 0 && prefix.length <= last) heed(full.slice(0, last), number);
    const dot = full.indexOf('.');
    lines.push({ section: dot < 0 ? '' : full.slice(0, dot), name: full.slice(dot + 1), value, number });
  });
  return lines;
}

const reading = 'Error reading configuration file: ';

/**
 * Returns the text of a file; undefined if the file does not exist.
 * @param kind of file, as errors name it
 * @throws ConfigError if the file exists and cannot be read. The node must not start with defaults instead.
 */
function readText(full: string, kind: string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(full);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'EISDIR') throw new ConfigError(`${reading}${kind} file "${full}" is a directory.`);
    throw new ConfigError(`${reading}${kind} file "${full}" could not be read (${code}); check its permissions.`);
  }
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
    throw new ConfigError(`${reading}${kind} file "${full}" is UTF-16 text; save it as UTF-8.`);
  return bytes.toString('utf8');
}

/** Returns whether the daemon has an option. adit-cli and adit-front read the same file, but have fewer options. */
const isDaemonOption = (name: string): boolean => flagByName.has(name) || flagByName.has(name.replace(/^no/, ''));

/** Reads one file into `args`. @returns false if the file does not exist */
function readOne(args: Args, baseDir: string, file: string, kind = 'Config'): boolean {
  const text = readText(path.resolve(baseDir, file), kind);
  if (text === undefined) return false;
  let lines: ConfLine[];
  try {
    lines = parseConf(text, file, (line) => args.loudWarnings.push(line));
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(reading + error.message) : error;
  }
  for (const { section, name, value, number } of lines) {
    if (name === 'conf') args.confInFile = true;
    if (args.giveFromFile(section, name, value)) continue;
    const warnings = isDaemonOption(name) ? args.warnings : args.loudWarnings;
    warnings.push(`${file}:${number} Ignoring unknown configuration value ${section === '' ? '' : `${section}.`}${name}`);
  }
  return true;
}

/**
 * Reads the configuration file and the files that it includes into `args`. Included files are read after the including
 * file, so that the lines of the including file come first.
 * @param required whether a missing file is an error: it was named on the command line
 * @param chain returns the chain that the options select so far, because its section may include files
 */
export function readConf(args: Args, baseDir: string, file: string, required: boolean, chain: () => string): void {
  if (!readOne(args, baseDir, file)) {
    if (required) throw new ConfigError(`${reading}specified config file "${file}" could not be opened.`);
    return;
  }
  if (args.noIncludes) return;
  const first = chain();
  const ofSection = args.includes(first);
  const ofDefault = args.includes('');
  for (const name of [...ofSection, ...ofDefault]) {
    if (!readOne(args, baseDir, name, 'Included config')) throw new ConfigError(`${reading}Failed to include configuration file ${name}`);
    args.warnings.push(`Included configuration file ${name}`);
  }
  const final = chain();
  const nested = [...args.includes(first, ofSection.length), ...args.includes('', ofDefault.length)];
  if (final !== first) nested.push(...args.includes(final));
  for (const name of nested)
    process.stderr.write(`warning: -includeconf cannot be used from included files; ignoring -includeconf=${name}\n`);
}
