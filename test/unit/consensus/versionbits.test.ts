// Tests version bits: states over periods of 144 blocks, the heights at which they begin, statistics, votes, block
// versions, and script flags by deployment.

import t from 'tap';
import { hashFromHex } from '../../../src/consensus/bytes/hex.js';
import type { ChainParams } from '../../../src/consensus/params/chain-params.js';
import type { Deployment } from '../../../src/consensus/params/deployment.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { blockScriptFlags } from '../../../src/consensus/rules/block-script-flags.js';
import {
  computeBlockVersion,
  type DeploymentState,
  deploymentSince,
  deploymentState,
  deploymentStatistics,
  signals,
  unknownVotes,
  VersionBitsCache,
} from '../../../src/consensus/rules/versionbits.js';
import { parseScriptFlags } from '../../../src/consensus/script/flags.js';
import { silentLogger } from '../../../src/log/logger.js';
import { RuleWatch } from '../../../src/node/rule-watch.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { fc } from '../../framework/fast-check.js';
import { ModelNode } from '../../framework/law-model.js';

const regtest = chainParams('regtest');
const HASH = new Uint8Array(32);
const VOTE = 0x20000000 | (1 << 28);
const NO_VOTE = 0x20000000;

const withDummy = (change: Partial<Deployment>): { params: ChainParams; dummy: Deployment } => {
  const dummy: Deployment = { ...regtest.deployments[0], ...change };
  return { params: { ...regtest, deployments: [dummy, regtest.deployments[1]] }, dummy };
};

/** Appends blocks, by default one second apart. */
function extend(node: ModelNode | null, count: number, version: number | ((height: number) => number), spacing = 1): ModelNode {
  let tip = node;
  for (let i = 0; i < count; i++) {
    const height: number = tip === null ? 0 : tip.height + 1;
    tip = new ModelNode(tip, 1_000_000 + height * spacing, 1, typeof version === 'number' ? version : version(height), HASH);
  }
  if (tip === null) throw new Error('no blocks');
  return tip;
}

t.test('recognises votes by the top bits and the bit of a version', async (t) => {
  t.ok(signals(VOTE, 28));
  t.notOk(signals(NO_VOTE, 28));
  t.notOk(signals(0x10000000, 28), 'other top bits');
  t.notOk(signals(0x60000000 | (1 << 28), 28));
  t.notOk(signals(-1, 28));
  t.notOk(signals(4, 2));
  t.ok(signals(0x20000004, 2));
});

t.test('activates a deployment at block 432 of a regtest chain on which all blocks vote', async (t) => {
  const { params, dummy } = withDummy({});
  const cache = new VersionBitsCache();
  const state = (tip: ModelNode | null) => deploymentState(dummy, tip, params, cache);
  const tip = extend(null, 600, VOTE);
  t.equal(state(null), 'defined');
  const at = (height: number) => tip.ancestor(height);
  // The state of block h is computed from its parent h - 1.
  const expected: [number, DeploymentState, number][] = [
    [1, 'defined', 0],
    [143, 'defined', 0],
    [144, 'started', 144],
    [287, 'started', 144],
    [288, 'locked_in', 288],
    [431, 'locked_in', 288],
    [432, 'active', 432],
    [600, 'active', 432],
  ];
  for (const [height, name, since] of expected) {
    t.equal(state(at(height - 1)), name, `block ${height}`);
    t.equal(deploymentSince(dummy, at(height - 1), params, cache), since);
    t.equal(deploymentState(dummy, at(height - 1), params, new VersionBitsCache()), name, 'without the cache');
  }
  t.equal(computeBlockVersion(at(142), params, cache), NO_VOTE);
  t.equal(computeBlockVersion(at(143), params, cache), 805306368);
  t.equal(computeBlockVersion(at(287), params, cache), 805306368);
  t.equal(computeBlockVersion(at(431), params, cache), 536870912);
});

t.test('locks in a deployment at 108 votes of 144, and counts them in statistics', async (t) => {
  const { params, dummy } = withDummy({});
  for (const [votes, expected] of [
    [107, 'started'],
    [108, 'locked_in'],
  ] as const) {
    const start = extend(null, 144, NO_VOTE);
    const tip = extend(start, 144, (height) => (height - 144 < votes ? VOTE : NO_VOTE));
    t.equal(deploymentState(dummy, tip, params, new VersionBitsCache()), expected, `${votes} votes`);
  }
  const start = extend(null, 144, VOTE);
  t.same(
    deploymentStatistics(dummy, start, params),
    { period: 144, threshold: 108, elapsed: 0, count: 0, possible: true },
    'last block of a period',
  );
  const some = extend(start, 50, (height) => (height % 2 === 0 ? VOTE : NO_VOTE));
  t.same(deploymentStatistics(dummy, some, params), { period: 144, threshold: 108, elapsed: 50, count: 25, possible: true });
  t.match(deploymentStatistics(dummy, extend(start, 36, NO_VOTE), params), { elapsed: 36, possible: true });
  // Later versions count the tip's own period: at its last block the period is complete.
  t.match(deploymentStatistics(dummy, some, params, true), { elapsed: 50, count: 25 });
  t.match(deploymentStatistics(dummy, start, params, true), { elapsed: 144 });
  t.match(deploymentStatistics(dummy, extend(start, 37, NO_VOTE), params), { elapsed: 37, possible: false });
});

t.test('observes start, timeout and minimum activation height of a deployment', async (t) => {
  // Blocks ten seconds apart: the median time of block h is 1,000,000 + 10 (h - 5).
  const state = (change: Partial<Deployment>, length: number, version: number) => {
    const { params, dummy } = withDummy(change);
    return deploymentState(dummy, extend(null, length, version, 10), params, new VersionBitsCache());
  };
  const median = (height: number) => BigInt(1_000_000 + 10 * (height - 5));
  t.equal(state({ startTime: median(287) }, 288, VOTE), 'started');
  t.equal(state({ startTime: median(287) + 1n }, 288, VOTE), 'defined');
  const timeout = { startTime: 0n, timeout: median(287) };
  t.equal(state(timeout, 288, NO_VOTE), 'failed');
  t.equal(state(timeout, 288, VOTE), 'locked_in', 'the threshold is checked first');
  t.equal(state(timeout, 1000, NO_VOTE), 'failed', 'for good');
  t.equal(state({ ...timeout, timeout: median(287) + 1n }, 288, NO_VOTE), 'started');
  // Start time and timeout both passed before the first period ends. A deployment cannot fail without one period of
  // voting.
  t.equal(state({ startTime: 0n, timeout: 0n }, 144, NO_VOTE), 'started');
  t.equal(state({ startTime: 0n, minActivationHeight: 577 }, 576, VOTE), 'locked_in');
  t.equal(state({ startTime: 0n, minActivationHeight: 576 }, 576, VOTE), 'active');
  t.equal(state({ startTime: 0n, minActivationHeight: 577 }, 720, VOTE), 'active');
  t.equal(state({ startTime: -1n }, 1, NO_VOTE), 'active');
  t.equal(state({ startTime: -2n }, 1000, VOTE), 'failed');
  const { params, dummy } = withDummy({ startTime: -1n });
  t.equal(deploymentSince(dummy, extend(null, 300, NO_VOTE), params, new VersionBitsCache()), 0);
});

t.test('computes deployment states as a naive model does', async (t) => {
  // Small periods, random votes and branches. The model goes through every period from genesis each time.
  const { params: base, dummy } = withDummy({ startTime: 1_000_030n, timeout: 1_000_090n, minActivationHeight: 60 });
  const params = { ...base, minerConfirmationWindow: 8, ruleChangeThreshold: 6 };
  const naive = (tip: ModelNode): DeploymentState => {
    let state: DeploymentState = 'defined';
    for (let end = 7; end <= tip.height; end += 8) {
      const node = tip.ancestor(end);
      if (node === null) throw new Error('no such block');
      const median = BigInt(node.medianTimePast());
      if (state === 'defined') {
        if (median >= dummy.startTime) state = 'started';
      } else if (state === 'started') {
        let votes = 0;
        for (let h = end - 7; h <= end; h++) if (signals(tip.ancestor(h)?.version ?? 0, 28)) votes++;
        if (votes >= 6) state = 'locked_in';
        else if (median >= dummy.timeout) state = 'failed';
      } else if (state === 'locked_in' && end + 1 >= dummy.minActivationHeight) state = 'active';
    }
    return state;
  };
  const seen = new Set<DeploymentState>();
  fc.assert(
    fc.property(
      fc.nat({ max: 4 }),
      fc.array(fc.record({ mood: fc.nat({ max: 3 }), back: fc.nat({ max: 20 }) }), { minLength: 30, maxLength: 60 }),
      (zeal, steps) => {
        const cache = new VersionBitsCache();
        let tip = extend(null, 1, NO_VOTE);
        for (const { mood, back } of steps) {
          // Sometimes the chain branches off some blocks below the tip.
          if (back > 14) tip = tip.ancestor(Math.max(0, tip.height - (back - 14))) ?? tip;
          tip = extend(tip, 1 + (back % 6), mood < zeal ? VOTE : NO_VOTE);
          const state = deploymentState(dummy, tip, params, cache);
          seen.add(state);
          if (state !== naive(tip)) return false;
        }
        return true;
      },
    ),
    { seed: 20240818, numRuns: 200 },
  );
  t.same([...seen].sort(), ['active', 'defined', 'failed', 'locked_in', 'started'], 'all states were reached');
});

t.test('sets the script flags of a block by height, deployment and exception', async (t) => {
  const flags = (text: string) => parseScriptFlags(text);
  const cache = new VersionBitsCache();
  const at = (height: number) => new ModelNode(null, 1_000_000, 1, 4, HASH, height - 1);
  const always = chainParams('regtest');
  const reg = (height: number, params = always) => blockScriptFlags(at(height), null, params, cache);
  t.equal(blockScriptFlags(null, null, always, cache), flags('P2SH,WITNESS,NULLDUMMY,TAPROOT'));
  t.equal(reg(431), flags('P2SH,WITNESS,NULLDUMMY,TAPROOT'));
  t.equal(reg(432), flags('P2SH,WITNESS,NULLDUMMY,TAPROOT,CHECKSEQUENCEVERIFY'));
  t.equal(reg(1250), reg(432));
  t.equal(reg(1251), flags('P2SH,WITNESS,NULLDUMMY,TAPROOT,CHECKSEQUENCEVERIFY,DERSIG'));
  t.equal(reg(1351), flags('P2SH,WITNESS,NULLDUMMY,TAPROOT,CHECKSEQUENCEVERIFY,DERSIG,CHECKLOCKTIMEVERIFY'));
  const never = chainParams('regtest', {
    activationHeights: { segwit: -1 },
    vbparams: [{ name: 'taproot', startTime: -2n, timeout: 0n, minActivationHeight: 0 }],
  });
  t.equal(reg(1, never), flags('P2SH'));
  const late = chainParams('regtest', { activationHeights: { segwit: 100 } });
  t.equal(reg(99, late), flags('P2SH,WITNESS,TAPROOT'), 'witness rules hold from genesis, NULLDUMMY from the height');
  t.equal(reg(100, late), flags('P2SH,WITNESS,TAPROOT,NULLDUMMY'));
  const main = chainParams('main');
  const mainFlags = (height: number, hash: string) => blockScriptFlags(at(height), hashFromHex(hash), main, cache);
  t.equal(mainFlags(170_060, '00000000000002dc756eebf4f49723ed8d30cc28a5f108eb94b1ba88ac4f9c22'), 0);
  t.equal(mainFlags(170_060, '00'.repeat(32)), flags('P2SH,WITNESS'));
  t.equal(
    mainFlags(692_261, '0000000000000000000f14c35b2d841e986ab5441de8c585d5ffe55ea1e395ad'),
    flags('P2SH,WITNESS,DERSIG,CHECKLOCKTIMEVERIFY,CHECKSEQUENCEVERIFY,NULLDUMMY'),
  );
});

t.test('counts votes for unknown rules above the threshold', async (t) => {
  const cache = new VersionBitsCache();
  const odd = 0x20000000 | (1 << 27) | (1 << 3);
  const votes = (version: (height: number) => number, params = regtest) => unknownVotes(extend(null, 288, version), params, cache);
  t.equal(
    votes((height) => (height >= 180 ? odd : NO_VOTE)),
    (1 << 27) | (1 << 3),
    '108 of 144',
  );
  t.equal(
    votes((height) => (height >= 181 ? odd : NO_VOTE)),
    0,
    '107 of 144',
  );
  t.equal(
    votes(() => 0x7fffffff),
    0,
    'another meaning of the version',
  );
  t.equal(
    votes(() => VOTE),
    0,
    'a rule of ours that has started',
  );
  t.equal(
    votes(() => odd, { ...regtest, unknownVotesFrom: 181 }),
    0,
    'what was done with versions before does not count',
  );
});

for (const [version, bit, seen] of [
  ['0.21.1', 27, true],
  ['31', 27, false],
  ['31', 5, false],
  ['31', 4, true],
] as const)
  t.test(
    `${seen ? 'warns once when unknown rules of' : 'ignores'} bit ${bit}${seen ? ' lock in and once when they activate' : ''}, ${version}`,
    async (t) => {
      const alerts: string[] = [];
      const warnings: string[] = [];
      const odd = 0x20000000 | (1 << bit);
      const at = {
        tip: extend(null, 1, NO_VOTE),
        params: regtest,
        versionBits: new VersionBitsCache(),
        isInitialBlockDownload: () => false,
      };
      const log = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
      const watch = new RuleWatch(at as never, log, (text) => void alerts.push(text), COMPATS[version]);
      const grow = async (count: number, version: number): Promise<string> => {
        at.tip = extend(at.tip, count, version);
        watch.onTip();
        await new Promise((resolve) => setImmediate(resolve));
        return watch.text;
      };
      // Blocks 0 to 143, whose votes do not count yet; then a period of votes; then a period of waiting.
      t.equal(await grow(143, odd), '');
      t.equal(await grow(144, odd), '');
      t.match(warnings, seen ? [`versionbit ${bit})`] : [], 'locked in');
      t.equal(await grow(143, NO_VOTE), '');
      t.same(alerts, []);
      const text = `${version === '31' ? 'Unknown' : 'Warning: unknown'} new rules activated (versionbit ${bit})`;
      t.equal(await grow(1, NO_VOTE), seen ? text : '');
      t.same(alerts, seen ? [text] : []);
      await grow(300, NO_VOTE);
      t.equal(alerts.length, seen ? 1 : 0);
    },
  );
