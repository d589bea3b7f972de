// Tests Stratum V1 miners of a front without a node: jobs with transactions, blocks that reach the nodes, and a front
// that is killed when a miner has just found a block. Skipped if nats-server is not installed.
import fs from 'node:fs';
import path from 'node:path';
import { connect } from '@nats-io/transport-node';
import t from 'tap';
import { Broker, FrontProcess, fleetNode, followOption, noBroker } from '../framework/fleet.js';
import { freePort } from '../framework/ports.js';
import { figure, scrape } from '../framework/scrape.js';
import { readShares, type SeenShare } from '../framework/share-records.js';
import { StratumClient } from '../framework/stratum-client.js';
import { until } from '../framework/until.js';

/**
 * Returns true if a file of the folder has content. A small block is written by one system call, so the file then
 * contains the whole block.
 */
const hasFile = (folder: string): boolean =>
  fs.readdirSync(folder).some((name) => (fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0) > 0);

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
    `-stratumdb=${path.join(broker.dir, 'workers')}`,
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
    // A front that has just started may still have the template of the previous tip.
    await one.onTip(await node.call('getbestblockhash'));
    const { hashHex, params } = one.mine();
    one.send({ id: 9, method: 'mining.submit', params: [name, ...params] });
    await until('the front has the block', () => hasFile(folder) || front.output.includes(`block ${hashHex}: accepted`), 0);
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

t.test('a front shows its workers, and publishes their shares on the broker', noBroker || {}, async (t) => {
  const broker = await Broker.start();
  t.teardown(() => broker.remove());
  const node = await fleetNode(broker, 'a');
  t.teardown(() => node.remove());
  const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
  await node.call('generatetoaddress', 1, address);
  const [port, metricsPort] = [await freePort(), await freePort()];
  const front = await FrontProcess.start(
    ...[`-fleet=${broker.url}`, followOption(node), '-fleetaccount=fronts', '-fleetshares', '-stratum', `-stratumport=${port}`],
    ...[`-stratumblocks=${path.join(broker.dir, 'blocks')}`, `-stratumdb=${path.join(broker.dir, 'workers')}`],
    ...['-stratumfront=7', `-metricsport=${metricsPort}`],
  );
  t.teardown(() => front.remove());
  const nats = await connect({ servers: broker.url });
  t.teardown(() => nats.close());
  const shares: SeenShare[] = [];
  nats.subscribe('adit.regtest.share.fronts', { callback: (_, message) => void shares.push(...readShares(message.data)) });
  await nats.flush();
  const name = `${address}.edge`;
  const miner = await StratumClient.start(port, name);
  const share = miner.mine();
  t.match(await miner.submit(name, share), { error: null });
  await miner.onTip(share.hashHex);
  await until('the record', () => shares.length === 1);
  t.match(shares, [{ front: 7, result: 0, block: true, number: 0, address, worker: 'edge' }]);
  t.match(await front.call('getstratuminfo'), {
    ...{ enabled: true, addresses: [`127.0.0.1:${port}`], miners: 1, blocks: { accepted: 1 }, workers: 1 },
    list: [{ address, worker: 'edge', shares: { accepted: 1 } }],
  });
  t.same(await node.call('getstratuminfo'), { enabled: false }, 'the node knows nothing of them');
  const page = async (path: string) => (await fetch(`http://127.0.0.1:${metricsPort}${path}`)).text();
  await until('the worker on the page', async () => (await page('/')).includes('<li>Miners: 1</li><li>Workers with shares: 1</li>'));
  t.match(await page('/'), '<li>Shares accepted / refused: 1 / 0</li>');
  t.match(await page('/'), '<li>Found blocks accepted / lost: 1 / 0</li>');
  t.match(JSON.parse(await page(`/workers?address=${address}`)), { total: 1, workers: [{ address, worker: 'edge', sessions: 1 }] });
  await t.rejects(front.call('getstratuminfo', '', -1), { code: -8, message: 'Count must be between 0 and 1000' });

  // While the broker is stopped, records of shares are lost, but shares are answered as before.
  const records = async (end: string): Promise<number> =>
    figure(await scrape(metricsPort), `adit_stratum_stream_records_total{end="${end}"}`);
  const refused = { params: ['ffffffff', '0'.repeat(16), '00000000', '00000000'] };
  broker.signal('SIGSTOP');
  let id = 1_000;
  await until('lost records', async () => {
    t.match(await miner.submit(name, refused, ++id), { error: [21] }, { diagnostic: false });
    return (await records('lost')) > 0;
  });
  broker.signal('SIGCONT');
  await until('records again', async () => {
    await miner.submit(name, refused, ++id);
    return shares.some(({ number }) => number >= 1);
  });
  const numbers = shares.map(({ number }) => number);
  t.same(
    numbers,
    [...numbers].sort((a, b) => a - b),
  );
  const missing = (numbers.at(-1) ?? 0) + 1 - numbers.length;
  t.ok(missing <= (await records('lost')), `a reader misses ${missing}, and the front counted ${await records('lost')}`);
  miner.close();

  await front.end('SIGTERM');
  front.up();
  await front.answers();
  await until('the workers', async () => (await front.call('getstratuminfo')).workers === 1);
  t.match(await front.call('getstratuminfo', address), { list: [{ worker: 'edge', shares: { accepted: 1 } }] });
});

t.test('a node publishes the shares of its own miners on the broker', noBroker || {}, async (t) => {
  const broker = await Broker.start();
  t.teardown(() => broker.remove());
  const [port, metricsPort] = [await freePort(), await freePort()];
  const node = await fleetNode(broker, 'one', '-fleetshares', '-stratum', `-stratumport=${port}`, `-metricsport=${metricsPort}`);
  t.teardown(() => node.remove());
  const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
  await node.call('generatetoaddress', 1, address);
  const nats = await connect({ servers: broker.url });
  t.teardown(() => nats.close());
  const shares: SeenShare[] = [];
  nats.subscribe('adit.regtest.share.one', { callback: (_, message) => void shares.push(...readShares(message.data)) });
  await nats.flush();
  const figures = async (name: string): Promise<number> => figure(await scrape(metricsPort), name);
  await until('the broker', async () => (await figures('adit_fleet_publisher_connected')) === 1);
  const name = `${address}.rig`;
  const miner = await StratumClient.start(port, name);
  t.teardown(() => miner.close());
  const share = miner.mine();
  t.match(await miner.submit(name, share), { error: null });
  await until('the record', () => shares.length === 1);
  t.match(shares, [{ front: 0, result: 0, block: true, number: 0, address, worker: 'rig' }]);

  // While the broker is stopped, records of shares are lost and counted, and shares are answered as before.
  broker.signal('SIGSTOP');
  const refused = { params: ['ffffffff', '0'.repeat(16), '00000000', '00000000'] };
  let id = 1_000;
  await until('lost records', async () => {
    t.match(await miner.submit(name, refused, ++id), { error: [21] }, { diagnostic: false });
    return (await figures('adit_stratum_stream_records_total{end="lost"}')) > 0;
  });
  broker.signal('SIGCONT');
  await until('records again', async () => {
    await miner.submit(name, refused, ++id);
    return shares.length > 1;
  });
});
