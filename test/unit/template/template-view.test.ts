import { gunzipSync } from 'node:zlib';
import t from 'tap';
import type { TemplateFacts } from '../../../src/template/facts.js';
import { type SharedPlace, type TemplateBody, type TemplateCall, TemplateView } from '../../../src/template/view/template-view.js';

const HASH = ['00'.repeat(32), '11'.repeat(32)] as const;
const facts = (changes: Partial<TemplateFacts> = {}): TemplateFacts => ({
  epoch: 0,
  counter: 3,
  builtAt: 1000,
  time: 1000,
  prevHashHex: HASH[0],
  height: 1,
  version: 0x20000004,
  rules: ['csv', '!segwit'],
  requiredRules: [],
  vbAvailable: [],
  coinbaseValue: 50,
  minTime: 900,
  bits: 0x207fffff,
  minDifficulty: null,
  sigopLimit: 80_000,
  sizeLimit: 4_000_000,
  weightLimit: 4_000_000,
  commitmentHex: null,
  signetChallengeHex: null,
  live: null,
  slabIndex: -1,
  transactionsOffset: 0,
  transactionsLength: 0,
  txCount: 0,
  weight: 4000,
  fees: 0,
  ...changes,
});

/** A view over values that the test sets. */
function setup() {
  const state = {
    mempoolCounter: 3,
    isTestChain: true,
    hasNetwork: false,
    connections: 0,
    initialBlockDownload: false,
    shuttingDown: false,
    now: 1000,
    nowSeconds: () => state.now,
  };
  const asked: ((code: number, text: string) => void)[] = [];
  const leased = new Map<number, SharedArrayBuffer>();
  const held: number[] = [];
  const world = { tip: HASH[0] as string, nowMs: 0, onDrain: () => {} };
  /** Timers that were set and not cancelled. */
  const timers = new Map<() => void, number>();
  const after = (ms: number, run: () => void) => {
    timers.set(run, ms);
    return () => void timers.delete(run);
  };
  const soon: (() => void)[] = [];
  const calls: TemplateCall[] = [];
  const view = new TemplateView({
    state,
    timers: { monotonicMs: () => world.nowMs, after, soon: (run: () => void) => soon.push(run) },
    tipHex: () => world.tip,
    drain: () => world.onDrain(),
    requestTemplate: (done) => asked.push(done),
    lease: (place: SharedPlace) => {
      const buffer = leased.get(place.use);
      if (buffer) held.push(place.use);
      return buffer ?? null;
    },
    release: (place) => held.splice(held.indexOf(place.use), 1),
  });
  const call = (request: Partial<TemplateCall['request']> = {}, gzip = false) => {
    const outcome: { bytes?: Buffer; encoding?: string; body?: string; slab?: number; error?: [number, string]; release?: () => void } = {};
    const one: TemplateCall = {
      request: { mode: 'template', data: '', rules: ['segwit'], longPollId: null, light: false, limits: null, ...request },
      prefix: '<',
      suffix: '>',
      acceptsGzip: gzip,
      aborted: false,
      onAborted: null,
      send: (body: TemplateBody) => {
        outcome.bytes = Buffer.concat(body.parts);
        outcome.body = outcome.bytes.toString();
        outcome.encoding = body.encoding;
        outcome.slab = body.slabIndex;
        outcome.release = () => body.release();
      },
      fail: (code, message) => {
        outcome.error = [code, message];
      },
    };
    calls.push(one);
    view.call(one);
    return outcome;
  };
  return { view, state, asked, leased, held, world, soon, timers, calls, call };
}

t.test('asks the node thread once for all callers, and caches the reply while it is fresh', async (t) => {
  const { view, state, asked, call } = setup();
  const first = call();
  const second = call();
  t.equal(asked.length, 1);
  view.onTemplate(facts({ counter: 1, builtAt: 900 }), null);
  asked[0]!(0, '');
  t.match(first.body, /^<\{"capabilities":\["proposal"\].*"transactions":\[\],"coinbaseaux".*\}>$/);
  t.equal(first.body, second.body);
  t.equal(first.slab, -1);
  // The counter moved and more than five seconds passed: the next caller asks again, and an error goes to all.
  const third = call();
  t.equal(asked.length, 2);
  asked[1]!(-1, 'CreateNewBlock: x');
  t.same(third.error, [-1, 'CreateNewBlock: x']);
  state.mempoolCounter = 1;
  t.ok(call().body, 'the same counter makes it fresh');
  state.mempoolCounter = 2;
  state.now = 905;
  t.ok(call().body, 'and so do five seconds');
  state.now = 906;
  t.notOk(call().body);
});

t.test('never returns a template of an older tip', async (t) => {
  const { view, asked, world, call } = setup();
  view.onTemplate(facts(), null);
  world.tip = HASH[1];
  const one = call();
  t.equal(asked.length, 1);
  asked[0]!(0, '');
  t.equal(asked.length, 2, 'what came is of the old tip still');
  view.onTemplate(facts({ prevHashHex: HASH[1] }), null);
  asked[1]!(0, '');
  t.match(one.body, `"previousblockhash":"${HASH[1]}"`);
});

t.test('accepts a template that arrives before the tip change it belongs to', async (t) => {
  const { view, asked, world, call } = setup();
  const live = { empty: false, longPollDelta: 1, longPollIntervalMs: 1000, workId: '', merkleBranchHex: [] };
  view.onTemplate(facts({ live }), null);
  const parked = call({ longPollId: `${HASH[0]}3` });
  t.equal(view.waiters, 1);
  view.onTemplate(facts({ live, counter: 4, prevHashHex: HASH[1] }), null);
  t.match(call().body, `"previousblockhash":"${HASH[0]}"`, 'until then the one before is good');
  t.equal(view.waiters, 1);
  world.tip = HASH[1];
  view.onTip(HASH[1]);
  t.match(parked.body, `"longpollid":"${HASH[1]}4"`);
  t.match(call().body, `"previousblockhash":"${HASH[1]}"`);
  t.equal(view.snapshot()?.facts.counter, 4);
  // Whoever looks at the tip first: asking for it handles all news.
  view.onTemplate(facts({ live, counter: 5, prevHashHex: HASH[0] }), null);
  Object.defineProperty(world, 'tip', {
    get() {
      view.onTip(HASH[0]);
      return HASH[0];
    },
  });
  t.match(call().body, `"longpollid":"${HASH[0]}5"`);
  t.equal(asked.length, 0, 'the node thread was never asked');
});

t.test('gives the empty template to long polls and light clients, and lets other calls wait', async (t) => {
  const { view, state, world, timers, calls, call } = setup();
  const live = { empty: false, longPollDelta: 1, longPollIntervalMs: 60_000, workId: '', merkleBranchHex: [] };
  const empty = { ...live, empty: true };
  view.onTemplate(facts({ live, counter: 1, coinbaseValue: 61 }), null);
  for (const [block, tip] of [HASH[1], '22'.repeat(32), '33'.repeat(32)].entries()) {
    const counter = 2 * block + 2;
    world.tip = tip;
    view.onTemplate(facts({ live: empty, counter, prevHashHex: tip, coinbaseValue: 50 }), null);
    view.onTip(tip);
    const plain = call();
    const gone = call();
    const poll = call({ longPollId: `${HASH[0]}1` });
    const light = call({ light: true });
    t.match(poll.body, '"coinbasevalue":50,', 'answered again: it polls with the id of the empty template');
    t.match(light.body, '"coinbasevalue":50,');
    t.equal(plain.body, undefined);
    t.equal(view.waiters, 2);
    calls.at(-3)!.onAborted!();
    t.equal(view.waiters, 1);
    view.onTemplate(facts({ live, counter: counter + 1, prevHashHex: tip, coinbaseValue: 61 }), null);
    t.match(plain.body, '"coinbasevalue":61,');
    t.equal(gone.body, undefined);
    t.equal(timers.size, 0);
    t.equal(view.waiters, 0);
    t.match(call().body, '"coinbasevalue":61,');
  }
  // Another block comes before the full template is out: the call waits for that one's.
  const before = HASH[1];
  world.tip = before;
  view.onTemplate(facts({ live: empty, counter: 20, prevHashHex: before }), null);
  view.onTip(before);
  const across = call();
  world.tip = HASH[0];
  view.onTemplate(facts({ live: empty, counter: 21 }), null);
  view.onTip(HASH[0]);
  t.equal(across.body, undefined);
  // Three seconds without a full one: the empty one is better than none.
  t.same([...timers.values()], [3000]);
  for (const run of [...timers.keys()]) run();
  t.match(across.body, `"longpollid":"${HASH[0]}21"`);
  const stopped = call();
  state.shuttingDown = true;
  view.stop();
  t.same(stopped.error, [-9, 'Shutting down']);
});

t.test('answers many callers in time slices', async (t) => {
  const { view, asked, world, soon, call } = setup();
  const crowd = Array.from({ length: 100 }, () => call());
  const answered = () => crowd.filter(({ body }) => body !== undefined).length;
  view.onTemplate(facts(), null);
  Object.defineProperty(world, 'nowMs', { get: () => answered() / 10 });
  asked[0]!(0, '');
  t.equal(answered(), 20, 'two milliseconds of them');
  t.ok(call().body, 'a new call does not wait for the rest');
  let turns = 1;
  for (let next = soon.shift(); next !== undefined; next = soon.shift()) {
    next();
    turns++;
  }
  t.equal(answered(), 100);
  t.equal(turns, 5);
});

t.test('asks again when the slab of a template was rewritten', async (t) => {
  const { view, asked, leased, held, world, call } = setup();
  const shared = new SharedArrayBuffer(8);
  new Uint8Array(shared).set(Buffer.from('xx[12]yy'));
  const place = { slabIndex: 4, transactionsOffset: 2, transactionsLength: 4 };
  view.onTemplate(facts(place), { index: 4, use: 1 });
  const one = call();
  t.equal(asked.length, 1);
  leased.set(2, shared);
  world.onDrain = () => view.onTemplate(facts(place), { index: 4, use: 2 });
  const two = call();
  t.match(two.body, '"transactions":[12],', 'found by draining');
  t.equal(two.slab, 4);
  t.same(held, [2]);
  asked[0]!(0, '');
  t.match(one.body, '"transactions":[12],');
  one.release!();
  two.release!();
  t.same(held, []);
});

t.test('compresses a template with gzip once, and not a small one', async (t) => {
  const { view, leased, held, call } = setup();
  const shared = new SharedArrayBuffer(100_000);
  new Uint8Array(shared).fill(0x20).set(Buffer.from('['));
  new Uint8Array(shared)[99_999] = 0x5d;
  leased.set(1, shared);
  view.onTemplate(facts({ slabIndex: 0, transactionsLength: 100_000 }), { index: 0, use: 1 });
  const plain = call();
  t.equal(plain.encoding, 'identity');
  const first = call({}, true);
  const second = call({}, true);
  t.equal(first.body, undefined, 'the first ones wait for it');
  t.same(held, [1, 1, 1]);
  while (!first.bytes || !second.bytes) await new Promise((resolve) => setImmediate(resolve));
  t.same([first.encoding, first.slab], ['gzip', -1]);
  t.equal(gunzipSync(first.bytes).toString(), plain.body);
  t.ok(first.bytes.equals(second.bytes));
  plain.release!();
  t.same(held, [], 'the slab is not needed any more');
  const third = call({}, true);
  await Promise.resolve();
  t.equal(gunzipSync(third.bytes!).toString(), plain.body);
  view.onTemplate(facts(), null);
  t.equal(call({}, true).encoding, 'identity', 'small ones are not worth it');
});

t.test('applies the rules that the client supports to version and vbavailable', async (t) => {
  const { view, call } = setup();
  view.onTemplate(
    facts({
      requiredRules: ['strict'],
      vbAvailable: [
        { name: 'soft', bit: 2, gbtForce: true },
        { name: 'hard', bit: 3, gbtForce: false },
      ],
      version: 0x2000000c,
    }),
    null,
  );
  t.same(call().error, [-8, "Support for 'strict' rule requires explicit client support"]);
  const blind = call({ rules: ['segwit', 'strict'] });
  t.match(blind.body, '"version":536870916,');
  t.match(blind.body, '"vbavailable":{"soft":2,"!hard":3}');
  t.match(call({ rules: ['strict', 'segwit', 'hard'] }).body, '"version":536870924,');
  t.match(call({ rules: [] }).error?.[1], /segwit rule set/);
});

t.test('answers parked calls with an error at shutdown', async (t) => {
  const { view, state, call } = setup();
  view.onTemplate(facts(), null);
  const waiting = call({ longPollId: `${HASH[0]}3` });
  t.equal(view.waiters, 1);
  state.shuttingDown = true;
  view.stop();
  t.same(waiting.error, [-9, 'Shutting down']);
  t.equal(view.waiters, 0);
  t.same(call({ longPollId: `${HASH[0]}3` }).error, [-9, 'Shutting down'], 'no call is parked any more');
});
