// Tests the statistics of workers in getstratuminfo, also after a restart, a kill and damage to a stored row.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { openStore } from '../../src/storage/open-store.js';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { metricBecomes } from '../framework/scrape.js';
import { StratumClient } from '../framework/stratum-client.js';

const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const OTHER = '2N3oefVeg6stiTb5Kh3ozCSkaqmx91FDbsm';
const AGENT = 'bitaxe/BM1370/v2.15.0';

/** Mines blocks: on regtest every share of the client is one. */
async function mineBlocks(port: number, name: string, count: number): Promise<StratumClient> {
  const miner = await StratumClient.start(port, name, AGENT);
  for (let i = 0; i < count; i++) {
    const share = miner.mine();
    const { error } = await miner.submit(name, share);
    if (error !== null) throw new Error(JSON.stringify(error));
    await miner.onTip(share.hashHex);
  }
  return miner;
}

t.test('keeps figures of workers over a restart, and over a kill those that were written', async (t) => {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const node = await Daemon.startFor(t, '-stratum', `-stratumport=${port}`, `-metricsport=${metricsPort}`);
  t.match(await node.call('getstratuminfo'), { enabled: true, addresses: [`127.0.0.1:${port}`], connections: 0, workers: 0, list: [] });
  const rig = await mineBlocks(port, `${ADDRESS}.rig`, 3);
  const other = await mineBlocks(port, `${OTHER}.garage`, 1);
  const probe = await StratumClient.start(port, `${OTHER}.probe`, '');
  t.match(await rig.submit(`${ADDRESS}.rig`, { params: ['ffffffff', '0'.repeat(16), '00000000', '00000000'] }), { error: [21] });

  const all = await node.call('getstratuminfo');
  t.match(all, { connections: 3, miners: 3, blocks: { accepted: 4, lost: 0 }, workers: 3, connected: 3 });
  t.same(
    all.list.map(({ worker }: { worker: string }) => worker),
    ['garage', 'rig', 'probe'],
    'newest share first, then who has none',
  );
  t.match(all.totals, { connections: 3, blocks: 4, shares: { accepted: 4, 'unknown-job': 1 } });
  const [worker] = (await node.call('getstratuminfo', ADDRESS.toUpperCase())).list;
  t.match(worker, {
    ...{ address: ADDRESS, worker: 'rig', agent: AGENT, connections: 1, blocks: 3 },
    shares: { accepted: 3, stale: 0, duplicate: 0, 'low-difficulty': 0, unauthorized: 0, 'unknown-job': 1, invalid: 0 },
  });
  for (const member of [
    'hashrate1m',
    'hashrate5m',
    'hashrate1hr',
    'hashrate1d',
    'hashrate7d',
    'difficulty',
    'bestever',
    'bestsession',
    'work',
  ]) {
    t.ok(worker[member] > 0, `${member} is ${worker[member]}`);
  }
  t.ok(Math.abs(worker.lastshare - Date.now() / 1000) < 120 && worker.firstseen <= worker.lastshare);
  const page = await node.call('getstratuminfo', null, 1, 1);
  t.equal(page.workers, 3);
  t.same(
    page.list.map((one: { worker: string }) => one.worker),
    ['rig'],
  );
  t.equal((await node.call('getstratuminfo', 'nobody')).workers, 0);
  await t.rejects(node.call('getstratuminfo', '', 1001), { code: -8, message: 'Count must be between 0 and 1000' });
  await t.rejects(node.call('getstratuminfo', '', 1, -1), { code: -8, message: 'Negative skip' });
  for (const miner of [rig, other, probe]) miner.close();
  t.equal((await node.stop()).code, 0);

  await node.up();
  const after = await node.call('getstratuminfo');
  t.match(after, { workers: 2, connected: 0, blocks: { accepted: 0 } });
  const rigAfter = after.list.find((one: { worker: string }) => one.worker === 'rig');
  t.match(rigAfter, { bestever: worker.bestever, work: worker.work, firstseen: worker.firstseen, bestsession: 0, shares: worker.shares });
  t.ok(rigAfter.hashrate7d > 0);

  const again = await mineBlocks(port, `${ADDRESS}.rig`, 2);
  await metricBecomes(metricsPort, 'adit_stratum_rows_waiting', 0);
  again.close();
  // The node is killed before the interval ends in which it writes changed rows, so this share may be lost.
  (await mineBlocks(port, `${ADDRESS}.rig`, 1)).close();
  await node.kill();
  await node.ended();
  await node.up();
  const killed = await node.call('getstratuminfo', ADDRESS);
  t.match(killed, { workers: 1, list: [{ worker: 'rig', shares: { 'unknown-job': 1 } }] });
  const { accepted } = killed.list[0].shares;
  t.ok(accepted === 5 || accepted === 6, `${accepted} of 6 shares, of which 5 were written`);
  await node.stop();

  const database = await openStore({ path: path.join(node.networkDir, 'stratum-workers') });
  await database.batch([
    { type: 'put', key: Buffer.from('no worker'), value: Buffer.from('nothing') },
    { type: 'put', key: Buffer.from(`${ADDRESS}\0rig`), value: Buffer.from([1, 2, 3]) },
  ]);
  await database.close();
  await node.up();
  t.match(await node.call('getstratuminfo'), { workers: 1, list: [{ worker: 'garage' }] });
  const log = fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
  t.match(log, 'Stratum V1: 2 damaged rows with statistics of workers are ignored');
  await node.stop();

  // If the statistics database cannot be opened, the node only stores no statistics.
  fs.rmSync(path.join(node.networkDir, 'stratum-workers'), { recursive: true });
  fs.writeFileSync(path.join(node.networkDir, 'stratum-workers'), '');
  await node.up();
  (await mineBlocks(port, `${ADDRESS}.rig`, 1)).close();
  t.match(await node.call('getstratuminfo'), { workers: 1 });
  t.match(fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8'), 'Statistics of workers are not stored, because');
});

t.test('says that it does not serve miners', async (t) => {
  const node = await Daemon.startFor(t);
  t.same(await node.call('getstratuminfo'), { enabled: false });
});
