// Options as the rooms declare them: a row of flag, type, default, unit and help stands beside what the room makes of
// it. Here rows are read from what the operator gave, and put into words for the help.

import { COMPATS, type Compat } from '../policy/compat.js';

type Scalar = boolean | number | string;

/** What the operator gave; see args.ts, which needs the table of flags itself. */
interface GivenOptions {
  bool(name: string, otherwise: boolean): boolean;
  int(name: string, otherwise: number): number;
  amount(name: string, otherwise: number): number;
  text(name: string): string | undefined;
}

/** One option of a room. */
export interface OptionRow {
  readonly flag: string;
  readonly type: 'bool' | 'int' | 'string' | 'amount';
  /** In the room's unit, amounts in satoshis; a function where the version that is followed decides. */
  readonly default: Scalar | ((compat: Compat) => Scalar);
  /** How many of the room's units one of the operator's is: 1000 for kvB where the room counts vbytes; absent: 1. */
  readonly unit?: number;
  /** Lower values count as this one; in the operator's unit. */
  readonly least?: number;
  /**
   * `{default}` stands for the default, `{0.21.1}` for that with -compat=0.21.1, both in the operator's unit. Absent: not
   * in the help.
   */
  readonly help?: string;
}

/** What a row becomes. */
type Value<Row extends OptionRow> = Row['type'] extends 'bool' ? boolean : Row['type'] extends 'string' ? string : number;

const defaultOf = (row: OptionRow, compat: Compat): Scalar => (typeof row.default === 'function' ? row.default(compat) : row.default);

function readRow(args: GivenOptions, row: OptionRow, compat: Compat): Scalar {
  const { flag, type, unit = 1, least = Number.NEGATIVE_INFINITY } = row;
  const otherwise = defaultOf(row, compat);
  if (type === 'bool') return args.bool(flag, otherwise as boolean);
  if (type === 'string') return args.text(flag) ?? otherwise;
  if (type === 'amount') return args.amount(flag, otherwise as number);
  return Math.max(least, args.int(flag, (otherwise as number) / unit)) * unit;
}

/** Reads the options of a room, by the names of its rows. @throws ConfigError */
export function readRows<Rows extends Record<string, OptionRow>>(
  args: GivenOptions,
  rows: Rows,
  compat: Compat,
): { readonly [Name in keyof Rows]: Value<Rows[Name]> } {
  const values = Object.entries(rows).map(([name, row]) => [name, readRow(args, row, compat)]);
  return Object.fromEntries(values) as { [Name in keyof Rows]: Value<Rows[Name]> };
}

/** A default as an operator would give it. */
function shown(row: OptionRow, compat: Compat): string {
  const value = defaultOf(row, compat);
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'string') return value;
  if (row.type !== 'amount') return String(value / (row.unit ?? 1));
  let digits = (value / 1e8).toFixed(8);
  while (digits.endsWith('0')) digits = digits.slice(0, -1);
  return digits.endsWith('.') ? digits.slice(0, -1) : digits;
}

/** A row for the table of flags. */
export function flagOf(row: OptionRow): readonly [name: string, kind: OptionRow['type'], help?: string] {
  if (row.help === undefined) return [row.flag, row.type];
  const help = row.help.replaceAll('{default}', shown(row, COMPATS.default)).replaceAll('{0.21.1}', shown(row, COMPATS['0.21.1']));
  return [row.flag, row.type, help];
}
