// Tests a wrong clock. The node refuses to start if its tip is from the future. A running node whose clock falls behind
// its tip makes no templates, reports the cause, and makes templates again when the clock is right.
import t, { type Test } from 'tap';
import { Daemon, refusal } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { Sv2Client } from '../framework/sv2-client.js';
import { readStream } from '../framework/template-stream.js';
import { until } from '../framework/until.js';

const PAYEE = 'bcrt1qft5p2uhsdcdc3l2ua4ap5qqfg4pjaqlp250x7us7a8qqhrxrxfsqseac85';
const NOW = 1_800_000_000;
const DAY = 86_400;
const FUTURE = /The block database contains a block which appears to be from the future\. /;
const lean = ['-disablewallet', '-par=1', '-checktemplates=0'];
const rules = { rules: ['segwit'] };

for (const [compat, prefix] of [
  ['default', 'CreateNewBlock: '],
  ['31', ''],
  ['0.21.1', 'CreateNewBlock: '],
] as const) {
  t.test(`templates while the clock is a day behind, -compat=${compat}`, (t) => falls(t, compat, `${prefix}TestBlockValidity failed: `));
}

async function falls(t: Test, compat: string, begins: string): Promise<void> {
  const [metrics, sv2] = [await freePort(), await freePort()];
  const node = await Daemon.startFor(
    t,
    `-compat=${compat}`,
    `-mocktime=${NOW}`,
    `-metricsport=${metrics}`,
    '-sv2',
    `-sv2port=${sv2}`,
    ...lean,
  );
  await node.call('generatetoaddress', 20, PAYEE);
  // With -compat=0.21.1 the node would return the cached template as long as the mempool does not change.
  if (compat !== '0.21.1') await node.call('getblocktemplate', rules);
  const client = await Sv2Client.start(sv2, (await node.call('getsv2info')).authoritykey);
  t.teardown(() => client.close());
  await until('the client has the tip', async () => client.prevHash !== null);
  const refused = `-1 ${begins}time-too-new, block timestamp too far in the future`;
  const behind = async (): Promise<string> => {
    const page = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
    return /^adit_clock_behind (\d)$/m.exec(page)?.[1] ?? 'missing';
  };
  t.equal(await behind(), '0');

  await node.call('setmocktime', NOW - DAY);
  t.equal(await refusal(node.call('getblocktemplate', rules)), refused);
  const otherTip = `${'0'.repeat(64)}1`;
  t.equal(await refusal(node.call('getblocktemplate', { ...rules, longpollid: otherTip })), refused, 'a long poll that is due');
  t.equal(await behind(), '1');
  for (const call of ['getmininginfo', 'getnetworkinfo']) {
    const shown = [(await node.call(call)).warnings].flat().join('; ');
    t.match(shown, /The clock of this machine is more than two hours behind the chain/, call);
  }

  await node.call('setmocktime', NOW + 60);
  const template = await node.call('getblocktemplate', rules);
  t.equal(template.curtime, NOW + 60);
  t.notMatch([(await node.call('getmininginfo')).warnings].flat().join('; '), /clock of this machine/);
  t.equal(await behind(), '0');
  if (compat === 'default') {
    const [event] = await readStream(node, '/template/stream?full=1', (events) => events.length > 0);
    t.equal(event?.data.previousblockhash, template.previousblockhash, 'streams go on');
  }
  t.equal((await node.call('generatetoaddress', 1, PAYEE)).length, 1);
  await node.stop();
}

t.test('starts with an empty folder before the time of the genesis block', async (t) => {
  const node = await Daemon.startFor(t, '-mocktime=1', ...lean);
  t.equal(await node.call('getblockcount'), 0);
  await node.stop();
});

t.test('refuses to start with a tip more than two hours ahead of the clock', async (t) => {
  const node = await Daemon.startFor(t, `-mocktime=${NOW}`, ...lean);
  await node.call('generatetoaddress', 20, PAYEE);
  const { time } = await node.call('getblockheader', await node.call('getbestblockhash'));
  await node.stop();
  const refusedWith = await node.up(`-mocktime=${time - 7_201}`).then(
    () => 'started',
    (error: Error) => error.message,
  );
  t.match(refusedWith, FUTURE);
  await node.up(`-mocktime=${time - 7_200}`);
  t.equal(await node.call('getblockcount'), 20, 'two hours are allowed');
  await node.stop();
});
