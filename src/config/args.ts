// Options as the operator gave them: command line over the network's section of the configuration file over its default section,
// with Core's rules for repetition and negation (util/system.cpp). Callers: config/load.
import { type Flag, flagByName } from './flags.js';

/** A setting that can't be used; the message is what the operator sees behind `Error: `. */
export class ConfigError extends Error {}

/** One source's values for an option, in the order given; `negated` when -noX or X=0 came last. */
interface Given {
  values: string[];
  negated: boolean;
}

/** Where values come from, strongest first. */
type Source = 'command line' | 'section' | 'default section';

/** C's atoi, which Core reads its numbers with: leading blanks and sign, digits, then anything; otherwise 0. */
export function leadingInteger(text: string): number {
  const match = /^\s*([+-]?\d+)/.exec(text);
  return match ? Number(match[1]) : 0;
}

/** Core's reading of a switch: empty is true, otherwise a number that is not 0. */
function truth(text: string): boolean {
  return text === '' || leadingInteger(text) !== 0;
}

/** The options of one start. */
export class Args {
  readonly #known: ReadonlyMap<string, Flag>;
  readonly #program: string;
  readonly #sources: Record<Source, Map<string, Given>> = { 'command line': new Map(), section: new Map(), 'default section': new Map() };
  /** Lines for the log: ignored keys, odd negations. */
  readonly warnings: string[] = [];

  /** @param known the options there are: the daemon's unless told otherwise */
  constructor(known: ReadonlyMap<string, Flag> = flagByName, program = 'aditd') {
    this.#known = known;
    this.#program = program;
  }

  /** Empty options of the same program. */
  fresh(): Args {
    return new Args(this.#known, this.#program);
  }

  /** Whether `name` is an option of this program. */
  knows(name: string): boolean {
    return this.#known.has(name);
  }

  /** Takes `-name`, `-name=value`, `--name`, `-noname`. @throws ConfigError for an unknown option or a bare word */
  parseCommandLine(argv: readonly string[]): void {
    for (const arg of argv) {
      if (!arg.startsWith('-') || arg === '-')
        throw new ConfigError(`Command line contains unexpected token '${arg}', see ${this.#program} -h for a list of options.`);
      const split = arg.indexOf('=');
      const typed = split < 0 ? arg : arg.slice(0, split);
      const name = typed.replace(/^--?/, '');
      if (!this.#give('command line', name, split < 0 ? '' : arg.slice(split + 1))) {
        throw new ConfigError(`Error parsing command line arguments: Invalid parameter ${typed}`);
      }
      if (name === 'includeconf')
        throw new ConfigError(`Error parsing command line arguments: -includeconf cannot be used from commandline; ${arg}`);
    }
  }

  /** Records a line of a configuration file. @returns false when no option has that name */
  giveFromFile(source: 'section' | 'default section', name: string, value: string): boolean {
    return this.#give(source, name, value);
  }

  #give(source: Source, typedName: string, value: string): boolean {
    let name = typedName;
    let negate = false;
    if (!this.#known.has(name) && name.startsWith('no') && this.#known.has(name.slice(2))) {
      name = name.slice(2);
      negate = truth(value);
      if (!negate) this.warnings.push(`Warning: parsed potentially confusing double-negative -${typedName}=${value}`);
      value = '1';
    }
    const flag = this.#known.get(name);
    if (!flag) return false;
    const map = this.#sources[source];
    let given = map.get(name);
    if (!given) map.set(name, (given = { values: [], negated: false }));
    if (negate) {
      given.values.length = 0;
      given.negated = true;
    } else {
      given.values.push(value);
      given.negated = false;
    }
    return true;
  }

  /** Whether any source names the option, negations included. */
  isSet(name: string): boolean {
    return Object.values(this.#sources).some((map) => map.has(name));
  }

  /** Whether the strongest source that names the option negates it. */
  isNegated(name: string): boolean {
    for (const source of ['command line', 'section', 'default section'] as const) {
      const given = this.#sources[source].get(name);
      if (given) return given.negated;
    }
    return false;
  }

  /** Whether only the default section of the file gives it. */
  onlyInDefaultSection(name: string): boolean {
    return !this.#sources['command line'].has(name) && !this.#sources.section.has(name) && this.#sources['default section'].has(name);
  }

  /** The one value that counts: the last of the command line, the first of a file's section; undefined when negated or absent. */
  text(name: string): string | undefined {
    for (const source of ['command line', 'section', 'default section'] as const) {
      const given = this.#sources[source].get(name);
      if (!given) continue;
      if (given.negated) return undefined;
      return source === 'command line' ? given.values[given.values.length - 1] : given.values[0];
    }
    return undefined;
  }

  bool(name: string, otherwise: boolean): boolean {
    if (this.isNegated(name)) return false;
    const text = this.text(name);
    return text === undefined ? otherwise : truth(text);
  }

  int(name: string, otherwise: number): number {
    if (this.isNegated(name)) return 0;
    const text = this.text(name);
    return text === undefined ? otherwise : leadingInteger(text);
  }

  /** A whole number within bounds. @throws ConfigError naming the option otherwise (text that is no number included) */
  strictInt(name: string, otherwise: number, min: number, max: number): number {
    const text = this.text(name);
    if (text === undefined) return this.isNegated(name) ? Math.max(0, min) : otherwise;
    if (!/^[+-]?\d{1,15}$/.test(text) || Number(text) < min || Number(text) > max) {
      throw new ConfigError(`Invalid value for -${name}=<n>: '${text}' (it takes a whole number from ${min} to ${max})`);
    }
    return Number(text);
  }

  /** All values of a repeatable option, strongest source first; a negation drops the weaker ones. */
  list(name: string): string[] {
    const all: string[] = [];
    for (const source of ['command line', 'section', 'default section'] as const) {
      const given = this.#sources[source].get(name);
      if (!given) continue;
      all.push(...given.values);
      if (given.negated) break;
    }
    return all;
  }

  /** A BTC amount as satoshi. @throws ConfigError in Core's words */
  amount(name: string, otherwise: number): number {
    const text = this.text(name);
    if (text === undefined) return otherwise;
    const match = /^\s*(\d*)(?:\.(\d{0,8}))?\s*$/.exec(text);
    const sats =
      match && (match[1] || match[2]) ? Number(match[1] || '0') * 1e8 + Number((match[2] ?? '').padEnd(8, '0') || '0') : Number.NaN;
    if (!(sats <= 21e14)) throw new ConfigError(`Invalid amount for -${name}=<amount>: '${text}'`);
    return sats;
  }
}
