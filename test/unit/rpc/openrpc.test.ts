// Compares the OpenRPC document with the declarations it is made from, and with replies of the node: every method,
// argument, example and result.
import t from 'tap';
import { convertArguments } from '../../../src/cli/arguments.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { METHODS } from '../../../src/rpc/declare/methods.js';
import { renderHelp } from '../../../src/rpc/help.js';
import { openRpcDocument } from '../../../src/rpc/openrpc.js';
import { parseJson } from '../../../src/rpc/wire/json-parse.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import { type Schema, schemaFaults } from '../../framework/schema-faults.js';
import { OPENRPC_META } from './openrpc-meta.js';

const document = openRpcDocument(METHODS.values(), COMPATS['0.21.1']);
/**
 * Methods without a declared result: echo returns its arguments, generate no longer exists, and JSON Schema describes
 * the schemas of the document.
 */
const OPEN_RESULTS: readonly string[] = ['echo', 'echojson', 'generate', 'getopenrpcinfo', 'rpc.discover'];

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const faults = (schema: Schema, value: unknown): string[] => schemaFaults(schema, value);

/** Replaces placeholders in examples, such as "txid", by an empty text. */
function filledIn(value: unknown): unknown {
  if (typeof value === 'string')
    return /^(my\w*|txid|blockhash|hexstring|hexdata|hex|proof|signedhex|parenthex|childhex|id)$/.test(value) ? '' : value;
  if (Array.isArray(value)) return value.map(filledIn);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filledIn(one)]));
  return value;
}

t.test('the schema validator of this test rejects values that do not match', async (t) => {
  t.same(faults({ type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }, { a: 1 }), []);
  t.equal(faults({ type: 'object', required: ['a'] }, {}).length, 1);
  t.equal(faults({ type: 'array', items: { type: 'string', pattern: '^x$' } }, ['x', 'y']).length, 1);
  t.equal(faults({ anyOf: [{ type: 'null' }, { type: 'string' }] }, 1).length, 1);
  t.equal(faults({ type: 'object', patternProperties: { '^x-': {} }, additionalProperties: false }, { 'x-a': 1, b: 2 }).length, 1);
  t.equal(faults({ enum: ['a'] }, 'b').length, 1);
  for (const [strict, count] of [
    [true, 2],
    [false, 0],
  ] as const) {
    t.equal(schemaFaults({ type: 'object', properties: { a: { type: 'array', items: [] } } }, { a: [1], b: 2 }, strict).length, count);
  }
});

t.test('the document is valid by the OpenRPC specification', async (t) => {
  t.same(faults(OPENRPC_META, document), []);
  const mutated = (change: (copy: typeof document) => unknown): number => {
    const copy = structuredClone(document);
    change(copy);
    return faults(OPENRPC_META, copy).length;
  };
  t.ok(mutated((copy) => Object.assign(copy.methods[3]!, { paramStructure: 'any' })) > 0);
  t.ok(mutated((copy) => Object.assign(copy.methods[3]!, { aliases: [] })) > 0, 'an unknown field');
  t.ok(mutated((copy) => Object.assign(copy.methods[3]!.result, { schema: { type: 'text' } })) > 0);
  t.ok(mutated((copy) => Reflect.deleteProperty(copy.info, 'version')) > 0);
});

t.test('the document declares every result except the listed ones', async (t) => {
  /** Returns the places at which a schema allows any value. */
  const open = (schema: Schema, at: string): string[] => {
    if (schema.anyOf) return schema.anyOf.flatMap((one, i) => open(one, `${at}|${i}`));
    if (schema.type === undefined) return [at];
    const types = [schema.type].flat();
    const out: string[] = [];
    if (types.includes('array')) {
      const { items } = schema;
      if (items === undefined) out.push(`${at}[]`);
      else out.push(...[items].flat().flatMap((one, i) => open(one as Schema, `${at}[${i}]`)));
    }
    if (types.includes('object')) {
      const { properties, additionalProperties: others } = schema;
      if (properties === undefined && (others === undefined || others === true)) out.push(`${at}{}`);
      if (typeof others === 'object') out.push(...open(others, `${at}.*`));
      for (const [key, one] of Object.entries(properties ?? {})) out.push(...open(one, `${at}.${key}`));
    }
    return out;
  };
  t.same(
    document.methods.filter(({ name, result }) => open(result.schema, name).length > 0).map(({ name }) => name),
    OPEN_RESULTS,
  );
});

t.test('the document lists every method and argument of the declarations', async (t) => {
  t.same(
    document.methods.map(({ name }) => name),
    [...METHODS.keys()].sort(),
  );
  for (const method of document.methods) {
    const spec = METHODS.get(method.name)!;
    t.equal(method.description, renderHelp(spec));
    const names = method.params.flatMap((param) => [[param.name, ...(param['x-aliases'] ?? [])].join('|')]);
    t.same(
      names,
      spec.args.filter(({ hidden }) => !hidden).map(({ name }) => name),
      method.name,
    );
    const firstOptional = method.params.findIndex(({ required }) => !required);
    t.ok(
      firstOptional < 0 || method.params.slice(firstOptional).every(({ required }) => !required),
      `${method.name}: required arguments come first`,
    );
    for (const param of method.params) {
      t.ok(param.required || faults(param.schema, null).length === 0, `${method.name} ${param.name}: null stands for nothing`);
      t.notSame(param.schema, {}, `${method.name} ${param.name} has a type`);
    }
  }
});

t.test('the arguments of every example match the schemas', async (t) => {
  let seen = 0;
  for (const method of document.methods) {
    const spec = METHODS.get(method.name)!;
    const required = method.params.filter((param) => param.required).length;
    for (const { params } of method.examples) {
      seen++;
      t.ok(params.length >= required && params.length <= method.params.length, `${method.name}: ${params.length} arguments`);
      params.forEach(({ name, value }, i) => {
        t.equal(name, method.params[i]?.name);
        t.same(faults(method.params[i]!.schema, filledIn(value)), [], `${method.name} ${name}`);
      });
    }
    // The command line's examples, converted as adit-cli does, must match the same schemas.
    for (const { cli, method: called = method.name } of spec.examples) {
      if (cli === undefined || cli.includes('...')) continue;
      const { params } = document.methods.find(({ name }) => name === called)!;
      const words = shellWords(cli);
      const converted = JSON.parse(encodeJson(convertArguments(METHODS.get(called), words, false))) as unknown[];
      t.ok(words.length >= params.filter((one) => one.required).length, `${method.name} ${cli}`);
      converted.forEach((value, i) => {
        t.same(faults(params[i]!.schema, filledIn(value)), [], `${method.name} ${cli}`);
      });
    }
  }
  t.ok(seen >= 55, `${seen} examples`);
});

/** Splits a line into words as a shell does: blanks, quotes of both kinds, backslashes in double quotes. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(
      /'([^']*)'|"((?:\\.|[^"\\])*)"/g,
      (_all, single?: string, double?: string) => single ?? double!.replace(/\\(["\\])/g, '$1'),
    ),
  );
}

t.test('describes an argument that may be an object or a string', async (t) => {
  const work = document.methods.find(({ name }) => name === 'submitblock')!.params[1]!.schema;
  for (const value of [null, 'text', {}, { workid: '7' }]) t.same(faults(work, value), []);
  t.equal(faults(work, { workid: 7 }).length, 1, 'members of the object are described');
});

t.test('the document matches its own schema of rpc.discover', async (t) => {
  const own = document.methods.find(({ name }) => name === 'rpc.discover')!;
  t.same(faults(own.result.schema, document), []);
  t.ok(parseJson(new TextEncoder().encode(JSON.stringify(document))), 'it is JSON of the strict kind');
});
