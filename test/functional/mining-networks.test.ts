// Tests members of getblocktemplate other than the transactions: the errors on mainnet without peers, the rule and
// challenge of signet, and the version bits of a deployment through all its states.
import t from 'tap';
import { type CallError, Daemon } from '../framework/daemon.js';
import { clearOn, MAIN_MAGIC, P2pClient } from '../framework/p2p-client.js';
import { freePort } from '../framework/ports.js';
import { until } from '../framework/until.js';

async function fault(node: Daemon, ...params: unknown[]): Promise<string> {
  try {
    await node.call('getblocktemplate', ...params);
    return 'none';
  } catch (error) {
    return `${(error as CallError).code} ${(error as CallError).message}`;
  }
}

const SEGWIT = '-8 getblocktemplate must be called with the segwit rule set (call with {"rules": ["segwit"]})';
const SIGNET = '-8 getblocktemplate must be called with the signet rule set (call with {"rules": ["segwit", "signet"]})';
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

t.test('refuses templates of the main chain without peers', async (t) => {
  const node = await Daemon.startFor(t, '-chain=main');
  const notConnected = '-9 Bitcoin Core is not connected!';
  t.equal(await fault(node, { rules: ['segwit'] }), notConnected);
  t.equal(await fault(node, {}), notConnected, 'before the rules');
  t.equal(await fault(node, { rules: ['segwit'], longpollid: 'zz' }), notConnected, 'before the long poll');
  t.equal(await fault(node), notConnected, 'also without an argument');
  t.equal(await fault(node, { mode: 'foo' }), '-8 Invalid mode', 'but after the mode');
  t.equal(
    await fault(node, 'x'),
    '-3 Wrong type passed:\n{\n    "Position 1 (template_request)": "JSON value of type string is not of expected type object"\n}',
  );
  t.equal(await fault(node, { mode: 'proposal', data: '00' }), '-22 Block decode failed', 'proposals need no peers');
  const batch = await node.post('[{"method":"getblocktemplate","params":[{"rules":["segwit"]}],"id":1},{"method":"getblockcount","id":2}]');
  t.equal(
    batch.body,
    '[{"result":null,"error":{"code":-9,"message":"Bitcoin Core is not connected!"},"id":1},{"result":0,"error":null,"id":2}]\n',
  );
  t.equal((await node.call('getblockchaininfo')).initialblockdownload, true);
});

t.test('refuses templates of the main chain during the initial download', async (t) => {
  const port = await freePort();
  const node = await Daemon.startFor(t, '-chain=main', `-port=${port}`, '-bind=127.0.0.1', '-listen=1', '-connect=0');
  const notConnected = '-9 Bitcoin Core is not connected!';
  const downloading = '-10 Bitcoin Core is in initial sync and waiting for blocks...';
  t.equal(await fault(node, { rules: ['segwit'] }), notConnected);
  const peer = await P2pClient.open(port);
  t.teardown(() => peer.close());
  peer.codec = clearOn(MAIN_MAGIC);
  // The peer claims a height far ahead, so the node waits for its blocks.
  await peer.greet({ startHeight: 800_000 });
  await peer.next('getheaders');
  t.equal(await node.call('getconnectioncount'), 1);
  t.equal(await fault(node, { rules: ['segwit'] }), downloading);
  t.equal(await fault(node, {}), downloading, 'before the rules');
  t.equal(await fault(node, { rules: ['segwit'], longpollid: 'zz' }), downloading, 'before the long poll');
  t.equal(await fault(node, { mode: 'foo' }), '-8 Invalid mode', 'but after the mode');
  t.equal((await node.call('getblockchaininfo')).initialblockdownload, true);
  peer.close();
  await until('the peer is gone', async () => (await node.call('getconnectioncount')) === 0);
  t.equal(await fault(node, { rules: ['segwit'] }), notConnected, 'without it as before');
});

t.test('serves templates of the public signet', async (t) => {
  const node = await Daemon.startFor(t, '-signet');
  t.equal(await fault(node, { rules: ['segwit'] }), SIGNET);
  t.equal(await fault(node, {}), SIGNET, 'asked for first');
  t.equal(await fault(node, { rules: ['signet'] }), SEGWIT);
  t.equal(await fault(node, { rules: ['segwit', 'signet'], longpollid: 'zz' }), "-8 longpollid must be of length 64 (not 2, for 'zz')");
  const template = await node.call('getblocktemplate', { rules: ['segwit', 'signet'] });
  t.same(template.rules, ['csv', '!segwit', 'taproot', '!signet']);
  t.equal(
    template.signet_challenge,
    '512103ad5e0edad18cb1f0fc0d28a3d4f1f3e445640337489abb10404f2d1e086be430210359ef5021964fe22d6f8e05b2463c9540ce96883fe3b278760f048f5189f2e6c452ae',
  );
  const keys = Object.keys(template);
  t.equal(keys.indexOf('signet_challenge'), keys.indexOf('height') + 1);
  t.equal(keys.at(-1), 'default_witness_commitment');
});

t.test('serves templates of a custom signet', async (t) => {
  const node = await Daemon.startFor(t, '-signet', '-signetchallenge=51');
  t.equal(await fault(node, { rules: ['segwit'] }), SIGNET);
  t.equal((await node.call('getblocktemplate', { rules: ['signet', 'segwit'] })).signet_challenge, '51');
});

/**
 * Returns version, version bits and rules of a template, and the state of the deployment "testdummy" according to
 * getblockchaininfo.
 */
async function signals(node: Daemon, clientRules: string[] = ['segwit']) {
  const { version, vbavailable, vbrequired, rules } = await node.call('getblocktemplate', { rules: clientRules });
  const { softforks } = await node.call('getblockchaininfo');
  const { status, since } = softforks.testdummy.bip9;
  return { version, vbavailable, vbrequired, rules, status, since };
}

async function mineTo(node: Daemon, height: number): Promise<void> {
  const missing = height - (await node.call('getblockcount'));
  await node.call('generatetoaddress', missing, ADDRESS);
}

const TOP = 0x20000000;
const BIT = 28;

t.test('locks in and activates a deployment that miners signal', async (t) => {
  const node = await Daemon.startFor(t, '-vbparams=testdummy:0:999999999999:576');
  const without = ['csv', '!segwit', 'taproot'];
  const on = { vbavailable: { testdummy: BIT }, vbrequired: 0, rules: without };
  const off = { vbavailable: {}, vbrequired: 0, rules: without };
  await mineTo(node, 142);
  t.same(await signals(node), { version: TOP, ...off, status: 'defined', since: 0 });
  await mineTo(node, 143);
  t.same(await signals(node), { version: TOP + 2 ** BIT, ...on, status: 'started', since: 144 });
  t.same(await signals(node, ['segwit', 'testdummy']), await signals(node), 'gbt_force: the client’s list changes nothing');
  await mineTo(node, 286);
  t.match(await signals(node), { status: 'started' });
  await mineTo(node, 287);
  t.same(await signals(node), { version: TOP + 2 ** BIT, ...on, status: 'locked_in', since: 288 });
  await mineTo(node, 574);
  t.same(await signals(node), { version: TOP + 2 ** BIT, ...on, status: 'locked_in', since: 288 }, 'it waits for its height');
  await mineTo(node, 575);
  t.same(await signals(node), { version: TOP, ...off, rules: ['csv', '!segwit', 'testdummy', 'taproot'], status: 'active', since: 576 });
  // When the tip is disconnected and connected again, the state of the deployment must follow.
  const tip = await node.call('getbestblockhash');
  await node.call('invalidateblock', tip);
  t.match(await signals(node), { version: TOP + 2 ** BIT, status: 'locked_in' });
  await node.call('reconsiderblock', tip);
  t.match(await signals(node), { version: TOP, status: 'active' });
});

t.test('fails a deployment that no miner signals', async (t) => {
  const node = await Daemon.startFor(t, '-vbparams=testdummy:0:1', `-blockversion=${TOP}`);
  await mineTo(node, 143);
  t.match(await signals(node), { version: TOP, vbavailable: { testdummy: BIT }, status: 'started', since: 144 });
  await mineTo(node, 287);
  t.match(await signals(node), { vbavailable: {}, rules: ['csv', '!segwit', 'taproot'], status: 'failed', since: 288 });
});

t.test('reports deployments that are never or always active', async (t) => {
  const never = await Daemon.startFor(t, '-vbparams=testdummy:-2:0');
  const template = await never.call('getblocktemplate', { rules: ['segwit'] });
  t.match(template, { version: TOP, vbavailable: {}, rules: ['csv', '!segwit', 'taproot'] });
  t.notOk('testdummy' in (await never.call('getblockchaininfo')).softforks, 'and it is not listed');
  const always = await Daemon.startFor(t, '-vbparams=testdummy:-1:999999999999');
  t.match(await signals(always), {
    version: TOP,
    vbavailable: {},
    rules: ['csv', '!segwit', 'testdummy', 'taproot'],
    status: 'active',
    since: 0,
  });
});
