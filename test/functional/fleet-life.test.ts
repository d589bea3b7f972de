// A fleet of real processes: nodes, a nats-server between, fronts without a node. Skipped where the server isn't
// installed (Debian's package is called nats-server).
import t from 'tap';
import { buildBlock, GENESIS } from '../framework/chain-builder.js';
import { Broker, FrontProcess, fleetNode, followOption, noBroker } from '../framework/fleet.js';
import { until } from '../framework/until.js';

const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const RULES = { rules: ['segwit'] };

t.test('a front without a node', noBroker || {}, async (t) => {
  const broker = await Broker.start();
  t.teardown(() => broker.remove());
  const a = await fleetNode(broker, 'a');
  t.teardown(() => a.remove());
  const front = await FrontProcess.start(`-fleet=${broker.url}`, followOption(a));
  t.teardown(() => front.remove());

  const first = await front.call('getblocktemplate', RULES);
  t.equal(first.previousblockhash, await a.call('getbestblockhash'), 'work on the tip');
  const polled = front.call('getblocktemplate', { ...RULES, longpollid: first.longpollid });
  const block = buildBlock(GENESIS, { time: 1_700_000_000 });
  t.equal(await front.call('submitblock', block.bytes.toString('hex')), null, 'a block through the front');
  t.equal(await front.call('getbestblockhash'), block.hashHex, 'what the front says reflects what it answered before');
  t.equal((await polled).previousblockhash, block.hashHex, 'the long poll goes on with the new tip');
  t.match(front.output, /submitblock \w+: a says accepted/, 'the verdict is in the log');
  t.equal(await front.call('submitblock', block.bytes.toString('hex')), 'duplicate');

  t.equal((await front.call('getblockchaininfo')).blocks, 1, 'calls go to the node');
  t.equal((await front.call('generatetoaddress', 105, ADDRESS)).length, 105, 'those that change something too');
  await t.rejects(front.call('getblockhash', 4000), { code: -8 }, 'its errors come back');
  const batch = JSON.parse((await front.post('[{"id":1,"method":"getblockcount"},{"id":2,"method":"getmininginfo"}]')).body);
  t.equal(batch[0].result, 106);
  t.equal(batch[1].result.blocks, 106);
  t.equal((await front.post('{"method":"getblockcount"}', { auth: 'u:q' })).status, 401, "users are the front's own");

  t.equal(await a.call('stop'), 'Bitcoin Core stopping');
  await a.ended();
  t.equal((await front.call('getblocktemplate', RULES)).height, 107, 'without a node the last work is given');
  await a.up();
  await until('the node is back', () =>
    front.call('getblockchaininfo').then(
      () => true,
      () => false,
    ),
  );
});

t.test('two nodes', noBroker || {}, async (t) => {
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

  // The node that is left has less work: nobody goes back to it.
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
