// Facts that follow from the tip alone, on networks with different rules, and the text of a reply around the
// transactions.
import t from 'tap';
import { hashToHex } from '../../../src/consensus/bytes/hex.js';
import { medianTimePast } from '../../../src/consensus/header-context.js';
import type { ChainParams } from '../../../src/consensus/params/chain-params.js';
import { NO_TIMEOUT } from '../../../src/consensus/params/deployment.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { VersionBitsCache } from '../../../src/consensus/rules/versionbits.js';
import { METHODS } from '../../../src/rpc/declare/methods.js';
import type { TemplateFacts } from '../../../src/template/facts.js';
import {
  currentBits,
  currentTime,
  longPollId,
  missingRule,
  renderLight,
  renderTemplate,
  targetHex,
} from '../../../src/template/render-template.js';
import type { TemplateTip } from '../../../src/template/source.js';
import { tipFacts } from '../../../src/template/tip-facts.js';

class Header implements TemplateTip {
  readonly hash: Uint8Array;
  constructor(
    readonly prev: Header | null,
    readonly height: number,
    readonly time: number,
    readonly bits: number,
    readonly version: number,
  ) {
    this.hash = new Uint8Array(32).fill(height & 255);
  }
  get hashHex(): string {
    return hashToHex(this.hash);
  }
  medianTimePast(): number {
    return medianTimePast(this);
  }
  ancestor(height: number): Header | null {
    let node: Header | null = this;
    while (node !== null && node.height > height) node = node.prev;
    return node;
  }
}

/** Headers one every ten minutes up to a height. */
function headers(height: number, bits: number, version = 0x20000000, start = 1_700_000_000): Header {
  let node = new Header(null, 0, start, bits, version);
  for (let h = 1; h <= height; h++) node = new Header(node, h, start + h * 600, bits, version);
  return node;
}

const factsOf = (tip: Header, params: ChainParams, blockVersion: number | null = null, release = 21) =>
  tipFacts(tip, params, new VersionBitsCache(), { blockVersion, release });

t.test('omits segwit rules and uses the old limits before segwit activates', async (t) => {
  const params = chainParams('regtest', { activationHeights: { segwit: 50 } });
  const before = factsOf(headers(48, 0x207fffff), params);
  t.equal(before.height, 49);
  t.notOk(before.segwitActive);
  t.ok(before.segwitDefined);
  t.strictSame(before.rules, ['csv', 'taproot']);
  t.strictSame([before.sigopLimit, before.sizeLimit, before.weightLimit], [20_000, 1_000_000, null]);
  const after = factsOf(headers(49, 0x207fffff), params);
  t.ok(after.segwitActive);
  t.strictSame(after.rules, ['csv', '!segwit', 'taproot']);
  t.strictSame([after.sigopLimit, after.sizeLimit, after.weightLimit], [80_000, 4_000_000, 4_000_000]);
  t.notOk(factsOf(headers(49, 0x207fffff), chainParams('regtest', { activationHeights: { segwit: -1 } })).segwitDefined);
});

t.test('lists deployments from started to active, and applies -blockversion', async (t) => {
  const params = chainParams('regtest', { vbparams: [{ name: 'testdummy', startTime: 0n, timeout: NO_TIMEOUT, minActivationHeight: 0 }] });
  const voting = 0x30000000;
  t.strictSame(factsOf(headers(142, 0x207fffff), params).vbAvailable, [], 'defined');
  const started = factsOf(headers(143, 0x207fffff), params);
  t.strictSame(started.vbAvailable, [{ name: 'testdummy', bit: 28, gbtForce: true }]);
  t.equal(started.version, 0x30000000);
  t.equal(factsOf(headers(143, 0x207fffff), params, 1).version, 1, 'a version given by the operator, no bit added');
  const lockedIn = headers(287, 0x207fffff, voting);
  t.equal(factsOf(lockedIn, params).version, 0x30000000);
  t.equal(factsOf(lockedIn, params, 1).version, 0x10000001, 'bits locked in are added to it');
  const active = factsOf(headers(431, 0x207fffff, voting), params);
  t.strictSame(active.vbAvailable, []);
  t.ok(active.rules.includes('testdummy'));
  t.equal(active.version, 0x20000000);
});

t.test('BIP-0054: mintime satisfies the rule at both ends of a period', async (t) => {
  const vbparams = [{ name: 'consensuscleanup', startTime: -1n, timeout: NO_TIMEOUT, minActivationHeight: 0 }];
  const params = chainParams('regtest', { vbparams, regtest: { powTargetTimespan: 1_209_600 } });
  t.ok(factsOf(headers(5, 0x207fffff), params).cleanupActive);
  t.strictSame(factsOf(headers(5, 0x207fffff), params).requiredRules, ['consensuscleanup']);
  t.notOk(factsOf(headers(5, 0x207fffff), chainParams('regtest')).cleanupActive);
  const last = new Header(headers(2014, 0x207fffff), 2015, 1_700_000_000 + 2014 * 600 + 70_000, 0x207fffff, 0x20000000);
  t.equal(factsOf(last, params).minTime, last.time - 600, 'within what the rule allows');
  // The first block of the second period is far ahead of those after it.
  let node = new Header(headers(2015, 0x207fffff), 2016, 1_800_000_000, 0x207fffff, 0x20000000);
  for (let h = 2017; h <= 4030; h++) node = new Header(node, h, 1_700_000_000 + h * 600, 0x207fffff, 0x20000000);
  t.equal(factsOf(node, params).minTime, 1_800_000_000);
  t.equal(factsOf(node, chainParams('regtest')).minTime, node.medianTimePast() + 1);
});

t.test('regtest: limits mintime in the first block of a period of 144 after a block in the future', async (t) => {
  const params = chainParams('regtest');
  const ahead = (height: number) =>
    new Header(headers(height - 1, 0x207fffff), height, 1_700_000_000 + height * 600 + 7_200, 0x207fffff, 0x20000000);
  t.equal(factsOf(ahead(143), params).minTime, ahead(143).time - 600);
  t.equal(factsOf(ahead(142), params).minTime, ahead(142).medianTimePast() + 1, 'not within the period');
  const old = chainParams('regtest', { regtest: { powTargetTimespan: 1_209_600 } });
  t.equal(factsOf(ahead(143), old).minTime, ahead(143).medianTimePast() + 1, 'nor with the period of 0.21.1');
});

t.test("testnet4: lowers the difficulty after twenty minutes, and limits mintime at a period's start", async (t) => {
  const params = chainParams('testnet4');
  const tip = headers(100, 0x1c00ffff);
  const facts = factsOf(tip, params);
  t.equal(facts.bits, 0x1c00ffff);
  t.same(facts.minDifficulty, { afterTime: tip.time + 1200, bits: 0x1d00ffff });
  const shown = { ...facts, time: 0 } as unknown as TemplateFacts;
  t.equal(currentBits(shown, tip.time + 1200), 0x1c00ffff);
  t.equal(currentBits(shown, tip.time + 1201), 0x1d00ffff);
  t.equal(facts.minTime, tip.medianTimePast() + 1);
  // A last block of the period far ahead of its median.
  const last = new Header(headers(2014, 0x1c00ffff), 2015, 1_700_000_000 + 2014 * 600 + 7000, 0x1c00ffff, 0x20000000);
  t.equal(factsOf(last, params).minTime, last.time - 600);
  for (const network of ['main', 'test', 'signet', 'regtest'] as const)
    t.equal(factsOf(last, chainParams(network)).minTime, last.time - 600, `${network} has no such rule, and may get it`);
  t.equal(factsOf(headers(100, 0x1d00ffff), chainParams('main')).minDifficulty, null);
});

const FACTS: TemplateFacts = {
  epoch: 1,
  counter: 124,
  builtAt: 1000,
  time: 1010,
  prevHashHex: '5d'.repeat(32),
  height: 101,
  version: 0x20000010,
  rules: ['csv', '!segwit', '!forced'],
  requiredRules: ['forced'],
  vbAvailable: [
    { name: 'shy', bit: 4, gbtForce: false },
    { name: 'bold', bit: 5, gbtForce: true },
  ],
  coinbaseValue: 5_000_000_123,
  minTime: 1005,
  bits: 0x1d00ffff,
  minDifficulty: null,
  sigopLimit: 80_000,
  sizeLimit: 4_000_000,
  weightLimit: 4_000_000,
  commitmentHex: '6a24aa21a9ed',
  signetChallengeHex: null,
  live: null,
  slabIndex: -1,
  transactionsOffset: 0,
  transactionsLength: 2,
  txCount: 0,
  weight: 4000,
  fees: 0,
};

const text = (facts: TemplateFacts, clientRules: string[]): string => {
  const { head, tail } = renderTemplate(facts, { curtime: 1234, clientRules, longpollid: longPollId(facts) });
  return `${Buffer.from(head)}[]${Buffer.from(tail)}`;
};

t.test("renders getblocktemplate replies with Core's members, in order", async (t) => {
  t.equal(
    text(FACTS, ['segwit', 'shy']),
    '{"capabilities":["proposal"],"version":536870928,"rules":["csv","!segwit","!forced"],"vbavailable":{"!shy":4,"bold":5},"vbrequired":0,' +
      `"previousblockhash":"${'5d'.repeat(32)}","transactions":[],"coinbaseaux":{},"coinbasevalue":5000000123,"longpollid":"${'5d'.repeat(32)}124",` +
      `"target":"00000000ffff${'0'.repeat(52)}","mintime":1005,"mutable":["time","transactions","prevblock"],"noncerange":"00000000ffffffff",` +
      '"sigoplimit":80000,"sizelimit":4000000,"weightlimit":4000000,"curtime":1234,"bits":"1d00ffff","height":101,"default_witness_commitment":"6a24aa21a9ed"}',
  );
  const shy = JSON.parse(text(FACTS, [])) as { version: number };
  t.equal(shy.version, 536870912, 'a client that does not know a deployment does not vote for it');
  const old = JSON.parse(text({ ...FACTS, weightLimit: null, commitmentHex: null, signetChallengeHex: '51' }, [])) as Record<
    string,
    unknown
  >;
  t.notOk('weightlimit' in old);
  t.notOk('default_witness_commitment' in old);
  t.equal(old.signet_challenge, '51');
  t.equal((JSON.parse(text({ ...FACTS, version: 0xe0000000 | 0 }, [])) as { version: number }).version, -536870912, 'versions are signed');
});

t.test('renders a light reply with the members that getblocktemplate declares, in their order', async (t) => {
  const live = { empty: false, longPollDelta: 1, longPollIntervalMs: 1, workId: '07', merkleBranchHex: ['ab'.repeat(32)] };
  const facts = { ...FACTS, signetChallengeHex: '51', txCount: 2, fees: 123, live };
  const { head, tail } = renderTemplate(facts, {
    curtime: 1234,
    clientRules: ['segwit', 'consensuscleanup'],
    longpollid: longPollId(facts),
  });
  const light = JSON.parse(`${Buffer.from(head)}${Buffer.from(renderLight(facts, live, tail))}`) as Record<string, unknown>;
  t.strictSame(
    [light.transactions, light.transactioncount, light.totalfees, light.merklebranch, light.workid],
    [[], 2, 123, ['ab'.repeat(32)], '07'],
  );
  t.strictSame([light.coinbaselocktime, light.coinbasesequence], [100, 4294967294]);
  const declared = METHODS.get('getblocktemplate')!.results.find(({ type }) => type === 'obj')!.inner!;
  t.strictSame(
    declared.map(({ name }) => name),
    Object.keys(light),
    'members in the order of the reply',
  );
});

t.test('computes curtime, missing rules, and targets', async (t) => {
  t.equal(currentTime(FACTS, 900), 1010, 'never before the time of the build');
  t.equal(currentTime(FACTS, 1011), 1011);
  t.equal(currentTime({ ...FACTS, time: 1 }, 2), 1005);
  t.equal(missingRule(FACTS, ['segwit']), 'forced');
  t.equal(missingRule(FACTS, ['segwit', 'forced']), null);
  t.equal(targetHex(0x207fffff), `7fffff${'0'.repeat(58)}`);
  t.equal(targetHex(0x03123456), `${'0'.repeat(58)}123456`);
  t.equal(targetHex(0x02123456), `${'0'.repeat(60)}1234`);
});

t.test('lists taproot before voted deployments for newer releases', async (t) => {
  const params = chainParams('regtest', { vbparams: [{ name: 'testdummy', startTime: -1n, timeout: NO_TIMEOUT, minActivationHeight: 0 }] });
  t.strictSame(factsOf(headers(5, 0x207fffff), params).rules, ['csv', '!segwit', 'testdummy', 'taproot']);
  t.strictSame(factsOf(headers(5, 0x207fffff), params, null, 32).rules, ['csv', '!segwit', 'taproot', 'testdummy']);
});
