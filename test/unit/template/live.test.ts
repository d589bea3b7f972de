// Mode `live` as a whole, without threads: service, view and parked polls. The empty template comes first, and its
// waiters are released when the full one is published. Polls are answered at sufficient gains; light templates keep
// their transactions.
import { performance } from 'node:perf_hooks';
import t from 'tap';
import { coinbaseBranch } from '../../../src/consensus/block/merkle.js';
import { hashToHex, toHex } from '../../../src/consensus/bytes/hex.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { VersionBitsCache } from '../../../src/consensus/rules/versionbits.js';
import type { Verdict } from '../../../src/consensus/state.js';
import type { AssembleReply, AssembleRequest } from '../../../src/jobs/assemble-messages.js';
import { silentLogger } from '../../../src/log/logger.js';
import { RESERVED_WEIGHT } from '../../../src/selection/ancestor-selection.js';
import type { TemplateFacts } from '../../../src/template/facts.js';
import type { TemplateOptions } from '../../../src/template/options.js';
import { TemplateService } from '../../../src/template/service.js';
import { type TemplateBody, TemplateView } from '../../../src/template/view/template-view.js';
import { HandSlabs } from '../../framework/hand-slabs.js';
import { InlineAssembler } from '../../framework/inline-assembler.js';
import { outpointOf, spend } from '../../framework/model-chain.js';
import { createPool, crypto, NO_POLICY } from '../../framework/pool-under-test.js';

const PADDED = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);
const byTxid = (a: { txid: string }, b: { txid: string }): number => (a.txid < b.txid ? -1 : 1);

class NotingAssembler extends InlineAssembler {
  readonly requests: AssembleRequest[] = [];
  override assemble(request: AssembleRequest): Promise<AssembleReply> {
    this.requests.push(request);
    return super.assemble(request);
  }
}

const turn = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
};

function rig(options: Partial<TemplateOptions> = {}) {
  const { chain, clock, pool } = createPool({ policy: NO_POLICY }, () => {});
  const slabs = new HandSlabs();
  const assembler = new NotingAssembler({ hashes: crypto, now: () => performance.now() });
  const timers: { at: number; run: () => void }[] = [];
  let now = 0;
  /** Numbers of transactions of the blocks that were connected dry, and what is said of the next. */
  const judged: number[] = [];
  let verdict: Verdict = null;
  const after = (ms: number, run: () => void) => {
    const timer = { at: now + ms, run };
    timers.push(timer);
    return () => {
      if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1);
    };
  };
  const service = new TemplateService(
    { mode: 'live', longPollDeltaSats: 5000, ...options },
    {
      chain: {
        params: chainParams('regtest'),
        get tip() {
          return chain.tip;
        },
        testBlockValidity: async (block) => {
          judged.push(block.txs.length);
          const { time } = block.header;
          return time > clock.seconds + 7_200 ? { category: 'time-future', reason: 'time-too-new', debug: '' } : verdict;
        },
      },
      mempool: pool,
      assembler,
      slabs,
      clock,
      hashes: crypto,
      versionBits: new VersionBitsCache(),
      log: silentLogger,
      epoch: () => 0,
      after,
    },
  );
  const view = new TemplateView({
    state: {
      mempoolCounter: 0,
      isTestChain: true,
      hasNetwork: true,
      connections: 0,
      initialBlockDownload: false,
      shuttingDown: false,
      nowSeconds: () => clock.seconds,
    },
    timers: { monotonicMs: () => now, after, soon: (run) => void setImmediate(run) },
    tipHex: () => chain.tip.hashHex,
    drain: () => {},
    requestTemplate: (done) => {
      service.refresh().then(
        () => done(0, ''),
        (error: Error) => done(-1, error.message),
      );
    },
    pin: (workId) => service.pin(workId),
    lease: ({ index }) => slabs.taken[index]?.buffer ?? null,
    release: () => {},
  });
  const published: TemplateFacts[] = [];
  service.onPublish((facts) => {
    published.push(facts);
    view.onTemplate(facts, facts.slabIndex < 0 ? null : { index: facts.slabIndex, use: 1 });
  });
  // As node/wiring.ts has it.
  chain.onTip((tip, change) => {
    const outlasts = pool.outlasts(change);
    if (!outlasts) pool.onTip(tip, change);
    service.onTip();
    view.onTip(chain.tip.hashHex);
    if (!outlasts) return;
    if (pool.confirming(change)) service.onConfirmed();
    pool.onTip(tip, change);
  });
  pool.listen({
    added: (entry) => service.onEntered(entry),
    removed: (_entry, reason) => {
      if (reason !== 'block') service.onRanked();
    },
    changed: () => service.onRanked(),
  });
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    for (let due = timers.find(({ at }) => at <= now); due !== undefined; due = timers.find(({ at }) => at <= now)) {
      timers.splice(timers.indexOf(due), 1);
      due.run();
      await turn();
    }
    await turn();
  };
  // biome-ignore lint/suspicious/noExplicitAny: a reply is whatever it says
  const ask = (longPollId: string | null = null, light = false): { reply: any } => {
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const outcome: { reply: any } = { reply: null };
    view.call({
      request: { mode: 'template', data: '', rules: ['segwit'], longPollId, light, limits: null },
      prefix: '',
      suffix: '',
      aborted: false,
      onAborted: null,
      send: ({ parts, release }: TemplateBody) => {
        outcome.reply = JSON.parse(Buffer.concat(parts).toString());
        release();
      },
      fail: (code, message) => {
        outcome.reply = { code, message };
      },
    });
    return outcome;
  };
  const pay = async (fee: number, from = chain.fund(100_000), value = 100_000): Promise<ReturnType<typeof spend>> => {
    const tx = spend(crypto, [from], [{ value: value - fee, script: PADDED }]);
    const { reject } = await pool.accept(tx);
    if (reject !== null) throw new Error(reject.reason);
    return tx;
  };
  const judge = (next: Verdict): void => {
    verdict = next;
  };
  return { chain, clock, pool, service, view, published, ask, pay, pass, assembler, judged, judge };
}

t.test('starts the full template in the tick of the tip, without the transactions of the block', async (t) => {
  const { service, chain, pool, ask, pay, assembler, published, pass } = rig();
  service.start();
  const [parent, left] = [await pay(700), await pay(800)];
  const child = await pay(900, outpointOf(parent, 0), 99_300);
  await pass(1000);
  t.equal(published.at(-1)?.txCount, 3);
  const [parentRow, childRow] = [parent, child].map(({ txid }) => pool.get(txid)?.row);
  assembler.requests.length = 0;
  chain.connect([parent]);
  t.equal(assembler.requests.length, 1, 'before the tick is over');
  t.same(assembler.requests[0]?.delta.removed, [parentRow]);
  t.same(assembler.requests[0]?.delta.changed, [childRow]);
  t.equal(pool.size, 2);
  t.equal(pool.get(child.txid)?.ancestorCount, 1);
  await turn();
  const { transactions } = ask().reply;
  t.strictSame(
    transactions.map(({ txid, depends }: { txid: string; depends: number[] }) => ({ txid, depends })).sort(byTxid),
    [left, child].map(({ txid }) => ({ txid: hashToHex(txid), depends: [] })).sort(byTxid),
  );
  await pass(10_000);
  t.equal(assembler.requests.length, 1, 'what the block took asks for no other build');
});

t.test('delays the full template when the block conflicts with the mempool or a build is running', async (t) => {
  const { service, chain, pool, ask, pay, assembler, published, pass } = rig();
  service.start();
  const coin = chain.fund(100_000);
  const rival = await pay(700, coin);
  const below = await pay(600, outpointOf(rival, 0), 99_300);
  const left = await pay(800);
  await pass(1000);
  t.equal(published.at(-1)?.txCount, 3);
  assembler.requests.length = 0;
  chain.connect([spend(crypto, [coin], [{ value: 90_000, script: PADDED }])]);
  t.equal(assembler.requests.length, 0, 'not yet');
  t.notOk(pool.has(rival.txid) || pool.has(below.txid));
  await turn();
  t.strictSame(
    ask().reply.transactions.map(({ txid }: { txid: string }) => txid),
    [hashToHex(left.txid)],
  );
  const more = await pay(5000);
  // A gain is built in: the block comes before the answer.
  await Promise.resolve();
  chain.connect([left]);
  await turn();
  t.strictSame(
    ask().reply.transactions.map(({ txid }: { txid: string }) => txid),
    [hashToHex(more.txid)],
  );
});

t.test('publishes an empty template first, and releases its clients when the full one is out', async (t) => {
  const { service, chain, ask, pay, published, view } = rig();
  service.start();
  await turn();
  await pay(700);
  chain.connect([]);
  // The empty one is out in the first turns, before the full one.
  await turn();
  const [empty, full] = published.slice(-2);
  t.equal(empty.live?.empty, true);
  t.equal(empty.txCount, 0);
  t.equal(empty.weight, RESERVED_WEIGHT);
  t.equal(full.live?.empty, false);
  t.equal(full.txCount, 1);
  t.not(full.counter, empty.counter, 'a counter of its own');
  const late = ask(chain.tip.hashHex + empty.counter);
  t.equal(late.reply.transactions.length, 1, 'a client with the empty template is answered at once');
  const parked = ask(late.reply.longpollid);
  t.equal(view.waiters, 1);
  chain.connect([]);
  t.equal(view.waiters, 0, 'a new tip lets everyone go');
  await turn();
  t.equal(parked.reply.previousblockhash, chain.tip.hashHex);
  t.equal(parked.reply.transactions.length, 0, 'with the empty template');
  const next = ask(parked.reply.longpollid);
  await turn();
  t.equal(next.reply.transactions.length, 1);
});

t.test('publishes the first template of a tip together with the tip', async (t) => {
  const { service, chain, pay, published, pool } = rig();
  service.start();
  await turn();
  const tx = await pay(700);
  const before = published.length;
  chain.connect([tx]);
  t.equal(published.length, before + 1, 'published when the tip is');
  t.equal(published.at(-1)?.prevHashHex, chain.tip.hashHex);
  t.equal(published.at(-1)?.live?.empty, false, 'there is nothing to wait for');
  await turn();
  t.equal(published.length, before + 1, 'so it stays');
  chain.reorg(1, [[], []]);
  t.equal(pool.size, 0);
  t.equal(published.at(-1)?.prevHashHex, chain.tip.hashHex);
  t.equal(published.at(-1)?.live?.empty, true, 'what the other branch had confirmed is on its way back');
  await pool.settled();
  await turn();
  t.equal(published.at(-1)?.txCount, 1);
  const ids = published.map(({ prevHashHex, counter }) => prevHashHex + counter);
  t.equal(new Set(ids).size, ids.length, 'no id twice');
});

t.test('-checktemplates checks the first template of a tip before its publication', async (t) => {
  const { service, chain, pay, published } = rig({ checkTemplates: true });
  service.start();
  await turn();
  await pay(700);
  const before = published.length;
  chain.connect([]);
  t.equal(published.length, before);
  await turn();
  t.strictSame(
    published.slice(before).map(({ live }) => live?.empty),
    [true, false],
  );
});

t.test('checks one full template of each tip after its publication', async (t) => {
  const { service, chain, ask, pay, pass, judged } = rig();
  service.start();
  await turn();
  t.same(judged, [], 'one without transactions is not');
  await pay(700);
  await pass(1000);
  t.equal(ask().reply.transactions.length, 1);
  await pass(1000);
  t.same(judged, [2]);
  await pay(800);
  await pass(5000);
  t.equal(ask().reply.transactions.length, 2);
  t.same(judged, [2], 'the next of this tip is not');
  chain.connect([]);
  await pass(0);
  chain.connect([]);
  await pass(1000);
  t.same(judged, [2], 'a tip that was replaced before its check is skipped');
  await pass(1000);
  t.same(judged, [2, 3]);
});

t.test('retains a valid template when the clock is set back', async (t) => {
  const { service, clock, pay, pass, judged, published } = rig();
  clock.seconds += 100_000;
  service.start();
  await turn();
  await pay(700);
  await pass(1000);
  clock.seconds -= 100_000;
  await pass(1000);
  t.same(judged, [2]);
  t.equal(published.at(-1)?.live?.empty, false, 'it was not taken back');
});

t.test('withdraws a template that breaks a rule, and checks the next ones before publication', async (t) => {
  const { service, ask, pay, pass, judged, judge, published } = rig();
  service.start();
  await turn();
  await pay(700);
  judge({ category: 'consensus', reason: 'bad-txns-inputs-missingorspent', debug: '' });
  await pass(1000);
  const bad = ask().reply;
  t.equal(bad.transactions.length, 1, 'handed out');
  const parked = ask(bad.longpollid);
  const failures = service.stats().failures;
  await pass(1000);
  t.equal(parked.reply.transactions.length, 0, 'a client that has it is answered at once');
  t.equal(parked.reply.previousblockhash, bad.previousblockhash);
  t.equal(published.at(-1)?.live?.empty, true);
  t.ok(service.stats().failures > failures);
  await pass(5000);
  t.equal(published.at(-1)?.live?.empty, true, 'no other goes out while they fail');
  const late = ask(parked.reply.longpollid);
  judge(null);
  const before = judged.length;
  await pass(1000);
  t.equal(late.reply.transactions.length, 1);
  t.equal(judged.length, before + 1, 'this one was connected dry first');
});

t.test('-emptyfirst=0 never publishes an empty template while there are transactions', async (t) => {
  const { service, chain, ask, pay, published } = rig({ emptyFirst: false });
  service.start();
  await turn();
  await pay(700);
  const waits = ask(null);
  await turn();
  const parked = ask(waits.reply.longpollid);
  chain.connect([]);
  await turn();
  t.equal(parked.reply.transactions.length, 1);
  t.ok(published.every(({ live }) => live?.empty === false));
});

t.test('answers long polls after a large gain, or after any change once the interval is over', async (t) => {
  const { service, ask, pay, pass, view } = rig({ longPollIntervalSeconds: 30 });
  service.start();
  await turn();
  const first = ask();
  await turn();
  const parked = ask(first.reply.longpollid);
  await pay(3000);
  await pass(1000);
  t.equal(parked.reply, null, 'built, and not worth waking anyone');
  t.equal(ask().reply.transactions.length, 1, 'a new call gets it');
  await pay(2000);
  await pass(1000);
  t.equal(parked.reply.transactions.length, 2, 'now it is');
  const second = ask(parked.reply.longpollid);
  await pay(200);
  await pass(2000);
  t.equal(second.reply, null);
  await pass(28_000);
  t.equal(second.reply.transactions.length, 3, 'the interval is over');
  const third = ask(second.reply.longpollid);
  await pass(30_500);
  t.equal(third.reply, null, 'nothing new to tell');
  await pay(1);
  await pass(2000);
  t.equal(third.reply, null, 'what is not worth a place in the block is no news');
  await pay(200);
  for (let i = 0; i < 3; i++) await pass(1000);
  t.equal(third.reply.transactions.length, 4, 'overdue: the next change is enough');
  t.equal(view.waiters, 0);
});

t.test('a light template leads to the same block and stays submittable for two blocks', async (t) => {
  const { service, chain, ask, pay, pass } = rig();
  service.start();
  await turn();
  const parent = await pay(700);
  const child = await pay(900, outpointOf(parent, 0), 99_300);
  await pay(800);
  await pass(1000);
  const whole = ask().reply;
  const light = ask(null, true).reply;
  t.strictSame(light.transactions, []);
  t.equal(light.transactioncount, 3);
  t.equal(light.totalfees, 2400);
  t.equal(light.coinbasevalue, whole.coinbasevalue);
  t.equal(light.default_witness_commitment, whole.default_witness_commitment);
  t.equal(light.longpollid, whole.longpollid);
  const pinned = service.pinned(light.workid);
  t.strictSame(
    pinned?.map(({ bytes }) => toHex(bytes)),
    whole.transactions.map(({ data }: { data: string }) => data),
  );
  const branch = coinbaseBranch([new Uint8Array(32), ...(pinned ?? []).map(({ txid }) => txid)], crypto);
  t.strictSame(light.merklebranch, branch.map(toHex));
  t.ok(whole.transactions.some(({ data }: { data: string }) => data === toHex(child.bytes)));
  chain.connect([]);
  await turn();
  chain.connect([]);
  await turn();
  t.not(service.pinned(light.workid), null, 'its own height and one more');
  chain.connect([]);
  await turn();
  t.equal(service.pinned(light.workid), null);
  t.equal(service.pin(light.workid), false);
});

t.test('holds at most 64 templates for submission', async (t) => {
  const { service, ask, pay, pass } = rig();
  service.start();
  await turn();
  const ids: string[] = [];
  for (let i = 0; i < 70; i++) {
    await pay(100 + i);
    await pass(1000);
    ids.push(ask(null, true).reply.workid);
  }
  t.equal(new Set(ids).size, 70);
  t.equal(ids.filter((workId) => service.pinned(workId) !== null).length, 64);
  t.equal(service.pinned(ids[5]), null);
  t.not(service.pinned(ids[6]), null);
});

t.test('handles transactions that arrive and are confirmed between two templates', async (t) => {
  const { service, chain, ask, pay, pass, pool } = rig({ emptyFirst: false });
  service.start();
  await turn();
  for (let i = 0; i < 10; i++) {
    const passing = await pay(300 + i);
    const alsoPassing = await pay(400, outpointOf(passing, 0), 100_000 - 300 - i);
    const staying = await pay(500 + i);
    chain.connect([passing, alsoPassing]);
    await pass(1000);
    t.equal(pool.size, i + 1);
    const { transactions } = ask().reply;
    t.equal(transactions.length, i + 1);
    t.ok(transactions.some(({ data }: { data: string }) => data === toHex(staying.bytes)));
  }
});

t.test('makes no templates while the clock is behind the tip, and makes them again when it is right', async (t) => {
  const { service, chain, clock, view, published, ask, pay, pass, judged } = rig({ release: 32 });
  const refused = { code: -1, message: 'TestBlockValidity failed: time-too-new, block timestamp too far in the future' };
  service.start();
  await pay(700);
  await pass(1000);
  const first = ask();
  await pass(0);
  t.match(first.reply, { transactions: { length: 1 } });
  const right = clock.seconds;
  // One second below what the rule allows: the earliest time of a block lies just two hours ahead.
  const limit = service.tip.facts.minTime - 7_200;
  clock.seconds = limit;
  t.equal(service.clockBehind, false);
  clock.seconds = limit - 1;
  t.equal(service.clockBehind, true);
  service.clockChanged();
  t.equal(service.current(), null);
  t.equal(view.snapshot(), null, 'for streams');
  for (const light of [false, true]) {
    const call = ask(null, light);
    await pass(0);
    t.same(call.reply, refused);
  }
  await t.rejects(service.limited({ exclude: [] } as never), { message: refused.message });
  await t.rejects(service.choose({ weight: 4_000, sigops: 400 }), { message: refused.message }, 'for Stratum V2');
  const poll = ask(first.reply.longpollid);
  await pass(0);
  t.equal(poll.reply, null, 'a poll for what is newer waits');
  const before = published.length;
  chain.connect([]);
  await pass(5_000);
  t.same(poll.reply, refused, 'until the tip moves');
  t.equal(published.length, before, 'nor is an empty template published for the new tip');
  clock.seconds = right;
  service.clockChanged();
  await pass(1_000);
  t.ok(published.length > before, 'without a request');
  const again = ask();
  await pass(0);
  t.equal(again.reply.previousblockhash, chain.tip.hashHex);
  t.equal(again.reply.curtime, Math.max(right, again.reply.mintime));
  t.same(
    judged.filter((txs) => txs > 5),
    [],
  );
});

t.test('replaces a template from a clock that was ahead once the clock is right', async (t) => {
  const { service, clock, ask, pay, pass } = rig();
  const right = clock.seconds;
  clock.seconds += 86_400;
  service.start();
  await pay(700);
  await pass(1000);
  const wrong = ask();
  await pass(0);
  t.equal(wrong.reply.curtime, right + 86_400);
  clock.seconds = right;
  const mended = ask();
  await pass(1_000);
  t.equal(mended.reply.curtime, Math.max(right, mended.reply.mintime));
  t.equal(mended.reply.transactions.length, 1);
});
