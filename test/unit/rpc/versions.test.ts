// Tests that replies and declarations follow the selected version: members declared since and until a release, and
// their order.
import t from 'tap';
import { COMPATS, type Compat, follows, shows } from '../../../src/policy/compat.js';
import { methodsOf } from '../../../src/rpc/declare/methods.js';
import { amount, arr, num, obj } from '../../../src/rpc/declare/parts.js';
import type { MethodSpec, ResultSpec } from '../../../src/rpc/declare/types.js';
import { objectShaper, versioned } from '../../../src/rpc/declare/versions.js';
import { renderHelp } from '../../../src/rpc/help.js';
import { toArguments } from '../../../src/rpc/params.js';
import { parseJson } from '../../../src/rpc/wire/json-parse.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import { Amount, type JsonObject, type JsonResult } from '../../../src/rpc/wire/values.js';

const old = COMPATS['0.21.1'];
const master = COMPATS['31'];

const spec: MethodSpec = {
  name: 'getthings',
  category: 'util',
  runs: 'front',
  description: 'Things.',
  args: [
    { name: 'first', type: 'num', default: '0', help: 'One' },
    { name: 'second', type: 'num', default: '0', help: 'Two', since: 25 },
    {
      name: 'options',
      type: 'obj',
      optional: true,
      help: '',
      inner: [{ name: 'late', type: 'bool', default: 'false', help: '', since: 24 }],
    },
  ],
  results: [
    arr([
      obj([
        num('moved', '', { until: 30 }),
        amount('fee', '', { until: 24 }),
        obj('fees', '', [amount('chunk', '', { since: 31 })]),
        num('moved', '', { since: 30 }),
      ]),
    ]),
  ],
  examples: [],
};
const reply = [{ moved: 1, fee: new Amount(5), fees: { chunk: new Amount(7) }, unheard: true }];

t.test('shows members by their first and last release, and both by default', async (t) => {
  t.equal(shows(old, { since: 22 }), false);
  t.equal(shows(old, { until: 22 }), true);
  t.equal(shows(master, { since: 32 }), true);
  t.equal(shows(master, { until: 32 }), false);
  t.equal(shows(COMPATS.default, { since: 32 }), true, 'by default both');
  t.equal(shows(COMPATS.default, { until: 22 }), true);
  t.equal(follows(old, 22), false);
  t.equal(follows(master, 28), true);
  t.equal(follows(COMPATS.default, 28), true, 'the newest of two meanings');
});

t.test('orders and selects the members of a reply by release', async (t) => {
  const shaped = (compat: typeof old): string => {
    const { shape } = versioned(spec, compat);
    return encodeJson(shape ? shape(reply) : reply);
  };
  t.equal(shaped(old), '[{"moved":1,"fee":0.00000005,"fees":{},"unheard":true}]');
  t.equal(shaped(master), '[{"fees":{"chunk":0.00000007},"moved":1,"unheard":true}]');
  t.equal(shaped(COMPATS.default), encodeJson(reply));
  t.equal(objectShaper([num('a', '')], old), null, 'nothing to do where nothing has a version');
});

t.test('accepts and rejects named and positional arguments as each release does', async (t) => {
  const given = (compat: typeof old, text: string): string => {
    const method = versioned({ ...spec, args: spec.args.map((arg) => (arg.inner ? { ...arg, namedMembers: true } : arg)) }, compat);
    try {
      return encodeJson(toArguments(method, parseJson(Buffer.from(text)) as JsonObject, () => 'page') as JsonResult);
    } catch (error) {
      return (error as Error).message;
    }
  };
  t.equal(given(old, '{"first":null,"options":null}'), '[null,null]', 'null is given');
  t.equal(given(old, '{"late":true}'), 'Unknown named parameter late');
  t.equal(given(old, '{"first":1,"first":2}'), '[2]', 'the last one counts');
  t.equal(given(old, '["text"]'), '["text"]', 'the method checks types itself');
  t.equal(given(master, '{"late":true}'), '[null,null,{"late":true}]');
  t.equal(given(master, '{"late":true,"options":{}}'), 'Parameter options conflicts with parameter late');
  t.equal(given(master, '{"first":1,"first":2}'), 'Parameter first specified multiple times');
  t.equal(given(master, '{"args":[7],"second":2}'), '[7,2]');
  t.equal(given(master, '{"args":[7],"first":2}'), 'Parameter first specified twice both as positional and named argument');
  const faults = ['Position 1 (first)": "JSON value of type string', 'Position 2 (second)": "JSON value of type bool'];
  t.equal(
    given(master, '["x",true]'),
    `Wrong type passed:\n{\n${faults.map((one) => `    "${one} is not of expected type number"`).join(',\n')}\n}`,
  );
  t.equal(given(master, '[null,2]'), '[null,2]');
});

t.test('renders help with the arguments and the client name of each release', async (t) => {
  t.equal(renderHelp(versioned(spec, old)).split('\n')[0], 'getthings ( first {} )');
  t.equal(renderHelp(versioned(spec, master)).split('\n')[0], 'getthings ( first second {"late":bool} )');
  t.notMatch(renderHelp(versioned(spec, old)), /chunk/);
  const example = (compat: Compat): string =>
    renderHelp(versioned({ ...spec, examples: [{ cli: '1' }] }, compat))
      .split('\n')
      .at(-2)!;
  t.equal(example(old), '> bitcoin-cli getthings 1');
  t.equal(example(master), '> bitcoin-cli getthings 1');
  t.equal(example(COMPATS.default), '> adit-cli getthings 1');
});

/** Yields every member of some results by its path, with its type. */
function* membersOf(results: readonly ResultSpec[], path: string): Generator<[path: string, type: string]> {
  for (const { name: key, type, inner = [], of = [] } of results) {
    const at = `${path}/${key}`;
    yield [at, type];
    yield* membersOf([...inner, ...of], at);
  }
}

t.test('default mode keeps every member of 0.21.1, with its type, in the replies that pools use', async (t) => {
  const six = ['getaddressinfo', 'signrawtransactionwithwallet', 'importmulti', 'getblocktemplate', 'gettransaction', 'listsinceblock'];
  for (const name of six) {
    const resultsIn = (compat: Compat): Set<string> =>
      new Set([...membersOf(methodsOf(true, compat).get(name)?.results ?? [], name)].map((member) => member.join(' is ')));
    const now = resultsIn(COMPATS.default);
    const then = resultsIn(COMPATS['0.21.1']);
    t.ok(then.size > 4, name);
    t.strictSame(
      [...then].filter((member) => !now.has(member)),
      [],
      name,
    );
  }
});
