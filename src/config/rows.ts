// Options as the rooms declare them: a row of flag, type, help and default stands beside what the room makes of it. Here
// rows are read from what the operator gave, and put into words for the help.

import { COMPATS, type Compat, follows } from '../policy/compat.js';

type Scalar = boolean | number | string;

/** What the operator gave; see args.ts, which needs the table of flags itself. */
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

/** What each type of row becomes. */
interface Types {
  readonly bool: boolean;
  readonly int: number;
  /** Size in bytes: MiB, or a number followed by k, m, g, t (powers of 1000) or K, M, G, T (powers of 1024). */
  readonly bytes: number;
  /** A number that must be one, between `least` and `most`. */
  readonly whole: number;
  readonly port: number;
  readonly string: string;
  /** A text that counts as not given when it is empty. */
  readonly filled: string;
  /** In BTC as given, in satoshis as read; `least: -1` admits -1, which is no amount. */
  readonly amount: number;
  readonly list: readonly string[];
}

interface RowDetails {
  /** How many of the room's units one of the operator's is: 1000 for kvB where the room counts vbytes; absent: 1. */
  readonly unit?: number;
  /** Lower values count as this one, higher ones as `most`; in the operator's unit. */
  readonly least?: number;
  readonly most?: number;
}

/** One option of a room. */
export type OptionRow = readonly [
  flag: string,
  type: keyof Types,
  /**
   * ` (default: ...)` is added where there is a default and the text has no braces: `{default}` stands for the default,
   * `{0.21.1}` for that with -compat=0.21.1, both in the operator's unit. Absent or empty: not in the help.
   */
  help?: string,
  /**
   * In the room's unit, amounts in satoshis; a function where the version that is followed decides. Absent: what is not
   * given is undefined, a list empty.
   */
  otherwise?: Scalar | ((compat: Compat) => Scalar),
  details?: RowDetails,
];

/** What is read when the option is not given, as far as it is nothing. */
type Missing<Row extends OptionRow> = Row extends readonly [unknown, unknown, unknown, infer Default, ...unknown[]]
  ? Extract<Default, undefined>
  : undefined;

type Value<Row extends OptionRow> = Row[1] extends 'list' ? Types['list'] : Types[Row[1]] | Missing<Row>;

/** What the rows of a room become, by their names. */
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

/** Reads the options of a room, by the names of its rows. @throws ConfigError */
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

/** What the help says of an option. */
export function helpOf(row: OptionRow): string | undefined {
  const [, , help, otherwise] = row;
  if (!help || otherwise === undefined || otherwise === '') return help || undefined;
  const text = help.includes('{') ? help : `${help} (default: {default})`;
  const shown = (compat: Compat): string => defaultText(row, compat) ?? '';
  return text.replaceAll('{default}', shown(COMPATS.default)).replaceAll('{0.21.1}', shown(COMPATS['0.21.1']));
}
