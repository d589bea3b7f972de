// The template service: when it keeps a template and when it builds a new one, the content of templates, and that it
// never publishes an outdated one.
import { performance } from 'node:perf_hooks';
import t from 'tap';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { blockMerkleRoot } from '../../../src/consensus/block/merkle.js';
import { equalBytes, hashToHex, toHex } from '../../../src/consensus/bytes/hex.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { VersionBitsCache } from '../../../src/consensus/rules/versionbits.js';
import type { Verdict } from '../../../src/consensus/state.js';
import { silentLogger } from '../../../src/log/logger.js';
import type { TemplateFacts } from '../../../src/template/facts.js';
import type { TemplateOptions } from '../../../src/template/options.js';
import { currentTime, longPollId, renderTemplate } from '../../../src/template/render-template.js';
import { TemplateService } from '../../../src/template/service.js';
import { HandSlabs } from '../../framework/hand-slabs.js';
import { InlineAssembler } from '../../framework/inline-assembler.js';
import { outpointOf, spend } from '../../framework/model-chain.js';
import { createPool, crypto, NO_POLICY } from '../../framework/pool-under-test.js';

const PADDED = Uint8Array.of(28, ...new Uint8Array(28), 0x75, 0x51);
/** The commitment of a block with nothing but a coinbase. */
const EMPTY_COMMITMENT = '6a24aa21a9ede2f61c3f71d1defd3fa999dfa36953755c690689799962b48bebd836974e8cf9';
const HALVINGS_AT_201 = 25e8;

function createService(options: Partial<TemplateOptions> = {}) {
  const { chain, clock, pool } = createPool({ policy: NO_POLICY });
  const slabs = new HandSlabs();
  const judged: Uint8Array[] = [];
  let verdict: Verdict = null;
  let epoch = 0;
  const view = {
    params: chainParams('regtest'),
    get tip() {
      return chain.tip;
    },
    testBlockValidity: async (block: { bytes: Uint8Array }): Promise<Verdict> => {
      judged.push(block.bytes);
      return verdict;
    },
  };
  const service = new TemplateService(
    { checkTemplates: true, ...options },
    {
      chain: view,
      mempool: pool,
      assembler: new InlineAssembler({ hashes: crypto, now: () => performance.now() }),
      slabs,
      clock,
      hashes: crypto,
      versionBits: new VersionBitsCache(),
      log: silentLogger,
      epoch: () => epoch,
    },
  );
  chain.onTip(() => {
    epoch++;
    service.onTip();
  });
  const published: TemplateFacts[] = [];
  service.onPublish((facts) => published.push(facts));
  const pay = async (fee: number, extra: { sequence?: number } = {}): Promise<ReturnType<typeof spend>> => {
    const tx = spend(crypto, [chain.fund(100_000)], [{ value: 100_000 - fee, script: PADDED }], extra);
    const { reject } = await pool.accept(tx);
    if (reject !== null) throw new Error(reject.reason);
    return tx;
  };
  const reject = (to: Verdict): void => {
    verdict = to;
  };
  return { chain, clock, pool, slabs, service, published, judged, pay, reject };
}

t.test('builds an empty template without slab and assembler', async (t) => {
  const { service, slabs, published, chain, clock, judged } = createService();
  t.equal(service.current(), null);
  t.equal(service.lastAssembly, null);
  const facts = await service.refresh();
  t.equal(facts.slabIndex, -1);
  t.equal(facts.transactionsLength, 2);
  t.equal(facts.commitmentHex, EMPTY_COMMITMENT);
  t.equal(facts.coinbaseValue, HALVINGS_AT_201);
  t.equal(facts.height, 201);
  t.equal(facts.prevHashHex, chain.tip.hashHex);
  t.equal(facts.builtAt, clock.seconds);
  t.equal(facts.minTime, chain.tip.time - 5 + 1);
  t.equal(facts.weight, 4000);
  t.equal(slabs.taken.length, 0);
  t.same(service.lastAssembly, { weight: 4000, txCount: 0 });
  t.strictSame(published, [facts]);
  t.equal(judged.length, 1, 'connected dry');
  t.equal(service.current(), facts);
});

t.test('retains a template for five seconds while only the mempool changes', async (t) => {
  const { service, clock, pay, published, pool } = createService();
  const first = await service.refresh();
  await pay(1000);
  t.equal(await service.refresh(), first);
  clock.seconds += 5;
  t.equal(await service.refresh(), first, 'exactly five seconds: retained');
  clock.seconds += 1;
  const second = await service.refresh();
  t.equal(second.txCount, 1);
  t.equal(second.counter, pool.counter);
  t.equal(second.fees, 1000);
  t.equal(second.coinbaseValue, HALVINGS_AT_201 + 1000);
  clock.seconds += 100;
  t.equal(await service.refresh(), second, 'retained while nothing changes');
  t.equal(published.length, 2);
});

t.test('builds one new template after a new tip, shared by all callers', async (t) => {
  const { service, chain, pay, published, slabs } = createService();
  await pay(500);
  const before = await service.refresh();
  chain.connect([]);
  t.equal(service.current(), null, 'the old one is never handed out again');
  const [a, b, c] = await Promise.all([service.refresh(), service.refresh(), service.refresh()]);
  t.equal(a, b);
  t.equal(b, c);
  t.equal(a.height, before.height + 1);
  t.equal(a.epoch, before.epoch + 1);
  t.equal(published.length, 2);
  t.strictSame(slabs.published, [0, 1]);
});

t.test('discards a build when a new tip arrives during it', async (t) => {
  const { service, chain, pay, published, slabs } = createService();
  const tx = await pay(500);
  let open = (): void => {};
  slabs.gate = new Promise((resolve) => {
    open = resolve;
  });
  const wanted = service.refresh();
  await Promise.resolve();
  chain.connect([tx]);
  open();
  const facts = await wanted;
  t.equal(facts.prevHashHex, chain.tip.hashHex);
  t.equal(facts.txCount, 0);
  t.strictSame(published, [facts]);
  t.equal(slabs.published.length, 1);
  t.equal(slabs.discarded.length, slabs.taken.length - 1, 'every other slab went back');
});

t.test('publishes the transactions of the block that was checked', async (t) => {
  const { service, pay, judged, slabs, clock } = createService();
  const txs = [await pay(300), await pay(900), await pay(600)];
  const facts = await service.refresh();
  const list = JSON.parse(
    Buffer.from(slabs.taken[facts.slabIndex].buffer, facts.transactionsOffset, facts.transactionsLength).toString(),
  ) as { txid: string; data: string }[];
  t.strictSame(
    list.map(({ txid }) => txid),
    [1, 2, 0].map((i) => hashToHex(txs[i].txid)),
  );
  const block = parseBlock(judged[0], crypto);
  t.strictSame(
    block.txs.slice(1).map((tx) => toHex(tx.bytes)),
    list.map(({ data }) => data),
  );
  t.equal(facts.weight, 4000 + txs.reduce((sum, tx) => sum + tx.weight, 0));
  const coinbase = block.txs[0];
  t.equal(toHex(coinbase.scriptSig(0)), '02c90000', 'height 201, then a zero');
  t.equal(coinbase.outputValue(0), HALVINGS_AT_201 + 1800);
  t.equal(toHex(coinbase.outputScript(1)), facts.commitmentHex);
  t.strictSame(coinbase.witness(0), [new Uint8Array(32)]);
  const { head, tail } = renderTemplate(facts, {
    curtime: currentTime(facts, clock.seconds + 9),
    clientRules: ['segwit'],
    longpollid: longPollId(facts),
  });
  const whole = JSON.parse(`${Buffer.from(head)}${JSON.stringify(list)}${Buffer.from(tail)}`) as Record<string, unknown>;
  t.strictSame(Object.keys(whole), [
    'capabilities',
    'version',
    'rules',
    'vbavailable',
    'vbrequired',
    'previousblockhash',
    'transactions',
    'coinbaseaux',
    'coinbasevalue',
    'longpollid',
    'target',
    'mintime',
    'mutable',
    'noncerange',
    'sigoplimit',
    'sizelimit',
    'weightlimit',
    'curtime',
    'bits',
    'height',
    'default_witness_commitment',
  ]);
  t.equal(whole.curtime, clock.seconds + 9);
  t.equal(whole.longpollid, facts.prevHashHex + facts.counter);
  t.equal(whole.target, '7fffff0000000000000000000000000000000000000000000000000000000000');
  t.same(whole.vbavailable, { testdummy: 28 });
  t.equal(whole.version, 0x30000000);
});

t.test('waits for returning transactions after a reorganisation', async (t) => {
  const { service, chain, pay } = createService();
  const tx = await pay(500);
  await service.refresh();
  chain.connect([tx]);
  t.equal((await service.refresh()).txCount, 0);
  chain.reorg(1, [[], []]);
  const facts = await service.refresh();
  t.equal(facts.txCount, 1);
  t.equal(facts.prevHashHex, chain.tip.hashHex);
});

t.test('includes no child without its parent when a reorganisation comes while it waits for a slab', async (t) => {
  const { service, chain, slabs, pool, pay } = createService({ checkTemplates: false });
  const parent = await pay(500);
  chain.connect([parent]);
  const child = spend(crypto, [outpointOf(parent, 0)], [{ value: 90_000, script: PADDED }]);
  t.equal((await pool.accept(child)).reject, null);
  let open: () => void = () => {};
  slabs.gate = new Promise((resolve) => {
    open = resolve;
  });
  const asked = service.refresh();
  await new Promise((resolve) => setImmediate(resolve));
  chain.reorg(1, [[], []]);
  open();
  const facts = await asked;
  t.equal(facts.prevHashHex, chain.tip.hashHex);
  t.equal(facts.txCount, 2, 'both, or the block would be invalid');
});

t.test('does not publish or cache a template that fails to connect', async (t) => {
  const { service, published, reject, slabs, pay } = createService();
  await pay(100);
  reject({ category: 'consensus', reason: 'bad-cb-amount', debug: 'why' });
  const message = 'TestBlockValidity failed: bad-cb-amount, why';
  await t.rejects(service.refresh(), { message: `CreateNewBlock: ${message}`, code: 'TEMPLATE_FAULT' });
  t.equal(service.current(), null);
  t.equal(published.length, 0);
  t.strictSame(slabs.discarded, [0]);
  t.equal(service.stats().failures, 1);
  reject(null);
  t.equal((await service.refresh()).txCount, 1);
});

t.test('omits the function name from the error of an invalid template for later releases', async (t) => {
  const { service, reject } = createService({ release: 32 });
  reject({ category: 'consensus', reason: 'bad-cb-amount', debug: '' });
  await t.rejects(service.refresh(), { message: 'TestBlockValidity failed: bad-cb-amount', code: 'TEMPLATE_FAULT' });
});

t.test('assembles blocks for the generate calls', async (t) => {
  const { service, pay, chain } = createService();
  const tx = await pay(700);
  const script = Uint8Array.of(0x51, 0x51);
  const candidate = await service.assembleBlock(script);
  const block = parseBlock(candidate.bytes(0xdeadbeef), crypto);
  t.equal(block.header.nonce, 0xdeadbeef);
  t.ok(equalBytes(block.header.merkleRoot, blockMerkleRoot(block).root));
  t.ok(equalBytes(block.header.prevHash, chain.tip.hash));
  t.equal(toHex(block.txs[0].scriptSig(0)), '02c9000101', 'height 201, then extra nonce 1');
  t.strictSame([...block.txs[0].outputScript(0)], [...script]);
  t.equal(hashToHex(block.txs[1].txid), hashToHex(tx.txid));
  t.same(service.lastAssembly, { weight: 4000 + tx.weight, txCount: 1 });
  const own = spend(crypto, [chain.fund(5_000)], [{ value: 4_000, script: PADDED }]);
  const given = parseBlock((await service.assembleBlock(script, { transactions: [own], extraNonce: 200 })).bytes(), crypto);
  t.equal(given.txs.length, 2);
  t.equal(given.txs[0].outputValue(0), HALVINGS_AT_201, 'their fees are not claimed');
  t.equal(toHex(given.txs[0].scriptSig(0)), '02c90002c800');
  t.same(service.lastAssembly, { weight: 4000, txCount: 0 });
  t.equal(parseBlock((await service.assembleBlock(script, { empty: true })).bytes(), crypto).txs.length, 1);
});

t.test('applies -blockmaxweight and -blockmintxfee', async (t) => {
  const { service, pay } = createService({ maxWeight: 5000, minFeeRate: 5000 });
  const cheap = await pay(Math.ceil(5 * 80));
  await pay(50_000);
  await pay(40_000);
  await pay(30_000);
  const facts = await service.refresh();
  t.equal(facts.txCount, Math.floor(999 / cheap.weight), 'as many as stay below the limit');
  t.ok(facts.weight < 5000);
});

t.test('builds a limited template on one tip, even if the tip changes meanwhile', async (t) => {
  const { chain, service, pay } = createService();
  await pay(1000);
  let moves = 3;
  service.onPublish(() => {
    if (moves-- > 0) chain.connect([]);
  });
  const { facts } = await service.limited({ maxWeight: 100_000, maxSigops: null, minFeeRate: null, exclude: [] });
  t.equal(facts.prevHashHex, chain.tip.hashHex);
  const shared = service.current()!;
  t.strictSame([facts.epoch, facts.counter, facts.builtAt], [shared.epoch, shared.counter, shared.builtAt]);
  t.equal(facts.epoch, 3);
});

t.test('mode core of 0.21.1 keeps the cached template and makes no new one while the clock is behind the tip', async (t) => {
  const { service, clock, chain } = createService({ checkTemplates: false, keptBehindClock: true });
  const first = await service.refresh();
  clock.seconds = first.minTime - 7_201;
  service.clockChanged();
  t.equal(await service.refresh(), first);
  chain.connect([]);
  await t.rejects(service.refresh(), { message: /time-too-new/ });
});

t.test('mode core makes no templates while the clock is behind the tip', async (t) => {
  const { service, clock, published } = createService({ checkTemplates: false });
  const first = await service.refresh();
  const right = clock.seconds;
  clock.seconds = first.minTime - 7_201;
  await t.rejects(service.refresh(), {
    message: 'CreateNewBlock: TestBlockValidity failed: time-too-new, block timestamp too far in the future',
  });
  clock.seconds += 1;
  t.equal((await service.refresh()).minTime, first.minTime, 'two hours are allowed');
  clock.seconds = right;
  await service.refresh();
  t.equal(published.length, 2);
});
