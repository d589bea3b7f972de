// The OpenRPC document against what it is made from and against what the node says: every method, argument, example and result.
import t from 'tap';
import { convertArguments } from '../../../src/cli/arguments.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { METHODS } from '../../../src/rpc/declare/methods.js';
import { renderHelp } from '../../../src/rpc/help.js';
import { openRpcDocument, type Schema } from '../../../src/rpc/openrpc.js';
import { parseJson } from '../../../src/rpc/wire/json-parse.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';

const document = openRpcDocument(METHODS.values(), COMPATS['0.21.1']);

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/** What is wrong with a value, by a validator of its own; empty when nothing is. */
function faults(schema: Schema, value: unknown, at = '$'): string[] {
  if (schema.anyOf) {
    return schema.anyOf.some((one) => faults(one, value, at).length === 0) ? [] : [`${at}: fits no choice: ${JSON.stringify(value)}`];
  }
  const types = schema.type === undefined ? [] : typeof schema.type === 'string' ? [schema.type] : schema.type;
  if (types.length > 0 && !types.includes(typeOf(value))) return [`${at}: ${typeOf(value)} instead of ${types.join('|')}`];
  if (schema.pattern !== undefined && typeof value === 'string' && !new RegExp(schema.pattern).test(value)) return [`${at}: ${value}`];
  const out: string[] = [];
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0) || value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY)) out.push(`${at}: length`);
    value.forEach((one, i) => {
      const items = Array.isArray(schema.items) ? schema.items[i] : (schema.items as Schema | undefined);
      if (items) out.push(...faults(items, one, `${at}[${i}]`));
    });
  } else if (typeOf(value) === 'object') {
    for (const [key, one] of Object.entries(value as object)) {
      const member =
        schema.properties?.[key] ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
      if (member) out.push(...faults(member, one, `${at}.${key}`));
    }
    for (const key of schema.required ?? []) if (!Object.hasOwn(value as object, key)) out.push(`${at}: without ${key}`);
  }
  return out;
}

/** Examples name some values instead of giving them; the empty text stands for those. */
function filledIn(value: unknown): unknown {
  if (typeof value === 'string')
    return /^(my\w*|txid|blockhash|hexstring|hexdata|hex|proof|signedhex|parenthex|childhex|id)$/.test(value) ? '' : value;
  if (Array.isArray(value)) return value.map(filledIn);
  if (typeOf(value) === 'object') return Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, filledIn(one)]));
  return value;
}

t.test('the validator itself', async (t) => {
  t.same(faults({ type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }, { a: 1 }), []);
  t.equal(faults({ type: 'object', required: ['a'] }, {}).length, 1);
  t.equal(faults({ type: 'array', items: { type: 'string', pattern: '^x$' } }, ['x', 'y']).length, 1);
  t.equal(faults({ anyOf: [{ type: 'null' }, { type: 'string' }] }, 1).length, 1);
});

t.test('every method and argument', async (t) => {
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

t.test('every example', async (t) => {
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
    // The command line's examples, converted as adit-cli does, fit the same schemas.
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

/** Words as a shell splits them: blanks, quotes of both kinds, backslashes in double ones. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(
      /'([^']*)'|"((?:\\.|[^"\\])*)"/g,
      (_all, single?: string, double?: string) => single ?? double!.replace(/\\(["\\])/g, '$1'),
    ),
  );
}

t.test('an argument that is an object or a text', async (t) => {
  const work = document.methods.find(({ name }) => name === 'submitblock')!.params[1]!.schema;
  for (const value of [null, 'text', {}, { workid: '7' }]) t.same(faults(work, value), []);
  t.equal(faults(work, { workid: 7 }).length, 1, 'members of the object are described');
});

t.test('the document describes itself', async (t) => {
  const own = document.methods.find(({ name }) => name === 'rpc.discover')!;
  t.same(faults(own.result.schema, document), []);
  t.ok(parseJson(new TextEncoder().encode(JSON.stringify(document))), 'it is JSON of the strict kind');
});
