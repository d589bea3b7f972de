// Builds the OpenRPC document (spec.open-rpc.org, 1.3.2) of the methods from their declarations. Schemas are JSON
// Schema draft 7. Null means a missing argument, so optional arguments accept it.
import type { Compat } from '../policy/compat.js';
import { isOptional } from './declare/arg-types.js';
import type { ArgSpec, Example, MethodSpec, ResultSpec } from './declare/types.js';
import { renderHelp } from './help.js';
import { firstName } from './params.js';

/** The parts of JSON Schema that are used here. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly Schema[];
  readonly default?: unknown;
}

/** An argument of a method. */
export interface ContentDescriptor {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly schema: Schema;
  /** Other accepted names. */
  readonly 'x-aliases'?: readonly string[];
}

export interface MethodObject {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly { readonly name: string }[];
  readonly paramStructure: 'either';
  readonly params: readonly ContentDescriptor[];
  readonly result: { readonly name: string; readonly schema: Schema };
  readonly examples: readonly { name: string; params: readonly { name: string; value: unknown }[] }[];
}

export interface OpenRpcDocument {
  readonly openrpc: '1.3.2';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly methods: readonly MethodObject[];
}

const hex: Schema = { type: 'string', pattern: '^([0-9a-fA-F]{2})*$' };
const oneOf = (choices: readonly Schema[]): Schema => (choices.length === 1 ? choices[0]! : { anyOf: choices });

/** Schema of the elements of a list: any of its inner types. */
const itemsOf = (inner: readonly Schema[]): { items?: Schema } => (inner.length === 0 ? {} : { items: oneOf(inner) });

function argSchema(arg: ArgSpec): Schema {
  const inner = arg.inner ?? [];
  const object = (): Schema => ({
    type: 'object',
    properties: Object.fromEntries(inner.map((one) => [firstName(one), argSchema(one)])),
    required: inner.filter((one) => !isOptional(one)).map(firstName),
  });
  // The words for the type are more precise than the type, for example for a hash or a height.
  if (arg.typeWords?.includes(' or ') || arg.typeWords?.includes(' / ')) {
    const choices: Schema[] = [];
    if (arg.typeWords.includes('string')) choices.push({ type: 'string' });
    if (arg.typeWords.includes('numeric')) choices.push({ type: 'number' });
    if (arg.typeWords.includes('boolean') || arg.type === 'bool') choices.push({ type: 'boolean' });
    if (arg.typeWords.includes('array')) choices.push({ type: 'array', ...itemsOf(inner.map(argSchema)) });
    if (/object|json$/.test(arg.typeWords)) choices.push(inner.length > 0 && arg.type === 'obj' ? object() : { type: 'object' });
    return { anyOf: choices };
  }
  switch (arg.type) {
    case 'str':
      return { type: 'string' };
    case 'hex':
      return hex;
    case 'num':
      return { type: 'number' };
    case 'bool':
      return { type: 'boolean' };
    case 'amount':
      return { type: ['number', 'string'] };
    case 'range':
      return { anyOf: [{ type: 'number' }, { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 }] };
    case 'arr':
      return { type: 'array', ...itemsOf(inner.map(argSchema)) };
    case 'obj':
      return object();
    case 'obj-user-keys':
      return { type: 'object', additionalProperties: inner.length === 0 ? true : oneOf(inner.map(argSchema)) };
  }
}

function resultSchema(result: ResultSpec): Schema {
  const inner = (result.inner ?? []).flatMap((one) => (one.type === 'elision' ? (one.of ?? []) : [one]));
  const described = result.help ? { description: result.help } : {};
  switch (result.type) {
    case 'str':
      return { type: 'string', ...described };
    case 'hex':
      return { ...hex, ...described };
    case 'num':
    case 'num-time':
    case 'amount':
      return { type: 'number', ...described };
    case 'bool':
      return { type: 'boolean', ...described };
    case 'none':
      return { type: 'null', ...described };
    case 'arr':
      return { type: 'array', ...itemsOf(inner.map(resultSchema)), ...described };
    case 'arr-fixed':
      return { type: 'array', items: inner.map(resultSchema), ...described };
    case 'obj-dyn':
      return { type: 'object', additionalProperties: inner.length === 0 ? true : oneOf(inner.map(resultSchema)), ...described };
    case 'obj': {
      const keyed = inner.filter(({ name }) => name !== '');
      const required = [...new Set(keyed.filter(({ optional }) => !optional).map(({ name }) => name))];
      return {
        type: result.orFalse ? ['object', 'boolean'] : 'object',
        properties: Object.fromEntries(keyed.map((one) => [one.name, resultSchema(one)])),
        ...(required.length === 0 ? {} : { required }),
        ...described,
      };
    }
    case 'elision':
      return { ...described };
  }
}

const isText = (schema: Schema): boolean =>
  schema.anyOf ? schema.anyOf.some(isText) : Array.isArray(schema.type) ? schema.type.includes('string') : schema.type === 'string';

/**
 * Returns the arguments of an example. Some of Core's examples give lists and objects as text; the document has the
 * values.
 */
function exampleParams(spec: MethodSpec, example: Example): unknown[] {
  const inside = (example.rpc ?? '').trim();
  // Some of Core's pages omit the quotes around a single word.
  const bare = /^[a-z]\w*$/.test(inside) && !['true', 'false', 'null'].includes(inside);
  const values = bare ? [inside] : (JSON.parse(`[${inside}]`) as unknown[]);
  return values.map((value, i) => {
    const arg = spec.args[i];
    if (typeof value !== 'string' || arg === undefined || isText(argSchema(arg))) return value;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      return value;
    }
  });
}

function methodObject(spec: MethodSpec): MethodObject {
  // Arguments before a required one must be present too, possibly as null.
  const lastRequired = spec.args.findLastIndex((arg) => !isOptional(arg));
  const params = spec.args
    .filter((arg) => !arg.hidden)
    .map((arg, i): ContentDescriptor => {
      const [name, ...aliases] = arg.name.split('|') as [string, ...string[]];
      const schema = argSchema(arg);
      return {
        name,
        description: arg.help,
        required: i <= lastRequired,
        schema: isOptional(arg)
          ? { anyOf: [schema, { type: 'null' }], ...(arg.default === undefined ? {} : { description: `default: ${arg.default}` }) }
          : schema,
        ...(aliases.length === 0 ? {} : { 'x-aliases': aliases }),
      };
    });
  return {
    name: spec.name,
    summary: spec.description.split('\n')[0]!,
    description: renderHelp(spec),
    tags: [{ name: spec.category }],
    paramStructure: 'either',
    params,
    result: { name: 'result', schema: spec.results.length === 0 ? {} : oneOf(spec.results.map(resultSchema)) },
    examples: spec.examples
      // Examples with an ellipsis are not valid requests.
      .filter(({ rpc, cli, method }) => method === undefined && (rpc !== undefined || (cli ?? '') === '') && !rpc?.includes('...'))
      .map((example, i) => ({
        name: example.title ?? `${spec.name} ${i + 1}`,
        params: exampleParams(spec, example).map((value, n) => ({ name: params[n]?.name ?? String(n), value })),
      })),
  };
}

/** Returns the document of some methods, ordered by name. */
export function openRpcDocument(methods: Iterable<MethodSpec>, { name }: Compat): OpenRpcDocument {
  const version = name === 'default' ? '31' : name;
  return {
    openrpc: '1.3.2',
    info: { title: 'adit JSON-RPC', version, description: `Bitcoin Core ${version}'s calls as adit answers them.` },
    methods: [...methods].sort((a, b) => (a.name < b.name ? -1 : 1)).map(methodObject),
  };
}
