// Stratum V1 miners of a front without a node: jobs with transactions, blocks that reach the nodes, and a front that is
// killed at the instant of a found block. Skipped where nats-server isn't installed.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { Broker, FrontProcess, fleetNode, followOption, noBroker } from '../framework/fleet.js';
import { freePort } from '../framework/ports.js';
import { StratumClient } from '../framework/stratum-client.js';
import { until } from '../framework/until.js';

t.test('a front serves miners, and loses no block when it is killed', noBroker || {}, async (t) => {
  const broker = await Broker.start();
  t.teardown(() => broker.remove());
  const node = await fleetNode(broker, 'a', '-fallbackfee=0.0001');
  t.teardown(() => node.remove());
  await node.call('createwallet', 'w');
  const address = await node.call('getnewaddress', '', 'bech32');
  await node.call('generatetoaddress', 103, address);
  const port = await freePort();
  const folder = path.join(broker.dir, 'blocks');
  const front = await FrontProcess.start(
    `-fleet=${broker.url}`,
    followOption(node),
    '-stratum',
    `-stratumport=${port}`,
    `-stratumblocks=${folder}`,
    '-stratumfront=7',
    '-longpolldelta=0.00000001',
  );
  t.teardown(() => front.remove());
  const name = `${address}.edge`;
  const miner = await StratumClient.start(port, name);
  t.match(miner.extranonce1, /^07/, 'extranonces begin with the number of the front');

  const txid = await node.call('sendtoaddress', address, 1);
  await miner.until(() => miner.job!.branch.length > 0);
  const share = miner.mine();
  t.match(await miner.submit(name, share), { result: true });
  await miner.onTip(share.hashHex);
  t.ok((await node.call('getblock', share.hashHex)).tx.includes(txid), 'the block has the transaction');
  await until('the answer is in the log', () => front.output.includes(`block ${share.hashHex}: accepted`));
  await until('its file is gone', () => fs.readdirSync(folder).length === 0);

  for (let kill = 0; kill < 3; kill++) {
    const one = kill === 0 ? miner : await StratumClient.start(port, name);
    const { hashHex, params } = one.mine();
    one.send({ id: 9, method: 'mining.submit', params: [name, ...params] });
    await until(
      'the front has the block',
      () => fs.readdirSync(folder).length > 0 || front.output.includes(`block ${hashHex}: accepted`),
      0,
    );
    await front.end('SIGKILL');
    one.close();
    front.up();
    await front.answers();
    await until('the block is in the chain', async () => {
      const header = await node.call('getblockheader', hashHex).catch(() => null);
      return header !== null && header.confirmations > 0;
    });
    await until('its file is gone', () => fs.readdirSync(folder).length === 0);
  }
});
