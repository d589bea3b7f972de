// Metrics with the names of bitcoin-prometheus-exporter have the values that this exporter reads from the same node.
import http from 'node:http';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';

/** Samples by name; a name with labels keeps them. */
async function scrape(port: number): Promise<Map<string, number>> {
  const text = await new Promise<string>((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path: '/metrics', agent: false }, (reply) => {
        let body = '';
        reply.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk;
        });
        reply.on('end', () => resolve(body));
      })
      .on('error', reject);
  });
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

t.test('shows the values of getblockstats, getmempoolinfo and getnetworkinfo', async (t) => {
  const port = await freePort();
  const node = await Daemon.start(`-metricsport=${port}`, '-fallbackfee=0.0002');
  t.teardown(() => node.remove());
  await node.call('createwallet', 'w');
  const address = await node.call('getnewaddress');
  await node.call('generatetoaddress', 101, address);
  await node.call('sendtoaddress', address, 1);
  const [hash] = await node.call('generatetoaddress', 1, address);

  const stats = await node.call('getblockstats', hash);
  const metrics = await scrape(port);
  t.equal(stats.txs, 2);
  for (const [name, value] of [
    ['height', stats.height],
    ['txs', stats.txs],
    ['size', stats.total_size],
    ['weight', stats.total_weight],
    ['inputs', stats.ins],
    ['outputs', stats.outs],
    ['value', stats.total_out / 1e8],
    ['fee', stats.totalfee / 1e8],
  ])
    t.equal(metrics.get(`bitcoin_latest_block_${name}`), value, name);
  const pool = await node.call('getmempoolinfo');
  t.equal(metrics.get('bitcoin_mempool_minfee'), pool.mempoolminfee);
  t.equal(metrics.get('bitcoin_server_version'), (await node.call('getnetworkinfo')).version);
});

t.test('shows no sample of what a node does not have', async (t) => {
  const port = await freePort();
  const node = await Daemon.start(`-metricsport=${port}`, '-disablewallet');
  t.teardown(() => node.remove());
  const metrics = await scrape(port);
  t.equal(metrics.get('bitcoin_blocks'), 0);
  const absent = /^(adit_fleet_|adit_sv2_|adit_wallets_heap_bytes|bitcoin_est_smart_fee_|bitcoin_latest_block_)/;
  t.same(
    [...metrics.keys()].filter((name) => absent.test(name)),
    [],
  );
});
