// Options as the operator gave them. Precedence: command line, settings.json, the network's section of the
// configuration file, its default section. The rules for repetition and negation are Core's (util/settings.cpp,
// util/system.cpp).
import { type Flag, flagByName } from './flags.js';

/** Error for an invalid option. The message is what the operator sees after `Error: `. */
export class ConfigError extends Error {}

/** Values of an option from one source, in order, without the values before the last negation. */
interface Given {
  values: string[];
  /** True if the option was negated. list() then omits the values of weaker sources. */
  negatedOnce: boolean;
}

const lastNegated = (given: Given): boolean => given.negatedOnce && given.values.length === 0;

/** Sources of values, strongest first. */
type Source = 'command line' | 'settings' | 'section' | 'default section';

const sourceOrder: readonly Source[] = ['command line', 'settings', 'section', 'default section'];

/** Sources in which the first value of an option wins. In all other sources the last value wins. */
const firstWins: ReadonlySet<Source> = new Set(['section', 'default section']);

/** Parses like C's atoi, as Core does: leading blanks and a sign, digits, then anything; otherwise 0. */
export function leadingInteger(text: string): number {
  const match = /^\s*([+-]?\d+)/.exec(text);
  return match ? Number(match[1]) : 0;
}

/** Parses a switch as Core does: empty is true, otherwise any number but 0. */
function truth(text: string): boolean {
  return text === '' || leadingInteger(text) !== 0;
}

/** The options of one start of a program. */
export class Args {
  readonly #known: ReadonlyMap<string, Flag>;
  readonly #program: string;
  readonly #commandLine = new Map<string, Given>();
  readonly #settings = new Map<string, Given>();
  readonly #settingsJson = new Map<string, string>();
  /** Sections of the configuration files by name; '' is the default section. */
  readonly #sections = new Map<string, Map<string, Given>>([['', new Map()]]);
  #chain: string | undefined;
  /** Warnings for the log: ignored keys, double negations. */
  readonly warnings: string[] = [];
  /** Warnings for the log and the console. */
  readonly loudWarnings: string[] = [];
  /** True if a configuration file contains `conf`, which has no effect there. */
  confInFile = false;

  /** @param known options of the program; default: those of the daemon @param program name in error messages */
  constructor(known: ReadonlyMap<string, Flag> = flagByName, program = 'aditd') {
    this.#known = known;
    this.#program = program;
  }

  /** Returns whether `name` is an option of this program. */
  knows(name: string): boolean {
    return this.#known.has(name);
  }

  /** Error for a value that Core 31 refuses and 0.21.1 accepts. */
  #refusal: string | undefined;

  /**
   * Parses a command line: `-name`, `-name=value`, `--name`, `-noname`.
   * @throws ConfigError for an unknown option or a word without a dash
   */
  parseCommandLine(argv: readonly string[]): void {
    for (const arg of argv) {
      if (!arg.startsWith('-') || arg === '-')
        throw new ConfigError(`Command line contains unexpected token '${arg}', see ${this.#program} -h for a list of options.`);
      const split = arg.indexOf('=');
      const typed = split < 0 ? arg : arg.slice(0, split);
      if (!this.#addValue(this.#commandLine, typed.replace(/^--?/, ''), split < 0 ? undefined : arg.slice(split + 1))) {
        throw new ConfigError(`Error parsing command line arguments: Invalid parameter ${arg}`);
      }
    }
    const legacy = this.#commandLine.get('compat')?.values.at(-1) === '0.21.1';
    if (this.#refusal !== undefined && !legacy) throw new ConfigError(`Error parsing command line arguments: ${this.#refusal}`);
    // -noincludeconf is allowed on the command line: then no file is included.
    const include = this.#commandLine.get('includeconf')?.values[0];
    if (include !== undefined) {
      // Core shows the value as JSON since release 22. A negation that was negated is a switch.
      const json = argv.some((arg) => /^--?noincludeconf=/.test(arg)) ? 'true' : JSON.stringify(include);
      const shown = legacy ? include : json;
      throw new ConfigError(`Error parsing command line arguments: -includeconf cannot be used from commandline; -includeconf=${shown}`);
    }
  }

  /** Adds a line of a configuration file. @returns false if no option has that name */
  giveFromFile(section: string, name: string, value: string): boolean {
    let values = this.#sections.get(section);
    if (!values) this.#sections.set(section, (values = new Map()));
    return this.#addValue(values, name, value);
  }

  /**
   * Adds an entry of settings.json. A `false` among the values negates those before it.
   * @returns false if no option has that name
   */
  giveSetting(name: string, values: readonly (string | false)[], json: string): boolean {
    this.#settingsJson.set(name, json);
    const given: Given = { values: [], negatedOnce: false };
    for (const value of values) {
      if (value === false) {
        given.values.length = 0;
        given.negatedOnce = true;
      } else given.values.push(value);
    }
    this.#settings.set(name, given);
    return this.#known.has(name);
  }

  /** Selects the section of the configuration files that is used in addition to the default section. */
  selectChain(chain: string): void {
    this.#chain = chain;
  }

  #addValue(map: Map<string, Given>, typedName: string, typedValue: string | undefined): boolean {
    let value = typedValue ?? '';
    let name = typedName;
    let negate = false;
    if (!this.#known.has(name) && name.startsWith('no') && this.#known.has(name.slice(2))) {
      name = name.slice(2);
      negate = truth(value);
      if (!negate) this.warnings.push(`Warning: parsed potentially confusing double-negative -${name}=${value}`);
      value = '1';
    }
    const flag = this.#known.get(name);
    if (flag === undefined) return false;
    if (name !== typedName && flag.noNegation) this.#refusal ??= `Negating of -${name} is meaningless and therefore forbidden`;
    else if (typedValue === undefined && name === typedName && flag.needsValue)
      this.#refusal ??= `Can not set -${name} with no value. Please specify value with -${name}=value.`;
    let given = map.get(name);
    if (!given) map.set(name, (given = { values: [], negatedOnce: false }));
    if (negate) {
      given.values.length = 0;
      given.negatedOnce = true;
    } else given.values.push(value);
    return true;
  }

  #given(source: Source, name: string): Given | undefined {
    if (source === 'command line') return this.#commandLine.get(name);
    if (source === 'settings') return this.#settings.get(name);
    if (source === 'section') return this.#chain === undefined ? undefined : this.#sections.get(this.#chain)?.get(name);
    return this.#sections.get('')!.get(name);
  }

  /**
   * Returns whether the default section is ignored for an option: it belongs to one network, and another network than
   * main is selected. Negations count all the same.
   */
  #ignoresDefault(name: string): boolean {
    return this.#chain !== undefined && this.#chain !== 'main' && this.#known.get(name)?.networkOnly === true;
  }

  /** Returns the value of an option by precedence: a text, false for a negation, undefined if no source names the option. */
  #winner(name: string): string | false | undefined {
    for (const source of sourceOrder) {
      const given = this.#given(source, name);
      if (!given) continue;
      const negated = lastNegated(given);
      if (source === 'default section' && !negated && this.#ignoresDefault(name)) continue;
      if (negated) return false;
      if (given.values.length > 0) return firstWins.has(source) ? given.values[0] : given.values.at(-1);
    }
    return undefined;
  }

  /** Returns whether any used source names the option, including negations. */
  isSet(name: string): boolean {
    return this.#winner(name) !== undefined;
  }

  /** Returns whether the strongest source that names the option negates it. */
  isNegated(name: string): boolean {
    return this.#winner(name) === false;
  }

  /** Returns options of one network that only the default section gives while another network is selected, by name. */
  misplaced(): string[] {
    if (this.#chain === undefined || this.#chain === 'main') return [];
    const has = (source: Source, name: string): boolean => (this.#given(source, name)?.values.length ?? 0) > 0;
    return [...this.#known.values()]
      .filter(({ name, networkOnly }) => networkOnly && has('default section', name))
      .filter(({ name }) => !sourceOrder.slice(0, 3).some((source) => has(source, name)))
      .map(({ name }) => name)
      .sort();
  }

  /**
   * Returns the value of an option by precedence: the last of the command line, the first of a section; undefined if the
   * option is negated or missing.
   */
  text(name: string): string | undefined {
    const winner = this.#winner(name);
    return winner === false ? undefined : winner;
  }

  /**
   * Returns a switch that selects the chain. It has its own rules: files have no sections yet, their last line counts,
   * and a negation on the command line does not undo what a file says.
   */
  chainSwitch(name: string): boolean {
    for (const source of ['command line', 'default section'] as const) {
      const given = this.#given(source, name);
      if (!given || lastNegated(given)) continue;
      return truth(given.values.at(-1)!);
    }
    return false;
  }

  /** Returns the files of -includeconf in a section. @param skip number of files to omit */
  includes(section: string, skip = 0): string[] {
    return (this.#sections.get(section)?.get('includeconf')?.values ?? []).slice(skip);
  }

  /** True if -noincludeconf was given: no file is included. */
  get noIncludes(): boolean {
    const given = this.#commandLine.get('includeconf');
    return given !== undefined && lastNegated(given);
  }

  /** Entries of settings.json as JSON, for the log. */
  get settings(): ReadonlyMap<string, string> {
    return this.#settingsJson;
  }

  /** Yields all other values for the log: source, section, name, and values (negations as false). */
  *everything(): Generator<{
    source: 'Config file' | 'Command-line';
    section: string;
    name: string;
    values: (string | false)[];
  }> {
    const shown = (given: Given): (string | false)[] => [...(given.negatedOnce ? [false as const] : []), ...given.values];
    for (const section of [...this.#sections.keys()].sort())
      for (const [name, given] of this.#sections.get(section)!) yield { source: 'Config file', section, name, values: shown(given) };
    for (const [name, given] of this.#commandLine) yield { source: 'Command-line', section: '', name, values: shown(given) };
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

  /** Returns a size in bytes. A number without a unit letter is in MiB. @throws ConfigError in Core's words */
  bytes(name: string, otherwise: number): number {
    if (this.isNegated(name)) return 0;
    const text = this.text(name);
    if (text === undefined) return otherwise;
    const [, digits, unit = 'M'] = /^(\d+)([kKmMgGtT])?$/.exec(text) ?? [];
    const factor = (/[A-Z]/.test(unit) ? 1024 : 1000) ** ('kmgt'.indexOf(unit.toLowerCase()) + 1);
    const size = digits === undefined ? Number.NaN : Number(digits) * factor;
    // Core uses 64 bits.
    if (!(size < 2 ** 64)) throw new ConfigError(`Unable to parse -${name}: '${text}'`);
    return size;
  }

  /** Returns a port. @throws ConfigError in Core's words */
  port(name: string): number | undefined {
    if (!this.isSet(name)) return undefined;
    const text = this.text(name) ?? '';
    if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > 65535)
      throw new ConfigError(`Invalid port specified in -${name}: '${text}'`);
    return Number(text);
  }

  /** Returns an integer from `min` to `max`. @throws ConfigError that names the option for any other value */
  strictInt(name: string, otherwise: number, min: number, max: number): number {
    const text = this.text(name);
    if (text === undefined) return this.isNegated(name) ? Math.max(0, min) : otherwise;
    if (!/^[+-]?\d{1,15}$/.test(text) || Number(text) < min || Number(text) > max) {
      throw new ConfigError(`Invalid value for -${name}=<n>: '${text}' (it must be an integer from ${min} to ${max})`);
    }
    return Number(text);
  }

  /**
   * Returns all values of a repeatable option, strongest source first. A negation removes the weaker sources. But
   * values after a negation on the command line bring those of the files back, as in Core.
   * @param weakestFirst return the weakest source first, for options of which the last value wins
   */
  list(name: string, weakestFirst = false): string[] {
    const bySource: string[][] = [];
    let done = false;
    let nothingLeft = false;
    for (const source of sourceOrder) {
      const given = this.#given(source, name);
      if (!given || (source === 'default section' && this.#ignoresDefault(name))) continue;
      const fromFile = source === 'section' || source === 'default section';
      if (!done || (fromFile && !nothingLeft)) bySource.push(given.values);
      done ||= given.negatedOnce;
      nothingLeft ||= lastNegated(given) && bySource.flat().length === 0;
    }
    return (weakestFirst ? bySource.reverse() : bySource).flat();
  }

  /** Returns a BTC amount in satoshis. @throws ConfigError in Core's words */
  amount(name: string, otherwise: number): number {
    if (this.isNegated(name)) return 0;
    const text = this.text(name);
    if (text === undefined) return otherwise;
    const match = /^\s*(\d*)(?:\.(\d{0,8}))?\s*$/.exec(text);
    const sats =
      match && (match[1] || match[2]) ? Number(match[1] || '0') * 1e8 + Number((match[2] ?? '').padEnd(8, '0') || '0') : Number.NaN;
    if (!(sats <= 21e14)) throw new ConfigError(`Invalid amount for -${name}=<amount>: '${text}'`);
    return sats;
  }
}
