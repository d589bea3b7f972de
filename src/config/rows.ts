// Rows with which modules declare their options: flag, type, help, and default. This file reads rows from the
// operator's options and builds their help texts.

import { COMPATS, type Compat, follows } from '../policy/compat.js';

type Scalar = boolean | number | string;

/**
 * The operator's options; Args implements it. An interface, because args.ts imports the table of flags, which is built
 * from rows.
 */
interface GivenOptions {
  isSet(name: string): boolean;
  bool(name: string, otherwise: boolean): boolean;
  int(name: string, otherwise: number): number;
  strictInt(name: string, otherwise: number, min: number, max: number): number;
  port(name: string): number | undefined;
  amount(name: string, otherwise: number): number;
  bytes(name: string, otherwise: number): number;
  text(name: string): string | undefined;
  list(name: string): readonly string[];
}

/** Types of values, by type of row. */
interface Types {
  readonly bool: boolean;
  readonly int: number;
  /**
   * Size in bytes. The operator gives MiB, or a number followed by k, m, g, t (powers of 1000) or K, M, G, T (powers of
   * 1024).
   */
  readonly bytes: number;
  /** An integer from `least` to `most`. Anything else is an error. */
  readonly whole: number;
  readonly port: number;
  readonly string: string;
  /** A text that counts as missing if it is empty. */
  readonly filled: string;
  /** An amount in BTC, read as satoshis. `least: -1` also accepts -1, which is not an amount. */
  readonly amount: number;
  readonly list: readonly string[];
}

interface RowDetails {
  /**
   * Factor from the operator's unit to the module's: 1000 if the operator gives kvB and the module counts vbytes.
   * Default: 1.
   */
  readonly unit?: number;
  /** Lower values count as `least`, higher ones as `most`, in the operator's unit. */
  readonly least?: number;
  readonly most?: number;
}

export type OptionRow = readonly [
  flag: string,
  type: keyof Types,
  /**
   * Help text. ` (default: ...)` is appended if there is a default and the text has no braces. `{default}` is replaced
   * by the default, `{0.21.1}` by the default with -compat=0.21.1, both in the operator's unit. Missing or empty: the
   * option is not in the help.
   */
  help?: string,
  /**
   * Default value in the module's unit, amounts in satoshis; a function if it depends on the release. Missing: the
   * value is undefined if the option is not given, a list is empty.
   */
  otherwise?: Scalar | ((compat: Compat) => Scalar),
  details?: RowDetails,
];

/** `undefined` if the option has no default, otherwise `never`. */
type Missing<Row extends OptionRow> = Row extends readonly [unknown, unknown, unknown, infer Default, ...unknown[]]
  ? Extract<Default, undefined>
  : undefined;

type Value<Row extends OptionRow> = Row[1] extends 'list' ? Types['list'] : Types[Row[1]] | Missing<Row>;

/** Values of the rows of a module, by name. */
export type RowValues<Rows extends Record<string, OptionRow>> = { readonly [Name in keyof Rows]: Value<Rows[Name]> };

const defaultOf = ([, , , otherwise]: OptionRow, compat: Compat): Scalar | undefined =>
  typeof otherwise === 'function' ? otherwise(compat) : otherwise;

function readRow(args: GivenOptions, row: OptionRow, compat: Compat): Scalar | readonly string[] | undefined {
  const [flag, type, , , { unit = 1, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = {}] = row;
  const otherwise = defaultOf(row, compat);
  if (type === 'list') return args.list(flag);
  if (type === 'string') return args.text(flag) ?? otherwise;
  if (type === 'filled') return args.text(flag) || otherwise;
  if (type === 'port') return args.port(flag) ?? otherwise;
  if (otherwise === undefined && !args.isSet(flag)) return undefined;
  if (type === 'bool') return args.bool(flag, otherwise as boolean);
  if (type === 'bytes' && follows(compat, 23)) return args.bytes(flag, otherwise as number);
  if (type === 'amount') return least === -1 && args.text(flag) === '-1' ? -1 : args.amount(flag, otherwise as number);
  const inUnits = (otherwise as number) / unit;
  return (type === 'whole' ? args.strictInt(flag, inUnits, least, most) : Math.max(least, Math.min(most, args.int(flag, inUnits)))) * unit;
}

/** Reads the options of a module. @returns values by the names of the rows @throws ConfigError */
export function readRows<Rows extends Record<string, OptionRow>>(args: GivenOptions, rows: Rows, compat: Compat): RowValues<Rows> {
  const values = Object.entries(rows).map(([name, row]) => [name, readRow(args, row, compat)]);
  return Object.fromEntries(values) as RowValues<Rows>;
}

/** Returns the default as an operator would write it; undefined if the row has none. */
export function defaultText(row: OptionRow, compat: Compat): string | undefined {
  const value = defaultOf(row, compat);
  if (value === undefined) return undefined;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value !== 'number') return String(value);
  if (row[1] !== 'amount') return String(value / (row[4]?.unit ?? 1));
  let digits = (value / 1e8).toFixed(8);
  while (digits.endsWith('0')) digits = digits.slice(0, -1);
  return digits.endsWith('.') ? digits.slice(0, -1) : digits;
}

/** Returns the help text of an option; undefined if it is not in the help. */
export function helpOf(row: OptionRow): string | undefined {
  const [, , help, otherwise] = row;
  if (!help || otherwise === undefined || otherwise === '') return help || undefined;
  const text = help.includes('{') ? help : `${help} (default: {default})`;
  const shown = (compat: Compat): string => defaultText(row, compat) ?? '';
  return text.replaceAll('{default}', shown(COMPATS.default)).replaceAll('{0.21.1}', shown(COMPATS['0.21.1']));
}
