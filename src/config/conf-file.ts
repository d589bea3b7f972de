// bitcoin.conf as Core reads it (util/system.cpp, GetConfigOptions): sections, comments, dotted names, includeconf one level deep.
// Callers: config/load.
import fs from 'node:fs';
import path from 'node:path';
import { type Args, ConfigError } from './args.js';

const knownSections = new Set(['main', 'test', 'testnet4', 'signet', 'regtest']);

/** One `name=value` with the section it stands in ('' for the default one). */
export interface ConfLine {
  readonly section: string;
  readonly name: string;
  readonly value: string;
}

/** Splits a file's text. @throws ConfigError with Core's `parse error on line N` texts */
export function parseConf(text: string, fileName: string, warn: (line: string) => void): ConfLine[] {
  const lines: ConfLine[] = [];
  let section = '';
  text.split('\n').forEach((raw, index) => {
    const number = index + 1;
    const hash = raw.indexOf('#');
    const line = (hash < 0 ? raw : raw.slice(0, hash)).trim();
    if (line === '') return;
    if (line.startsWith('[') && line.endsWith(']')) {
      section = line.slice(1, -1);
      if (!knownSections.has(section)) warn(`${fileName}:${number} Section [${section}] is not recognized.`);
      return;
    }
    if (line.startsWith('-'))
      throw new ConfigError(`parse error on line ${number}: ${line}, options in configuration file must be specified without leading -`);
    const split = line.indexOf('=');
    if (split < 0) {
      const hint = line.startsWith('no') ? `, if you intended to specify a negated option, use ${line}=1 instead` : '';
      throw new ConfigError(`parse error on line ${number}: ${line}${hint}`);
    }
    let name = line.slice(0, split).trim();
    const value = line.slice(split + 1).trim();
    if (hash >= 0 && name.includes('rpcpassword'))
      throw new ConfigError(`parse error on line ${number}, using # in rpcpassword can be ambiguous and should be avoided`);
    let where = section;
    const dot = name.indexOf('.');
    if (section === '' && dot > 0) {
      where = name.slice(0, dot);
      name = name.slice(dot + 1);
    }
    lines.push({ section: where, name, value });
  });
  return lines;
}

/**
 * Reads the configuration file and those it includes into `args`.
 * @param chain the section to take besides the default one; undefined takes only lines that choose the chain
 */
export function readConf(args: Args, baseDir: string, file: string, required: boolean, chain: string | undefined): void {
  const full = path.resolve(baseDir, file);
  const text = readText(full);
  if (text === undefined) {
    if (required) throw new ConfigError(`Error reading configuration file: specified config file "${file}" could not be opened.`);
    return;
  }
  const take = (lines: ConfLine[], included: boolean): void => {
    for (const line of lines) {
      if (line.section !== '' && line.section !== chain) continue;
      if (line.name === 'includeconf') {
        if (included) {
          process.stderr.write(`warning: -includeconf cannot be used from included files; ignoring -includeconf=${line.value}\n`);
          continue;
        }
        const more = readText(path.resolve(baseDir, line.value));
        if (more === undefined)
          throw new ConfigError(`Error reading configuration file: Failed to include configuration file ${line.value}`);
        take(parse(more, line.value), true);
        continue;
      }
      if (!args.giveFromFile(line.section === '' ? 'default section' : 'section', line.name, line.value)) {
        args.warnings.push(`Ignoring unknown configuration value ${line.name}`);
      }
    }
  };
  const parse = (content: string, name: string): ConfLine[] => {
    try {
      return parseConf(content, name, (line) => args.warnings.push(`Warning: ${line}`));
    } catch (error) {
      throw error instanceof ConfigError ? new ConfigError(`Error reading configuration file: ${error.message}`) : error;
    }
  };
  take(parse(text, file), false);
}

function readText(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
