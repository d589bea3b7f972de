// Tests replies that a front thread returns for the bytes of an earlier request: they must be the same as if it had
// parsed the bytes.
import t from 'tap';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { type ReplyBody, type SharedBody, wholeBody } from '../../../src/link/messages.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { methodsOf } from '../../../src/rpc/declare/methods.js';
import type { FrontContext } from '../../../src/rpc/front/context.js';
import { isHole, type KnownBody } from '../../../src/rpc/front/known-replies.js';
import { type CallPlan, RequestRouter, type ThreadPlan } from '../../../src/rpc/front/request-router.js';
import { isBlockJob, type ReadJob } from '../../../src/rpc/reads/read-job.js';
import { encodeHole, UNFILLED } from '../../../src/rpc/reads/unfilled.js';
import { crypto } from '../../framework/chain-fixture.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { fc } from '../../framework/fast-check.js';

const FIRST = { height: 7, hashHex: 'ab'.repeat(32), difficulty: 1 };
const SECOND = { height: 8, hashHex: 'cd'.repeat(32), difficulty: 1 };

const textOf = (body: KnownBody): string => (isHole(body) ? body.job : Buffer.from(wholeBody(body)).toString());

/** Makes a router, and the tip and time that it sees. */
function openRouter(version2 = false) {
  const at = { tip: FIRST, moment: 1, blocks: 1, onTip: () => {} };
  const counted: string[] = [];
  const context: FrontContext = {
    compat: COMPATS['0.21.1'],
    descriptors: descriptorContext('0.21', 'regtest'),
    params: chainParams('regtest'),
    hashes: createPureHashes(),
    crypto,
    snapshot: () => {
      at.onTip();
      return at.tip;
    },
    stateVersion: () => at.moment,
    blocksVersion: () => at.blocks,
    nowSeconds: () => 1000,
    startedSeconds: 719,
    methods: methodsOf(true, COMPATS['0.21.1']),
    warmup: () => null,
  };
  const observer = {
    started: (method: string) => counted.push(method),
    finished: () => {},
  };
  const router = new RequestRouter(context, observer, { version2 });
  const call = (allowed: ReadonlySet<string> | null) => ({ user: 'u', uri: '/', allowed });
  const known = (body: string, allowed: ReadonlySet<string> | null = null): string | null => {
    const reply = router.knownReply(Buffer.from(body), call(allowed));
    return reply && textOf(reply);
  };
  const plan = (body: string) => router.plan(Buffer.from(body), call(null)) as CallPlan;
  /** Makes the front cache a reply: calls as often as necessary, and returns the node thread's reply. */
  const teach = (body: string, said: ReplyBody): void => {
    plan(body);
    (plan(body) as ThreadPlan).cacheReply?.(200, said);
  };
  return { at, counted, known, plan, teach, router };
}

t.test('repeats a reply of the node thread until the node changes', async (t) => {
  const { at, counted, known, plan, teach } = openRouter();
  const info = '{"method":"getmempoolinfo","params":[],"id":1}';
  const said = '{"result":{"size":1,"text":"\u00e9"},"error":null,"id":1}\n';
  at.moment = 0;
  teach(info, said);
  t.equal(known(info), null, 'no cached reply while changes are not tracked');

  at.moment = 1;
  const other = '{"method":"getmempoolinfo","id":1}';
  t.equal((plan(other) as ThreadPlan).cacheReply, undefined, 'a single request is not cached');
  teach(info, Buffer.from(said));
  t.equal(known(info), said);
  t.same(counted, ['getmempoolinfo'], 'and counted as a call');
  for (const id of ['22', '"abc"', '""', '0', '0.5', '1'])
    t.equal(known(info.replace('1}', `${id}}`)), said.replace('1}\n', `${id}}\n`), `with the id ${id}`);
  t.equal(known(info, new Set(['getblockcount'])), null, "the user's list of methods is checked");
  t.equal(known(info, new Set(['getmempoolinfo'])), said);
  t.equal(known('{"method":"getmempoolinfo","params":[1],"id":1}'), null, 'other arguments are another request');

  at.moment = 2;
  t.equal(known(info), null, 'the node has changed');
  const late = plan(info) as ThreadPlan;
  at.moment = 3;
  late.cacheReply?.(200, said);
  t.equal(known(info), null, 'changed while the call was under way');
  teach(info, said);
  t.equal(known(info), said);
});

t.test('repeats a reply with shared bytes, without a copy of them', async (t) => {
  const { at, known, teach, router } = openRouter();
  const ids = '{"method":"getrawmempool","id":1}';
  const shared = new Uint8Array(new SharedArrayBuffer(300_000)).fill(0x31);
  teach(ids, { before: '{"result":', shared, after: ',"error":null,"id":1}\n' });
  for (const id of ['22', '"abc"', '1']) {
    const reply = router.knownReply(Buffer.from(ids.replace('1}', `${id}}`)), { user: 'u', uri: '/', allowed: null });
    t.equal((reply as SharedBody).shared, shared);
    t.equal(textOf(reply!), `{"result":${'1'.repeat(300_000)},"error":null,"id":${id}}\n`);
  }
  at.moment++;
  t.equal(known(ids), null);
  teach(ids, { before: '{"result":', shared: new Uint8Array(new SharedArrayBuffer(33 << 20)), after: ',"error":null,"id":1}\n' });
  t.equal(known(ids), null, 'too large');
});

t.test('repeats a read job about a stored block until blocks change', async (t) => {
  const { at, counted, known, plan, router } = openRouter();
  const block = '{"method":"getblock","params":["00"],"id":1}';
  const job = (kind: 'proof' | 'pooled-tx', id = kind): ReadJob => ({ kind, txids: [id] }) as never;
  const reply = (text: string, one: ReadJob) => {
    const idText = /"id":(.*)}$/.exec(text)![1]!;
    return encodeHole({ idText, hasId: true, version: 1, method: 'getblock' }, one, 0.5);
  };
  const teach = (text: string, one: ReadJob, change = () => {}): void => {
    plan(text);
    const { cacheReply } = plan(text) as ThreadPlan;
    change();
    cacheReply?.(UNFILLED, Buffer.from(reply(text, one)));
  };
  teach(block, job('proof'));
  at.moment++;
  const asked = (id: string) => router.knownReply(Buffer.from(block.replace('1}', `${id}}`)), { user: 'u', uri: '/', allowed: null });
  for (const id of ['1', '"abc"', '22'])
    t.same(
      asked(id),
      { entry: { idText: id, hasId: true, version: 1 }, method: 'getblock', seconds: 0, job: JSON.stringify(job('proof')) },
      `with the id ${id}, whatever else has changed`,
    );
  t.same(counted, ['getblock', 'getblock', 'getblock'], 'each is a call');
  at.blocks++;
  t.equal(known(block), null, 'blocks have changed');
  teach(block, job('proof'), () => at.blocks++);
  t.equal(known(block), null, 'blocks changed during the call');
  teach(block, job('pooled-tx'));
  t.equal(known(block), null, 'a transaction of the mempool may leave it without a change of blocks');
  teach(block, job('proof', 'x'.repeat(70_000) as 'proof'));
  t.equal(known(block), null, 'a long job');
  at.blocks = 0;
  teach(block, job('proof'));
  t.equal(known(block), null, 'changes are not tracked');
});

t.test('answers a batch if it has the replies to all entries', async (t) => {
  const { at, counted, known, plan } = openRouter();
  const hash = (height: number, id: string) => `{"method":"getblockhash","params":[${height}],"id":${id}}`;
  const said = (height: number, id: string) => `{"result":"${height} ]}\\"{","error":null,"id":${id}}`;
  const batch = `[${hash(1, '1')}, ${hash(2, '"x"')}]`;
  for (let i = 0; i < 2; i++) (plan(batch) as ThreadPlan).cacheReply?.(200, `[${said(1, '1')},${said(2, '"x"')}]\n`);
  at.moment++;
  counted.length = 0;
  t.same(plan(` [${hash(2, '7')},${hash(1, '"a"')},${hash(2, '8')}]`), {
    kind: 'reply',
    status: 200,
    body: Buffer.from(`[${said(2, '7')},${said(1, '"a"')},${said(2, '8')}]\n`),
  });
  t.same(counted, ['getblockhash', 'getblockhash', 'getblockhash'], 'each entry is a call');
  t.equal(known(hash(1, '3')), `${said(1, '3')}\n`, 'the same reply outside a batch');
  const mixed = `[${hash(1, '4')},{"method":"getblockcount","id":5},{"method":"nope","id":6}]`;
  const nope = '{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":6}';
  t.same(plan(mixed), {
    kind: 'reply',
    status: 200,
    body: Buffer.from(`[${said(1, '4')},{"result":7,"error":null,"id":5},${nope}]\n`),
  });
  for (const [body, why] of [
    [`[${hash(1, '1')},${hash(3, '2')}]`, 'one reply is not cached'],
    [`[${hash(1, '1')},{"method":"getpeerinfo","id":1}]`, 'one method is not cacheable'],
    [`[${hash(1, '1')},7]`, 'one entry is no object'],
  ])
    t.match(plan(body!), { kind: 'node' }, why);
  t.match(plan(`[[${hash(1, '1')}]]`), { kind: 'reply', body: /Invalid Request object/ }, 'the entry is a list');
  at.blocks++;
  t.match(plan(`[${hash(1, '1')}]`), { kind: 'node' }, 'blocks have changed');
});

t.test('answers a batch with read jobs and shared bytes in pieces', async (t) => {
  const { plan, teach } = openRouter();
  const block = (id: string) => `{"method":"getblock","params":["00"],"id":${id}}`;
  const job: ReadJob = { kind: 'proof', txids: [] } as never;
  const hole = (id: string) => encodeHole({ idText: id, hasId: true, version: 1, method: 'getblock' }, job, 0.5);
  const batch = `[${block('1')},{"method":"getblockhash","params":[1],"id":2}]`;
  const said = '{"result":"00","error":null,"id":2}';
  for (let i = 0; i < 2; i++) (plan(batch) as ThreadPlan).cacheReply?.(UNFILLED, `[${hole('1')},${said}]\n`);
  const shared = new Uint8Array(new SharedArrayBuffer(8)).fill(0x31);
  teach('{"method":"getrawmempool","id":1}', { before: '{"result":', shared, after: ',"error":null,"id":1}\n' });
  const made = plan(`[{"method":"getrawmempool","id":9},${block('"y"')},{"method":"getblockhash","params":[1],"id":3}]`);
  const texts = made.kind === 'pieces' ? made.pieces.map((piece) => ('job' in piece ? piece : Buffer.from(piece).toString())) : [];
  const entry = { idText: '"y"', hasId: true, version: 1 };
  const at = texts.findIndex((text) => typeof text === 'object');
  t.same(texts[at], { entry, method: 'getblock', seconds: 0, job: JSON.stringify(job) });
  t.equal(texts.slice(0, at).join(''), '[{"result":11111111,"error":null,"id":9},');
  t.equal(texts.slice(at + 1).join(''), ',{"result":"00","error":null,"id":3}]\n');
});

t.test('repeats a header until blocks change, without its block only until anything changes', async (t) => {
  const { at, known, teach } = openRouter();
  for (const [transactions, lasts] of [
    [3, true],
    [0, false],
  ] as const) {
    const header = `{"method":"getblockheader","params":["${transactions}"],"id":1}`;
    teach(header, `{"result":{"nTx":${transactions},"previousblockhash":"00"},"error":null,"id":1}\n`);
    t.ok(known(header));
    at.moment++;
    t.equal(known(header) !== null, lasts);
  }
  t.notOk(isBlockJob('{"kind":"headers","headers":"","txCounts":[3,0,2],"height":1}'));
  t.ok(isBlockJob('{"kind":"headers","headers":"","txCounts":[3,10,2],"height":1}'));
});

t.test('does not cache errors, long requests or replies, notifications or undeclared methods', async (t) => {
  const { known, plan, teach } = openRouter();
  const hash = '{"method":"getblockhash","params":[7],"id":1}';
  teach(hash, '{"result":null,"error":{"code":-8,"message":"x"},"id":1}\n');
  t.equal(known(hash), null, 'errors');
  teach(hash, `{"result":"${'a'.repeat(70_000)}","error":null,"id":1}\n`);
  t.equal(known(hash), null, 'long replies');
  const long = `{"method":"getmempoolinfo","params":["${'a'.repeat(600)}"],"id":1}`;
  const peers = '{"method":"getpeerinfo","id":1}';
  for (const body of [long, peers]) {
    plan(body);
    t.equal((plan(body) as ThreadPlan).cacheReply, undefined, 'long questions, and what is not declared so');
  }
  const escaped = '{"\\u0069d":9,"id":1,"method":"getblockcount"}';
  for (let i = 0; i < 2; i++) t.match(plan(escaped), { kind: 'reply', body: /"id":9/ });
  t.equal(known(escaped), null, 'requests whose id is not where it is expected');
  const second = openRouter(true);
  const silent = '{"jsonrpc":"2.0","method":"getblockcount"}';
  for (let i = 0; i < 3; i++) t.match(second.plan(silent), { kind: 'reply', status: 204 });
  t.equal(second.known(silent), null, 'a notification has no reply');
  const wrong = '{"jsonrpc":"2.0","method":"validateaddress","id":1}';
  for (let i = 0; i < 3; i++) t.match(second.plan(wrong), { kind: 'reply', status: 200, body: /"error":/ });
  t.equal(second.known(wrong), null, 'an error with status 200 is not cached');
});

t.test('repeats an answer of the front thread until the tip changes', async (t) => {
  const { at, known, plan } = openRouter();
  const count = '{"method":"getblockcount","id":1}';
  for (let i = 0; i < 2; i++) plan(count);
  t.equal(known(count), '{"result":7,"error":null,"id":1}\n');
  at.moment++;
  t.equal(known(count), '{"result":7,"error":null,"id":1}\n');
  at.tip = SECOND;
  t.equal(known(count), null);
  plan(count);
  t.equal(known(count), '{"result":8,"error":null,"id":1}\n');
});

t.test('answers a request although another one is planned when the newest tip is read', async (t) => {
  const { at, plan } = openRouter();
  const count = '{"method":"getblockcount","id":1}';
  const reply = { kind: 'reply', status: 200, body: '{"result":7,"error":null,"id":1}\n' };
  t.same(plan(count), reply);
  // The newest tip arrives after replies. Their clients may already have sent the next requests.
  let inner: CallPlan | null = null;
  at.onTip = () => {
    at.onTip = () => {};
    inner = plan('[{"method":"uptime"},{"method":"uptime","id":"x"}]');
  };
  t.same(plan(count), reply);
  t.match(inner, { status: 200, body: '[{"result":281,"error":null,"id":null},{"result":281,"error":null,"id":"x"}]\n' });
  t.same(plan(count), reply);
});

t.test('gives the cached reply to a REST target to no call whose body is that target', async (t) => {
  const { known, plan, router } = openRouter();
  const target = Buffer.from('/rest/chaininfo.json');
  const keeper = () => router.known.replyKeeper(target, { method: 'rest/chaininfo', around: ['', ''] }, 'moment');
  keeper();
  keeper()?.(200, '{"chain":"regtest"}\n');
  t.ok(router.known.find(target), 'cached');
  t.equal(known(target.toString()), null);
  t.match(plan(target.toString()), { kind: 'reply', status: 500, body: /Parse error/ });
});

t.test('bounds the cached replies and never gives one to another request', async (t) => {
  const { at, known, teach } = openRouter();
  const body = (height: number, id = '1') => `{"method":"getblockhash","params":[${height}],"id":${id}}`;
  const said = (height: number) => `{"result":"${String(height).padStart(4000, '0')}","error":null,"id":1}\n`;
  let held = 0;
  // Ids longer than the first change the size of a reply.
  const longId = `"${'x'.repeat(400)}"`;
  for (at.blocks = 1; at.blocks < 12_000; at.blocks++) {
    teach(body(0), '{"result":"","error":null,"id":1}\n');
    if (known(body(0, longId)) === null) t.fail('not cached');
  }
  for (let height = 0; height < 3000; height++) teach(body(height), said(height));
  for (let height = 0; height < 3000; height++) {
    const reply = known(body(height));
    if (reply === null) continue;
    held++;
    if (reply !== said(height)) t.fail(`the reply of another question than ${height}`);
  }
  t.ok(held > 100 && held * 4000 <= 4_194_304, `${held} are held`);
});

// Members in any order, some of them twice, with ids of every kind, and names that only resemble a known one.
const idText = fc.oneof(
  fc.nat().map(String),
  fc.constantFrom(...'1.50 0.25 00 01 -1 1e3 1. .5 null true {} [1] {"id":3}'.split(' '), '"\\u0041"', '"\u00e9"', '"a\\"b"', '"', '1 2'),
  fc.string({ maxLength: 8 }).map((text) => JSON.stringify(text)),
);
const member = fc.oneof(
  { weight: 4, arbitrary: idText.map((id) => (space: string) => `"id":${space}${id}`) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('getblockcount', 'getbestblockhash', 'validateaddress', 'uptime', 'nope')
      .map((method) => (space: string) => `"method":${space}"${method}"`),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('[]', '["id"]', '["x","id"]', '{}', '{"address":"id"}', '{"id":1}', '["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"]')
      .map((params) => (space: string) => `"params":${space}${params}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('"\\u0069d":9', '"jsonrpc":"2.0"', '"x":"id"', '"x":{"id":5}', '"id"', '"":0').map((text) => () => text),
  },
);
const request = fc
  .tuple(
    fc.array(member, { minLength: 1, maxLength: 5 }),
    fc.constantFrom('', ' ', '\n'),
    fc.constantFrom(',', ', '),
    fc.constantFrom('', '\n', ' ', '}'),
  )
  .map(([members, space, comma, end]) => `{${space}${members.map((write) => write(space)).join(comma)}${space}}${end}`);

t.test('a cached reply equals the reply that parsing the request gives', async (t) => {
  let found = 0;
  for (const version2 of [false, true]) {
    const { known, plan } = openRouter(version2);
    fc.assert(
      fc.property(request, fc.array(idText, { maxLength: 4 }), (body, ids) => {
        for (let i = 0; i < 2; i++) plan(body);
        const others = ids.flatMap((id) => [body.replace(/"id": ?[^,}]*/, `"id":${id}`), body.replace(/"id":(\s*)[^,}]*/, `"id":$1${id}`)]);
        for (const one of [body, ...others]) {
          const reply = known(one);
          if (reply === null) continue;
          found++;
          const planned = plan(one);
          if (planned.kind !== 'reply' || planned.status !== 200 || planned.body !== reply)
            throw new Error(`${one}: ${reply} instead of ${JSON.stringify(planned)}`);
        }
      }),
      { numRuns: 3000 },
    );
  }
  t.ok(found > 200, `${found} were known`);
});
