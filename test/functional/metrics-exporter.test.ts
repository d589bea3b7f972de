// Tests that the metrics named as in bitcoin-prometheus-exporter have the values that this exporter would read from the
// same node.
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { figure, scrape } from '../framework/scrape.js';

t.test('shows the values of getblockstats, getmempoolinfo and getnetworkinfo', async (t) => {
  const port = await freePort();
  const node = await Daemon.startFor(t, `-metricsport=${port}`, '-fallbackfee=0.0002');
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
    t.equal(figure(metrics, `bitcoin_latest_block_${name}`), value, name);
  const pool = await node.call('getmempoolinfo');
  t.equal(figure(metrics, 'bitcoin_mempool_minfee'), pool.mempoolminfee);
  t.equal(figure(metrics, 'bitcoin_server_version'), (await node.call('getnetworkinfo')).version);
});

t.test('shows no sample for parts that a node does not run', async (t) => {
  const port = await freePort();
  await Daemon.startFor(t, `-metricsport=${port}`, '-disablewallet');
  const metrics = await scrape(port);
  t.equal(figure(metrics, 'bitcoin_blocks'), 0);
  const absent = /^(adit_fleet_|adit_sv2_|adit_wallets_heap_bytes|bitcoin_est_smart_fee_|bitcoin_latest_block_)/;
  t.same(
    metrics.split('\n').filter((line) => absent.test(line)),
    [],
  );
});
