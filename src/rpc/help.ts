// Renders help pages in the layout of Core 0.21 from the declarations: first line, description, arguments, results, and
// examples. Also renders the list of methods that `help` without an argument prints. A call with a wrong number of
// arguments is answered with its page.
import { follows, namesAdit } from '../policy/compat.js';
import { isOptional } from './declare/arg-types.js';
import type { ArgSpec, MethodSpec, ResultSpec } from './declare/types.js';
import type { VersionedMethod } from './declare/versions.js';
import { firstName } from './params.js';

/** A line with two columns. The right one is empty for brackets. */
type Row = readonly [left: string, right: string];

/** A declaration, adapted to a release or not. */
type HelpSpec = MethodSpec & Partial<Pick<VersionedMethod, 'compat'>>;

const GAP = 4;

/** Aligns the right column behind the longest left column of the rows. */
function align(rows: readonly Row[], width = Math.max(0, ...rows.map(([left]) => left.length)) + GAP): string {
  return rows
    .map(([left, right]) => {
      if (right === '') return `${left}\n`;
      const lines = right.split('\n');
      return `${left.padEnd(width)}${lines.map((line, i) => (i ? ' '.repeat(width) + line.trimStart() : line)).join('\n')}\n`;
    })
    .join('');
}

/**
 * Returns the short form of an argument as JSON, such as `"txid"` or `{"txid":"hex","vout":n}`.
 * @param named with its name as key
 */
function shortForm(arg: ArgSpec, named: boolean): string {
  const name = firstName(arg);
  const key = named ? `"${name}":` : '';
  if (arg.shortForm !== undefined) return key + arg.shortForm;
  switch (arg.type) {
    case 'str':
      return named ? `${key}"str"` : `"${name}"`;
    case 'hex':
      return named ? `${key}"hex"` : `"${name}"`;
    case 'num':
      return named ? `${key}n` : name;
    case 'range':
      return named ? `${key}n or [n,n]` : name;
    case 'amount':
      return named ? `${key}amount` : name;
    case 'bool':
      return named ? `${key}bool` : name;
    case 'arr':
      return `${key}[${(arg.inner ?? []).map((inner) => `${innerShortForm(inner)},`).join('')}...]`;
    case 'obj':
      return `${key}{${(arg.inner ?? []).map((inner) => shortForm(inner, true)).join(',')}}`;
    case 'obj-user-keys':
      return `${key}{${(arg.inner ?? []).map((inner) => shortForm(inner, true)).join(',')},...}`;
  }
}

const innerShortForm = (arg: ArgSpec): string =>
  arg.type === 'num' || arg.type === 'bool' || arg.type === 'amount' ? firstName(arg) : shortForm(arg, false);

function firstLine(spec: MethodSpec): string {
  let line = spec.name;
  let open = false;
  for (const arg of spec.args) {
    if (arg.hidden) break;
    const optional = isOptional(arg);
    if (optional && !open) line += ' (';
    if (!optional && open) line += ' )';
    open = optional;
    line += ` ${arg.oneline ?? shortForm(arg, false)}`;
  }
  return open ? `${line} )` : line;
}

const TYPE_WORDS = {
  str: 'string',
  hex: 'string',
  num: 'numeric',
  range: 'numeric or array',
  amount: 'numeric or string',
  bool: 'boolean',
  obj: 'json object',
  'obj-user-keys': 'json object',
  arr: 'json array',
} as const;

function about(arg: ArgSpec): string {
  const type = arg.typeWords ?? TYPE_WORDS[arg.type];
  // An object in a list has no name and is neither required nor optional.
  if (arg.name === '') return `(${type})${arg.help ? ` ${arg.help}` : ''}`;
  const need = arg.default !== undefined ? `optional, default=${arg.default}` : arg.optional ? 'optional' : 'required';
  return `(${type}, ${need})${arg.help ? ` ${arg.help}` : ''}`;
}

/**
 * Returns the rows of an argument. Nested arguments open a bracket and are indented.
 * @param left text before its value
 */
function argRows(arg: ArgSpec, left: string, indent: number): Row[] {
  const inner = arg.inner ?? [];
  const pad = ' '.repeat(indent);
  if (inner.length === 0) return [[pad + left, about(arg)]];
  const list = arg.type === 'arr';
  const deeper = indent === 0 ? 7 : indent + 2;
  const edge = ' '.repeat(deeper - 2);
  const rows: Row[] = [];
  if (indent === 0) rows.push([left, about(arg)], [`${edge}${list ? '[' : '{'}`, '']);
  else rows.push([`${pad}${left}${list ? '[' : '{'}`, about(arg)]);
  for (const one of inner) {
    if (one.inner?.length) rows.push(...argRows(one, list ? '' : `"${firstName(one)}": `, deeper));
    else rows.push([`${' '.repeat(deeper)}${list ? innerShortForm(one) : shortForm(one, true).replace(':', ': ')},`, about(one)]);
  }
  if (arg.type !== 'obj') rows.push([`${' '.repeat(deeper)}...`, '']);
  rows.push([`${edge}${list ? ']' : '}'}${indent ? ',' : ''}`, '']);
  return rows;
}

function argumentsPart(spec: MethodSpec): string {
  const rows: Row[] = [];
  for (const [i, arg] of spec.args.entries()) {
    if (arg.hidden) break;
    rows.push(...argRows(arg, `${i + 1}. ${firstName(arg)}`, 0));
  }
  return rows.length ? `\nArguments:\n${align(rows)}` : '';
}

const RESULT_FORMS: Partial<Record<ResultSpec['type'], readonly [string, string]>> = {
  str: ['"str"', 'string'],
  hex: ['"hex"', 'string'],
  num: ['n', 'numeric'],
  'num-time': ['xxx', 'numeric'],
  amount: ['n', 'numeric'],
  bool: ['true|false', 'boolean'],
  none: ['null', 'json null'],
};

function resultRows(result: ResultSpec, indent: number, last: boolean): Row[] {
  const pad = ' '.repeat(indent);
  const key = result.name === '' ? '' : `"${result.name}" : `;
  const comma = last ? '' : ',';
  const words = (type: string) => `(${type}${result.optional ? ', optional' : ''})${result.help ? ` ${result.help}` : ''}`;
  if (result.type === 'elision') return [[`${pad}...${comma}`, result.help]];
  const plain = RESULT_FORMS[result.type];
  if (plain) return [[`${pad}${key}${plain[0]}${comma}`, words(plain[1])]];
  const array = result.type === 'arr' || result.type === 'arr-fixed';
  const inner = result.inner ?? [];
  const open = result.type === 'arr' || result.type === 'obj-dyn';
  const rows: Row[] = [[`${pad}${key}${array ? '[' : '{'}`, words(array ? 'json array' : 'json object')]];
  for (const [i, one] of inner.entries()) rows.push(...resultRows(one, indent + 2, !open && i === inner.length - 1));
  if (open && inner.length) rows.push([`${pad}  ...`, '']);
  rows.push([`${pad}${array ? ']' : '}'}${comma}`, '']);
  return rows;
}

function resultsPart(spec: MethodSpec): string {
  return spec.results.map((result) => `\nResult${result.when ? ` (${result.when})` : ''}:\n${align(resultRows(result, 0, true))}`).join('');
}

/** Returns an example command line. @param client name of the command */
const cliExample = (client: string, method: string, args: string): string => `> ${client} ${method}${args ? ` ${args}` : ' '}\n`;

/** Returns an example command line for curl. The port is always that of the main chain, as in Core. */
const curlExample = (method: string, args: string): string =>
  `> curl --user myusername --data-binary '{"jsonrpc": "1.0", "id": "curltest", "method": "${method}", "params": [${args}]}' -H 'content-type: text/plain;' http://127.0.0.1:8332/\n`;

function examplesPart(spec: HelpSpec): string {
  if (spec.examples.length === 0) return '';
  const client = spec.compat && namesAdit(spec.compat) ? 'adit-cli' : 'bitcoin-cli';
  const lines = spec.examples.map(({ cli, rpc, title, method = spec.name }) => {
    const head = title === undefined ? '' : `\n${title}\n`;
    return head + (cli === undefined ? '' : cliExample(client, method, cli)) + (rpc === undefined ? '' : curlExample(method, rpc));
  });
  return `\nExamples:\n${lines.join('')}`;
}

/** Returns the help page of a method. */
export function renderHelp(spec: HelpSpec): string {
  if (spec.bare && !(spec.compat && follows(spec.compat, 22))) return `${firstLine(spec)}\n${spec.description}`;
  return `${firstLine(spec)}\n\n${spec.description}\n${argumentsPart(spec)}${resultsPart(spec)}${examplesPart(spec)}`;
}

/** Returns the first lines of all methods that are not hidden, by category and name. */
export function renderOverview(methods: Iterable<MethodSpec>): string {
  const shown = [...methods].filter(({ category }) => category !== 'hidden');
  shown.sort((a, b) => (a.category === b.category ? (a.name < b.name ? -1 : 1) : a.category < b.category ? -1 : 1));
  let text = '';
  let category = '';
  for (const spec of shown) {
    if (spec.category !== category) {
      text += `${category ? '\n' : ''}== ${spec.category[0]!.toUpperCase()}${spec.category.slice(1)} ==\n`;
      category = spec.category;
    }
    text += `${firstLine(spec)}\n`;
  }
  return text.slice(0, -1);
}
