// Tests Stratum V2 clients of a front without a node: templates with transactions, prepared templates for a new tip,
// and blocks that reach the nodes. Skipped if nats-server is not installed.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { Broker, FrontProcess, fleetNode, followOption, noBroker } from '../framework/fleet.js';
import { shown } from '../framework/messages.js';
import { freePort } from '../framework/ports.js';
import { Sv2Client, solve } from '../framework/sv2-client.js';
import { until } from '../framework/until.js';

t.test('serves templates to a Stratum V2 client of a front', noBroker || {}, async (t) => {
  const broker = await Broker.start();
  t.teardown(() => broker.remove());
  const node = await fleetNode(broker, 'a', '-fallbackfee=0.0001');
  t.teardown(() => node.remove());
  await node.call('createwallet', 'w');
  const address = await node.call('getnewaddress');
  await node.call('generatetoaddress', 103, address);
  const port = await freePort();
  const key = path.join(broker.dir, 'authority');
  const front = await FrontProcess.start(
    `-fleet=${broker.url}`,
    followOption(node),
    '-sv2',
    `-sv2port=${port}`,
    `-sv2authoritykey=${key}`,
    '-sv2interval=1',
  );
  t.teardown(() => front.remove());
  t.ok(fs.existsSync(key), 'its own authority');
  const authority = /authority key: (\w+)/.exec(front.output)?.[1] ?? null;
  const client = await Sv2Client.start(port, authority);
  t.teardown(() => client.close());

  const txid = await node.call('sendtoaddress', address, 1);
  const tip = await node.call('getbestblockhash');
  await client.onTip(tip);
  await client.told(() => (client.template?.path.length ?? 0) > 0);
  const solution = solve(client.template!, client.prevHash!);
  client.submit(solution);
  await client.onTip(solution.hashHex);
  t.equal(await node.call('getbestblockhash'), solution.hashHex, 'the block is the tip');
  t.ok((await node.call('getblock', solution.hashHex)).tx.includes(txid), 'with the transaction');
  await until('the verdict is in the log', () => front.output.includes(`block ${solution.hashHex}: accepted`));
  t.match(front.output, new RegExp(`submitblock ${solution.hashHex}: a answered accepted`));
  t.equal(shown(client.prevHash!.prevHash), solution.hashHex);
  t.same(client.wrongs, [], 'no client would have stumbled');
});
