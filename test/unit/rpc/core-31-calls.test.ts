// Compares every method, argument and member of the calls of Core 31 (its rpc.discover) with the declarations, in
// default mode and with -compat=31. Missing ones are listed here with a reason.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { COMPATS, type Compat } from '../../../src/policy/compat.js';
import { methodsOf } from '../../../src/rpc/declare/methods.js';
import type { ArgSpec, ResultSpec } from '../../../src/rpc/declare/types.js';

/** Types by path: `options.version`, `[].fees.base`, `{}` for the values of an object with free keys. */
type Types = Readonly<Record<string, string>>;

interface CoreCall {
  readonly args: Types;
  readonly results: Types;
  /** The argument whose members may be given by name. */
  readonly named?: string;
}

const FILE = path.resolve(import.meta.dirname, '../../../../test/conformance-31/declared-calls.json');
const { methods: CORE } = JSON.parse(fs.readFileSync(FILE, 'utf8')) as { readonly methods: Readonly<Record<string, CoreCall>> };

const because = (reason: string, missing: readonly string[]): Record<string, string> =>
  Object.fromEntries(missing.map((one) => [one, reason]));

const OPENRPC_EXTENSIONS: readonly string[] = [
  'methods[].params[].x-bitcoin-aliases',
  'methods[].params[].x-bitcoin-aliases[]',
  'methods[].params[].x-bitcoin-placeholder',
  'methods[].params[].x-bitcoin-also-positional',
  'methods[].x-bitcoin-category',
];

/** Missing on purpose, in both modes: `method`, `method(argument)` or `method: member`, with the reason. */
const MISSING: Readonly<Record<string, string>> = {
  echoipc: "a test of Core's processes",
  ...because('the figures belong to the mempool estimator, which adit does not have', [
    'estimatesmartfee: mempool_health_statistics',
    'estimatesmartfee: mempool_health_statistics[]',
    'estimatesmartfee: mempool_health_statistics[].block_height',
    'estimatesmartfee: mempool_health_statistics[].block_weight',
    'estimatesmartfee: mempool_health_statistics[].mempool_txs_weight',
  ]),
  'generate: ': 'the call was replaced by -generate of the command line; it answers with an error',
  ...because('names of the elements of a list, which mean nothing', [
    'getblocktemplate(template_request.rules[].segwit)',
    'getblocktemplate(template_request.rules[].str)',
  ]),
  ...because("figures of Core's limit on announcements (-txsendrate), which there is not", [
    'getnetworkinfo: tx_send_rate',
    'getnetworkinfo: inv_buckets',
    'getnetworkinfo: inv_buckets{}',
    'getnetworkinfo: inv_buckets{}.backlog',
    'getnetworkinfo: inv_buckets{}.count_tok',
    'getnetworkinfo: inv_buckets{}.size_tok',
  ]),
  ...because("the OpenRPC document is of adit's own making: x-aliases, and tags for the category", [
    ...OPENRPC_EXTENSIONS.map((member) => `getopenrpcinfo: ${member}`),
  ]),
  ...because('Core declares it and shows it in `details` only', ['gettransaction: parent_descs', 'gettransaction: parent_descs[]']),
  ...because("the OpenRPC document is of adit's own making: x-aliases, and tags for the category", [
    ...OPENRPC_EXTENSIONS.map((member) => `rpc.discover: ${member}`),
  ]),
  sendmsgtopeer: 'a test of peers',
};

const ANY = 'string number boolean object array null'.split(' ');

function argTypes({ type, anyType, typeWords }: ArgSpec): readonly string[] {
  if (anyType || typeWords !== undefined) return ANY;
  switch (type) {
    case 'str':
    case 'hex':
      return ['string'];
    case 'num':
      return ['number'];
    case 'bool':
      return ['boolean'];
    case 'amount':
      return ['number', 'string'];
    case 'range':
      return ['number', 'array'];
    case 'arr':
      return ['array'];
    default:
      return ['object'];
  }
}

/** Yields arguments by path, with their names sorted. */
function* argPaths(args: readonly ArgSpec[], prefix: string): Generator<[string, readonly string[]]> {
  for (const arg of args) {
    const at = arg.name === '' ? prefix : `${prefix}${prefix === '' || prefix.endsWith('.') ? '' : '.'}${arg.name}`;
    // Each single name is accepted too.
    if (arg.name !== '') for (const name of new Set([at, ...at.split('|')])) yield [name, argTypes(arg)];
    yield* argPaths(arg.inner ?? [], arg.type === 'arr' ? `${at}[]` : at);
  }
}

const RESULT_TYPES: Readonly<Record<ResultSpec['type'], readonly string[]>> = {
  str: ['string'],
  hex: ['string'],
  num: ['number'],
  'num-time': ['number'],
  amount: ['number'],
  bool: ['boolean'],
  none: ['null'],
  obj: ['object'],
  'obj-dyn': ['object'],
  arr: ['array'],
  'arr-fixed': ['array'],
  elision: [],
};

/** Yields members of results by path. An ellipsis stands for the members that it leaves out. */
function* resultPaths(results: readonly ResultSpec[], prefix: string): Generator<[string, readonly string[]]> {
  for (const result of results) {
    if (result.type === 'elision') {
      yield* resultPaths(result.of ?? [], prefix);
      continue;
    }
    const at = result.name === '' || /[\]}]$/.test(result.name) ? prefix : prefix === '' ? result.name : `${prefix}.${result.name}`;
    yield [at, [...RESULT_TYPES[result.type], ...(result.orFalse ? ['boolean'] : [])]];
    const list = result.type === 'arr' || result.type === 'arr-fixed';
    const dynamic = result.type === 'obj-dyn';
    for (const inner of result.inner ?? []) {
      const below = list ? `${at}[]` : dynamic ? `${at}{}` : at;
      yield* resultPaths([list || dynamic ? { ...inner, name: '' } : inner], below);
    }
  }
}

function collected(paths: Iterable<[string, readonly string[]]>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [at, types] of paths) {
    const known = found.get(at) ?? new Set();
    for (const type of types) known.add(type);
    found.set(at, known);
  }
  return found;
}

/** Lists entries of Core that the declarations of a version lack. */
function missingIn(compat: Compat): string[] {
  const declared = methodsOf(true, compat);
  const missing: string[] = [];
  const compare = (core: Types, own: Map<string, Set<string>>, shown: (at: string) => string): void => {
    for (const [at, types] of Object.entries(core)) {
      const known = own.get(at);
      if (known === undefined) missing.push(shown(at));
      else if (types !== 'any') {
        const others = types.split('|').filter((type) => !known.has(type));
        if (others.length > 0) missing.push(`${shown(at)} as ${others.join(', ')}`);
      }
    }
  };
  for (const [name, { args, results, named }] of Object.entries(CORE)) {
    const spec = declared.get(name);
    if (spec === undefined) {
      missing.push(name);
      continue;
    }
    compare(args, collected(argPaths(spec.args, '')), (at) => `${name}(${at})`);
    compare(results, collected(resultPaths(spec.results, '')), (at) => `${name}: ${at}`);
    const isNamed = spec.args.some((arg) => arg.name === named && arg.namedMembers);
    if (named !== undefined && !isNamed) missing.push(`${name}(${named}) by the names of its members`);
  }
  return missing;
}

t.test('reads the 174 calls of Core 31 with their arguments and results', async (t) => {
  t.equal(Object.keys(CORE).length, 174);
  t.same(CORE.getblockhash, { args: { height: 'number' }, results: { '': 'string' } });
});

for (const name of ['default', '31'] as const) {
  t.test(`-compat=${name} declares every method, argument and member of Core 31 but those listed`, async (t) => {
    const missing = missingIn(COMPATS[name]);
    t.strictSame(
      missing.filter((one) => !(one in MISSING)),
      [],
    );
    t.strictSame(
      Object.keys(MISSING).filter((one) => /[:(]/.test(one) && !missing.includes(one)),
      [],
      'no member is listed that is there',
    );
  });
}

t.test('reports a call, an argument and a member without a declaration as missing', async (t) => {
  const old = missingIn(COMPATS['0.21.1']);
  for (const one of ['sendall', 'listunspent(query_options.include_immature_coinbase)', 'getblockheader: target'])
    t.ok(old.includes(one), one);
});
