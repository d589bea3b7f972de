// Tests several nodes of a fleet: which one a front follows, and how this changes. Skipped if nats-server is not
// installed.
import t from 'tap';
import { buildBlock, GENESIS } from '../framework/chain-builder.js';
import { Broker, FrontProcess, fleetNode, followOption, noBroker } from '../framework/fleet.js';
import { until } from '../framework/until.js';

const RULES = { rules: ['segwit'] };

t.test('follows two nodes and switches between them', noBroker || {}, async (t) => {
  const broker = await Broker.start();
  t.teardown(() => broker.remove());
  const a = await fleetNode(broker, 'a');
  t.teardown(() => a.remove());
  const b = await fleetNode(broker, 'b');
  t.teardown(() => b.remove());
  const front = await FrontProcess.start(`-fleet=${broker.url}`, followOption(a), followOption(b));
  t.teardown(() => front.remove());
  const first = buildBlock(GENESIS, { time: 1_700_000_000 });
  t.equal(await front.call('submitblock', first.bytes.toString('hex')), null);
  for (const one of [a, b]) await until('both nodes have the block', async () => (await one.call('getblockcount')) === 1);

  const second = buildBlock(first, { time: 1_700_000_001 });
  t.equal(await b.call('submitblock', second.bytes.toString('hex')), null);
  await until('the front follows the node with more work', async () => (await front.call('getblockcount')) === 2);
  t.equal(front.followed, 'b');
  const template = await front.call('getblocktemplate', RULES);
  t.equal(template.previousblockhash, second.hashHex);

  // The remaining node has less work, so the front must not change to it.
  let answered = false;
  const polled = front.call('getblocktemplate', { ...RULES, longpollid: template.longpollid }).then((found) => {
    answered = true;
    return found;
  });
  await b.kill();
  await until('calls go to the other node', async () => (await front.call('getblockchaininfo')).blocks === 1);
  t.equal((await front.call('getblocktemplate', RULES)).previousblockhash, second.hashHex, 'work stays on the best tip');
  t.notOk(answered, 'and long polls stay parked');
  t.equal(await a.call('submitblock', second.bytes.toString('hex')), null);
  await until('the other node has caught up', () => front.followed === 'a');
  t.notOk(answered, 'a node with the same tip takes over without waking anyone');
  const third = buildBlock(second, { time: 1_700_000_002 });
  t.equal(await front.call('submitblock', third.bytes.toString('hex')), null);
  t.equal((await polled).previousblockhash, third.hashHex);
});
