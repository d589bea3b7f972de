// Tests the dispatch of requests to replies, in bytes: lookup, named arguments, counts, help, errors, batches; and the
// router of a front thread.

import t from 'tap';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { METHODS, methodsOf } from '../../../src/rpc/declare/methods.js';
import type { Parameters } from '../../../src/rpc/declare/parameters.js';
import type { MethodSpec } from '../../../src/rpc/declare/types.js';
import { checkAccess, Dispatcher, type RunTable } from '../../../src/rpc/dispatch.js';
import { fail } from '../../../src/rpc/errors.js';
import type { FrontContext } from '../../../src/rpc/front/context.js';
import { type CallPlan, RequestRouter } from '../../../src/rpc/front/request-router.js';
import { renderHelp, renderOverview } from '../../../src/rpc/help.js';
import * as FRONT_RUNS from '../../../src/rpc/methods/front-runs.js';
import { NODE_RUNS } from '../../../src/rpc/node/runs.js';
import { ReplyQuota } from '../../../src/rpc/wire/batch-reply.js';
import { type RequestBody, scanRequest } from '../../../src/rpc/wire/request.js';
import { crypto } from '../../framework/chain-fixture.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { turnsDuring } from '../../framework/turns.js';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');
const CALL = { user: '', path: '/' };

const base = { category: 'util', runs: 'node', description: 'Does it.', results: [], examples: [] } as const;
const specs: MethodSpec[] = [
  {
    ...base,
    name: 'give',
    args: [
      { name: 'first', type: 'str', help: 'One' },
      { name: 'second|zwei', type: 'num', default: '2', help: 'Two' },
      { name: 'third', type: 'bool', optional: true, help: 'Three' },
    ],
  },
  { ...base, name: 'late', args: [{ name: 'ms', type: 'num', optional: true, help: '' }] },
  { ...base, name: 'bad', args: [] },
  { ...base, name: 'worse', args: [] },
  { ...base, name: 'submitblock', args: [{ name: 'hexdata', type: 'hex', help: '' }] },
  { ...base, name: 'elsewhere', args: [] },
];
const order: string[] = [];
const runs: RunTable<null> = {
  give: ({ args }: Parameters) => [...args],
  late: async ({ args }: Parameters) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    order.push('late');
    return args.length;
  },
  bad: () => fail(-8, 'no good'),
  submitblock: () => null,
  worse: () => {
    order.push('worse');
    throw new TypeError('unforeseen');
  },
};

function dispatcher(warmup: () => string | null = () => null, room = new ReplyQuota()) {
  const faults: string[] = [];
  const calls: [string, number][] = [];
  const made = new Dispatcher<null>({
    methods: new Map(specs.map((spec) => [spec.name, spec])),
    runs,
    context: null,
    warmup,
    replyQuota: room,
    observer: { started: () => 1, finished: (_token, method, code) => calls.push([method, code]) },
    onFault: (method, error) => faults.push(`${method}: ${String(error)}`),
  });
  return { made, faults, calls };
}

const ask = async (body: string): Promise<string> => {
  const { body: text, status } = await dispatcher().made.dispatchBytes(bytes(body), CALL);
  return `${status} ${String(text).trimEnd()}`;
};
const message = async (body: string): Promise<string> => JSON.parse((await ask(body)).slice(4)).error.message;

t.test('passes arguments by position and by name, and rejects unknown names', async (t) => {
  const give = (params: string) => ask(`{"id":1,"method":"give","params":${params}}`);
  t.equal(await give('["a"]'), '200 {"result":["a"],"error":null,"id":1}');
  t.equal(await give('["a",1.0,null]'), '200 {"result":["a",1.0,null],"error":null,"id":1}');
  t.equal(await give('{"first":"a"}'), '200 {"result":["a"],"error":null,"id":1}');
  t.equal(await give('{"third":true,"first":"a"}'), '200 {"result":["a",null,true],"error":null,"id":1}');
  t.equal(await give('{"zwei":7,"first":"a"}'), '200 {"result":["a",7],"error":null,"id":1}');
  t.equal(await give('{"first":"a","first":"b"}'), '200 {"result":["b"],"error":null,"id":1}', 'the last of equal names');
  t.match(await give('{"first":"a","second":1,"zwei":2}'), /-8,"message":"Unknown named parameter zwei"/);
  t.match(await give('{"first":"a","x":2}'), /^500 .*-8,"message":"Unknown named parameter x"/);
  t.match(await give('{"":2}'), /Unknown named parameter "/);
});

t.test('answers a wrong number of arguments with the help page', async (t) => {
  const page = renderHelp(specs[0]);
  t.equal(
    page,
    'give "first" ( second third )\n\nDoes it.\n\nArguments:\n1. first     (string, required) One\n2. second    (numeric, optional, default=2) Two\n3. third     (boolean, optional) Three\n',
  );
  for (const params of ['[]', '["a",1,true,4]', '{}']) t.equal(await message(`{"method":"give","params":${params}}`), page, params);
  const hole = await ask('{"method":"give","params":{"second":1}}');
  t.equal(hole, '200 {"result":[null,1],"error":null,"id":null}', 'an omitted argument before a named one counts as given');
});

t.test('answers unknown methods, faults and calls during warm-up with the codes of Core', async (t) => {
  t.equal(await ask('{"method":"nope","id":"a"}'), '404 {"result":null,"error":{"code":-32601,"message":"Method not found"},"id":"a"}');
  t.equal(await ask('{"method":"toString"}'), '404 {"result":null,"error":{"code":-32601,"message":"Method not found"},"id":null}');
  t.equal(await ask('{"method":"bad"}'), '500 {"result":null,"error":{"code":-8,"message":"no good"},"id":null}');
  t.equal(await ask('{"method":"worse"}'), '500 {"result":null,"error":{"code":-1,"message":"unforeseen"},"id":null}');
  const { made, faults, calls } = dispatcher();
  await made.dispatchBytes(bytes('[{"method":"worse"},{"method":"late"},{"method":"bad"}]'), CALL);
  t.same(faults, ['worse: TypeError: unforeseen']);
  t.same(calls, [
    ['worse', -1],
    ['late', 0],
    ['bad', -8],
  ]);
  const warming = dispatcher(() => 'Loading block index...').made;
  const reply = await warming.dispatchBytes(bytes('{"method":"nope"}'), CALL);
  t.same(reply, { status: 500, body: '{"result":null,"error":{"code":-28,"message":"Loading block index..."},"id":null}\n' });
});

t.test('runs the calls of a batch in order and yields between them', async (t) => {
  order.length = 0;
  let yields = 0;
  const reply = await dispatcher().made.dispatchBytes(
    bytes('[{"id":1,"method":"late","params":[1]},{"id":2,"method":"worse"},{"id":3,"method":"late"}]'),
    CALL,
    { yieldToUrgent: () => yields++ },
  );
  t.same(order, ['late', 'worse', 'late']);
  t.equal(yields, 2);
  t.equal(
    reply.body,
    '[{"result":1,"error":null,"id":1},{"result":null,"error":{"code":-1,"message":"unforeseen"},"id":2},{"result":0,"error":null,"id":3}]\n',
  );
});

const requests = (body: string) => scanRequest(bytes(body)) as RequestBody;

t.test('answersAll tells whether this thread can answer a request or a batch', async (t) => {
  const { made } = dispatcher();
  const answers = (body: string) => made.answersAll(requests(body));
  t.equal(answers('{"method":"give"}'), true);
  t.equal(answers('{"method":"nope"}'), true);
  t.equal(answers('{"method":5}'), true);
  t.equal(answers('{"method":"elsewhere"}'), false);
  t.equal(answers('[{"method":"give"},{"method":"elsewhere"}]'), false);
});

t.test('checkAccess rejects methods that are not on the list of the user', async (t) => {
  const check = (body: string) => checkAccess(requests(body), (method) => method === 'uptime');
  t.equal(check('{"method":"uptime"}'), null);
  t.equal(check('{"id":1}'), null, 'malformed requests get their own error');
  t.same(check('{"method":"stop"}'), { status: 403, body: '' });
  t.same(check('[{"method":"uptime"},{"method":"stop"}]'), { status: 403, body: '' });
  t.same(check('[{"id":1}]'), {
    status: 500,
    body: '{"result":null,"error":{"code":-32700,"message":"JSON value is not a string as expected"},"id":null}\n',
  });
  t.same(check('[3]'), { status: 400, body: '{"result":null,"error":{"code":-32600,"message":"Invalid Request object"},"id":null}\n' });
});

t.test('every declared method has a run function on the right thread, and no other has one', async (t) => {
  const elsewhere = new Set(Object.keys(NODE_RUNS));
  t.same(
    [...METHODS.keys()].filter((name) => !elsewhere.has(name)),
    [],
  );
  t.same(
    [...elsewhere].filter((name) => !METHODS.has(name)),
    [],
  );
  for (const [name, spec] of METHODS) t.equal(Object.hasOwn(FRONT_RUNS, name), spec.runs === 'front', name);
});

t.test('renders complete help pages and the overview of all methods', async (t) => {
  for (const spec of METHODS.values()) {
    const page = renderHelp(spec);
    t.ok(page.startsWith(spec.name), spec.name);
    t.notMatch(page, /undefined|\[object|\n\n\n/, spec.name);
  }
  const overview = renderOverview(methodsOf(true, COMPATS['0.21.1']).values());
  t.ok(overview.startsWith('== Blockchain ==\ngetbestblockhash\ngetblock "blockhash" ( verbosity )\n'));
  t.match(overview, /\n\n== Control ==\ngetmemoryinfo \( "mode" \)\n/);
  t.match(overview, /\nprioritisetransaction "txid" \( dummy \) fee_delta\n/);
  t.match(
    overview,
    /\ncreaterawtransaction \[\{"txid":"hex","vout":n,"sequence":n\},\.\.\.\] \[\{"address":amount\},\{"data":"hex"\},\.\.\.\] \( locktime replaceable \)\n/,
  );
  t.match(overview, /\nsendrawtransaction "hexstring" \( maxfeerate \)\n/);
  t.match(overview, /\ngetblocktemplate \( "template_request" \)\n/);
  t.notMatch(overview, /echo|setmocktime|invalidateblock|\n$/);
});

const context: FrontContext = {
  compat: COMPATS['0.21.1'],
  descriptors: descriptorContext('0.21', 'regtest'),
  params: chainParams('regtest'),
  hashes: createPureHashes(),
  crypto,
  snapshot: () => ({ height: 7, hashHex: 'ab'.repeat(32), difficulty: 4.656542373906925e-10 }),
  stateVersion: () => 0,
  blocksVersion: () => 0,
  nowSeconds: () => 1000,
  startedSeconds: 719,
  methods: methodsOf(true, COMPATS['0.21.1']),
  warmup: () => null,
};
const router = new RequestRouter(context);
const router2 = new RequestRouter(context, undefined, { version2: true });
const plan2 = (body: string) => router2.plan(bytes(body), { user: 'u', uri: '/', allowed: null }) as CallPlan;
const plan = (body: string, allowed: ReadonlySet<string> | null = null) =>
  router.plan(bytes(body), { user: 'u', uri: '/', allowed }) as CallPlan;

t.test('a front answers calls that need only the snapshot', async (t) => {
  const reply = (body: string, id = 'null') => ({ kind: 'reply', status: 200, body: `{"result":${body},"error":null,"id":${id}}\n` });
  t.same(plan('{"method":"getblockcount","id":1.50}'), reply('7', '1.50'));
  t.same(plan('{"method":"getbestblockhash"}'), reply(`"${'ab'.repeat(32)}"`));
  t.same(plan('{"method":"getdifficulty","id":{"a":[1]}}'), reply('4.656542373906925e-10', '{"a":[1]}'));
  t.same(plan('{"method":"uptime"}'), reply('281'));
  t.same(plan('{"method":"help","params":["nope"]}'), reply('"help: unknown command: nope"'));
  t.same(
    plan('{"method":"echo","params":[1.0,1e3,12345678901234567890,"\\u00e9\\u0001/\\u007f",{"b":1,"a":2,"b":3}],"id":"x","id":"y"}'),
    reply('[1.0,1e3,12345678901234567890,"é\\u0001/\\u007f",{"b":1,"a":2,"b":3}]', '"x"'),
  );
  t.match(plan('{"method":"echo","params":[1,2,3,4,5,6,7,8,9,10,11]}'), { status: 500 });
  t.match(plan('{"method":"generate"}'), { kind: 'node' });
});

t.test('a front passes on calls and batches that need the node thread', async (t) => {
  t.match(plan('{"method":"submitblock","params":["00"]}'), { kind: 'node', method: 'submitblock' });
  t.match(plan('{"method":"getblock","params":["00"]}'), { kind: 'node', method: 'getblock' });
  t.match(plan('[{"method":"getblockcount"},{"method":"getblock"}]'), { kind: 'node', method: 'batch' });
  t.match(plan(`[${'{"method":"getblockcount"},'.repeat(100)}{"method":"getblockcount"}]`), {
    kind: 'node',
    method: 'batch',
  });
  t.match(plan('[{"method":"getblockcount"},{"method":"uptime"}]'), { kind: 'reply', status: 200 });
  t.match(plan('{"method":"getblock"}', new Set(['uptime'])), { kind: 'forbidden' });
  t.match(plan('{"method":"getblocktemplate","params":[{"mode":"proposal","data":"00"}]}'), {
    kind: 'node',
    method: 'getblocktemplate',
  });
});

t.test('a front plans getblocktemplate with a checked request and the envelope of the reply', async (t) => {
  const got = plan('{"id":"\\u0000","method":"getblocktemplate","params":[{"rules":["segwit"]}]}');
  if (got.kind !== 'template') return t.fail('not a template plan');
  t.same([got.prefix, got.suffix], ['{"result":', ',"error":null,"id":"\\u0000"}\n']);
  t.same(got.request, { mode: 'template', data: '', rules: ['segwit'], longPollId: null, light: false, limits: null });
  t.same(got.error(-10, 'x'), { status: 500, body: '{"result":null,"error":{"code":-10,"message":"x"},"id":"\\u0000"}\n' });
  const ignored = plan('{"jsonrpc":"2.0","id":5,"method":"getblocktemplate","params":{"template_request":{"rules":["segwit"]}}}');
  if (ignored.kind !== 'template') return t.fail('not a template plan');
  t.same([ignored.prefix, ignored.suffix], ['{"result":', ',"error":null,"id":5}\n']);
  const v2 = plan2('{"jsonrpc":"2.0","id":5,"method":"getblocktemplate","params":{"template_request":{"rules":["segwit"]}}}');
  if (v2.kind !== 'template') return t.fail('not a template plan');
  t.same([v2.prefix, v2.suffix], ['{"jsonrpc":"2.0","result":', ',"id":5}\n']);
  t.match(plan('{"method":"getblocktemplate","params":{"rules":["segwit"]}}'), {
    kind: 'reply',
    status: 500,
    body: /Unknown named parameter rules/,
  });
  t.match(plan('{"method":"getblocktemplate","params":[1]}'), { kind: 'reply', body: /not an object as expected/ });
  t.match(plan('{"method":"getblocktemplate","params":[1,2]}'), { kind: 'reply', body: /"code":-1,"message":"getblocktemplate/ });
  const rule = '{"method":"getblocktemplate","params":[{"rules":[1]}]}';
  t.match(plan(rule), { kind: 'reply', body: /"code":-1,"message":"JSON value is not a string as expected"/ });
  const newer = { ...context, compat: COMPATS[31], methods: methodsOf(true, COMPATS[31]) };
  t.match(new RequestRouter(newer).plan(bytes(rule), { user: 'u', uri: '/', allowed: null }), {
    kind: 'reply',
    body: /"code":-3,"message":"JSON value of type number is not of expected type string"/,
  });
  return undefined;
});

t.test('runs a large batch only if all of it is JSON, and stops when the reply is too large', async (t) => {
  const one = '{"id":1,"method":"give","params":["aaaaaaaaaaaaaaaaaaaa"]}';
  const list = Array(3000).fill(one).join(',');
  const { made, calls } = dispatcher();
  const torn = await made.dispatchBytes(bytes(`[${list},]`), CALL);
  t.same([torn.status, torn.body], [500, '{"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null}\n']);
  t.same(calls, []);
  let yields = 0;
  const whole = await made.dispatchBytes(bytes(`[${list},5]`), CALL, { yieldToUrgent: () => yields++, sliceMs: -1 });
  const replies = JSON.parse(String(whole.body)) as { id: number | null; result: unknown }[];
  t.equal(replies.length, 3001);
  t.same(replies[2999], { result: ['aaaaaaaaaaaaaaaaaaaa'], error: null, id: 1 });
  t.equal(calls.length, 3000);
  t.ok(yields >= 3000, 'other work runs between the entries');
  const narrow = dispatcher(undefined, new ReplyQuota({ each: 1000, all: 10_000 }));
  const cut = await narrow.made.dispatchBytes(bytes(`[${list}]`), CALL);
  t.equal(cut.status, 500);
  t.match(cut.body, /"code":-7,"message":"The reply of this batch is too large; entries after number \d+ were not executed"/);
  t.ok(narrow.calls.length < 30);
  const short = await narrow.made.dispatchBytes(bytes(`[${Array(100).fill(one).join(',')}]`), CALL);
  t.match(short.body, /"code":-7/, 'small bodies with large replies too');
});

t.test('yields to other work while it reads a large request', async (t) => {
  const { made, calls } = dispatcher();
  const list = Array(20_000).fill('"aaaaaaaaaaaaaaaaaaaa"').join(',');
  let turns = 0;
  let over = false;
  const count = () => {
    turns++;
    if (!over) setImmediate(count);
  };
  count();
  const whole = await made.dispatchBytes(bytes(`{"id":1,"method":"give","params":["a"],"more":[${list}]}`), CALL, { sliceMs: -1 });
  over = true;
  t.same(whole, { status: 200, body: '{"result":["a"],"error":null,"id":1}\n' });
  t.ok(turns > 50, `${turns} turns`);
  t.equal(calls.length, 1);
  const torn = await made.dispatchBytes(bytes(`{"id":1,"method":"give","params":["a"],"more":[${list}}`), CALL, { sliceMs: -1 });
  t.same([torn.status, torn.body], [500, '{"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null}\n']);
  t.equal(calls.length, 1);
});

t.test('reads one of several large requests at a time, and a block at once', async (t) => {
  const { made, calls } = dispatcher();
  const long = bytes(`{"method":"give","params":["${'a'.repeat(70_000)}",[${'1,'.repeat(20_000)}1]]}`);
  const done: string[] = [];
  const read = (name: string, body: Uint8Array) =>
    Promise.resolve(made.dispatch(requests(Buffer.from(body).toString()), CALL, { sliceMs: -1 })).then(() => done.push(name));
  const all = [
    read('first', long),
    read('second', long),
    read('block', bytes(`{"method":"submitblock","params":["${'0'.repeat(300_000)}"]}`)),
  ];
  await Promise.all(all);
  t.same(done, ['block', 'first', 'second']);
  t.same(calls, [
    ['submitblock', 0],
    ['give', 0],
    ['give', 0],
  ]);
});

t.test('concurrent batches share time slices', async (t) => {
  const { made } = dispatcher();
  const body = bytes(`[${Array(50).fill('{"method":"bad"}').join(',')}]`);
  const passed = await turnsDuring(() => Promise.all(Array.from({ length: 10 }, () => made.dispatchBytes(body, CALL, { sliceMs: -1 }))));
  t.ok(passed > 300, `500 entries in ${passed} turns`);
});

t.test('stops reading a large request when its client disconnects', async (t) => {
  const { made, calls } = dispatcher();
  const list = Array(20_000).fill('"a"').join(',');
  for (const body of [`{"method":"give","params":["a"],"more":[${list}]}`, `[{"method":"give","params":["a"]},[${list}]]`]) {
    const client = new AbortController();
    const call = { ...CALL, signal: client.signal };
    const reply = made.dispatchBytes(bytes(body), call, { sliceMs: -1 });
    client.abort();
    t.same(await reply, { status: 500, body: '' });
    t.same(calls, []);
  }
});

t.test('plans large requests of users with a list of methods, and forbids other methods', async (t) => {
  const pad = ' '.repeat(70_000);
  const planned = async (body: string, gone = () => false) => {
    const call = { user: 'u', uri: '/', allowed: new Set(['uptime', 'submitblock', 'getblocktemplate']) };
    return router.plan(bytes(body), call) ?? router.planLong(bytes(body), call, gone);
  };
  const uptime = '{"method":"uptime"}';
  const other = '{"method":"getblock"}';
  const fault = (code: number, text: string) => `{"result":null,"error":{"code":${code},"message":"${text}"},"id":null}\n`;
  const torn = { kind: 'reply', status: 500, body: fault(-32700, 'Parse error') };
  const node = (method: string) => ({ kind: 'node', method });
  t.match(await planned(`${pad}${uptime}`), node('uptime'), 'the node thread answers it');
  t.match(await planned(`{"params":["${'0'.repeat(70_000)}"],"method":"submitblock"}`), node('submitblock'));
  t.match(await planned(`{"method":"getblocktemplate","params":[{"rules":["segwit"]}]}${pad}`), node('getblocktemplate'));
  t.same(await planned(`${other}${pad}`), { kind: 'forbidden' });
  t.match(await planned(`{"id":1}${pad}`), node(''), 'malformed requests get their own error');
  t.same(await planned(`${uptime}x${pad}`), torn);
  t.match(await planned(`[${uptime},${uptime}]${pad}`), node('batch'));
  t.same(await planned(`[${uptime},${other},5]${pad}`), { kind: 'forbidden' }, 'the first bad element decides');
  t.same(await planned(`[${other},5,]${pad}`), torn, 'all of it must be JSON');
  t.same(await planned(`[{"id":1},${other}]${pad}`), {
    kind: 'reply',
    status: 500,
    body: fault(-32700, 'JSON value is not a string as expected'),
  });
  const ones = `[${'1,'.repeat(1_000_000)}1]`;
  const many = planned(ones);
  t.ok((await turnsDuring(() => many)) > 1, 'in turns');
  t.same(await many, { kind: 'reply', status: 400, body: fault(-32600, 'Invalid Request object') });
  t.equal(await planned(ones, () => true), null, 'the client has disconnected');
});
