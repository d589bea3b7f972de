// Tests a fleet of real processes: nodes, a nats-server, and fronts without a node of their own. Skipped if nats-server
// is not installed (Debian's package has the same name).
import t from 'tap';
import { buildBlock, GENESIS } from '../framework/chain-builder.js';
import { Broker, FrontProcess, fleetNode, followOption, noBroker } from '../framework/fleet.js';
import { until } from '../framework/until.js';

const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const RULES = { rules: ['segwit'] };

t.test("serves a front's clients before, during and after the loss of its node", noBroker || {}, async (t) => {
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
  t.match(front.output, /submitblock \w+: a answered accepted/, 'the verdict is in the log');
  t.equal(await front.call('submitblock', block.bytes.toString('hex')), 'duplicate');

  t.equal((await front.call('getblockchaininfo')).blocks, 1, 'calls go to the node');
  t.equal((await front.call('generatetoaddress', 105, ADDRESS)).length, 105, 'those that change something too');
  await t.rejects(front.call('getblockhash', 4000), { code: -8 }, 'its errors come back');
  const batch = JSON.parse((await front.post('[{"id":1,"method":"getblockcount"},{"id":2,"method":"getmininginfo"}]')).body);
  t.equal(batch[0].result, 106);
  t.equal(batch[1].result.blocks, 106);
  t.equal((await front.post('{"method":"getblockcount"}', { auth: 'u:q' })).status, 401, "users are the front's own");

  t.equal(await a.call('stop'), 'adit stopping');
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
