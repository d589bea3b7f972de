// Tests the metrics with real programs: Prometheus scrapes two mining nodes, one of them with -sv2, and answers every
// query of every panel and alert; promtool checks the metrics page. Skipped if these programs are not installed
// (Debian's package is prometheus).
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { StratumClient } from '../framework/stratum-client.js';
import { Sv2Client } from '../framework/sv2-client.js';
import { PATIENCE_MS } from '../framework/until.js';

const grafana = path.resolve(import.meta.dirname, '../../../grafana');
const missing = ['prometheus', 'promtool'].some((program) => spawnSync(program, ['--version']).status !== 0);
/**
 * Queries that return no data here: these nodes have no fleet and no download engine, and a new chain has no fee
 * estimates.
 */
const WITHOUT_DATA = /adit_fleet_|adit_engine_|bitcoin_est_smart_fee_/;
const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
interface Query {
  readonly from: string;
  readonly expr: string;
}

/** Returns every panel's queries for one node, with Grafana's variables filled in. */
function panelQueries(instance: string): Query[] {
  return fs
    .readdirSync(grafana)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const { panels } = JSON.parse(fs.readFileSync(path.join(grafana, file), 'utf8')) as {
        panels: { title: string; targets?: { expr: string }[] }[];
      };
      return panels.flatMap(({ title, targets }) =>
        (targets ?? []).map(({ expr }) => ({ from: `${file}: ${title}`, expr: expr.replaceAll('$instance', instance) })),
      );
    });
}

/** Returns every alert's expression, and `figure`, the part of it before the comparison. */
function alertQueries(): (Query & { figure: string })[] {
  const text = fs.readFileSync(path.join(grafana, 'prometheus', 'adit-alerts.yml'), 'utf8');
  return [...text.matchAll(/- alert: (\w+)\n(?: +#.*\n)* +expr: (.+)\n/g)].map(([, name, expr]) => ({
    from: `alert ${name}`,
    expr: expr!,
    figure: expr!.replace(/ [<>] [0-9.e]+$/, ''),
  }));
}

function get(port: number, target: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path: target, agent: false }, (reply) => {
        let body = '';
        reply.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk;
        });
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body }));
      })
      .on('error', reject);
  });
}

t.test('has data for every panel and alert', { skip: missing && 'needs the prometheus program' }, async (t) => {
  const [metricsPort, plainPort, sv2Port, stratumPort, port] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const node = await Daemon.startFor(
    t,
    `-metricsport=${metricsPort}`,
    '-sv2',
    `-sv2port=${sv2Port}`,
    '-stratum',
    `-stratumport=${stratumPort}`,
  );
  const plain = await Daemon.startFor(t, `-metricsport=${plainPort}`);
  const miner = await Sv2Client.start(sv2Port, (await node.call('getsv2info')).authoritykey);
  t.teardown(() => miner.close());
  const worker = `${address}.rig`;
  const stratum = await StratumClient.start(stratumPort, worker);
  t.teardown(() => stratum.close());
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-prometheus-'));
  const config = fs
    .readFileSync(path.join(grafana, 'prometheus', 'prometheus.yml'), 'utf8')
    .replace("'127.0.0.1:9332'", `'127.0.0.1:${metricsPort}', '127.0.0.1:${plainPort}'`)
    .replace(/(_interval): \d+s/g, '$1: 1s');
  fs.writeFileSync(path.join(dir, 'prometheus.yml'), config);
  fs.copyFileSync(path.join(grafana, 'prometheus', 'adit-alerts.yml'), path.join(dir, 'adit-alerts.yml'));
  const prometheus = spawn(
    'prometheus',
    [
      `--config.file=${path.join(dir, 'prometheus.yml')}`,
      `--storage.tsdb.path=${path.join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => prometheus.once('exit', resolve));
  t.teardown(async () => {
    prometheus.kill('SIGTERM');
    await ended;
    fs.rmSync(dir, { recursive: true, force: true });
  });

  const request = async (target: string) => JSON.parse((await get(port, `/api/v1/${target}`)).body);
  const query = (expr: string) => request(`query?query=${encodeURIComponent(expr)}`);
  for (const daemon of [node, plain]) {
    await daemon.call('setban', '192.0.2.1', 'add');
    // The first wallet starts the wallet thread.
    await daemon.call('createwallet', 'w');
  }
  // Let the nodes do some work of every kind until Prometheus has scraped both of them often enough to compute rates.
  const scrapes = async (): Promise<number> => {
    const { data } = await query('min(count_over_time(bitcoin_latest_block_height[10m]))').catch(() => ({}));
    return Number(data?.result[0]?.value[1] ?? 0);
  };
  for (const deadline = Date.now() + PATIENCE_MS; (await scrapes()) < 6 && Date.now() < deadline; await sleep(200)) {
    // On regtest every second share is a block.
    await stratum.submit(worker, stratum.mine());
    for (const daemon of [node, plain]) {
      const [hash] = await daemon.call('generatetoaddress', 1, address);
      const block = await daemon.call('getblock', hash, 0);
      await daemon.call('submitblock', block);
      await daemon.call('submitblock', '00').catch(() => {});
      await daemon.call('getblocktemplate', { rules: ['segwit'] });
      await daemon.call('validateaddress', address);
      await daemon.call('getblockcount', 1).catch(() => {});
      await daemon.call('getmempoolinfo');
    }
  }
  t.ok((await scrapes()) >= 6, 'scraped');

  for (const metrics of [metricsPort, plainPort]) {
    const instance = `127.0.0.1:${metrics}`;
    const without = metrics === plainPort ? new RegExp(`${WITHOUT_DATA.source}|adit_sv2_|adit_stratum_`) : WITHOUT_DATA;
    const panels = panelQueries(instance);
    t.ok(panels.length > 90, `${panels.length} queries of panels`);
    for (const { from, expr } of panels) {
      const { status, error, data } = await query(expr);
      t.equal(status, 'success', `${from}: ${error ?? expr}`);
      if (!without.test(expr)) t.ok(data.result.length > 0, `${from}: ${expr}`);
    }
    const page = (await get(metrics, '/metrics')).body;
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: page, encoding: 'utf8' });
    t.same(
      checked.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('bitcoin_meminfo_total ')),
      [],
      'promtool complains of nothing but the one name that another exporter chose',
    );
    t.equal(checked.signal, null);
  }

  const alerts = alertQueries();
  t.equal(alerts.length, (fs.readFileSync(path.join(grafana, 'prometheus', 'adit-alerts.yml'), 'utf8').match(/- alert:/g) ?? []).length);
  for (const { from, expr, figure } of alerts) {
    t.equal((await query(expr)).status, 'success', `${from}: ${expr}`);
    if (!WITHOUT_DATA.test(figure)) t.ok((await query(figure)).data.result.length > 0, `${from}: ${figure}`);
  }
  const rules = (await request('rules')).data.groups.flatMap((group: { rules: unknown[] }) => group.rules);
  t.equal(rules.length, alerts.length, 'all alerts are loaded');
  t.same(
    rules.filter((rule: { health: string }) => rule.health === 'err'),
    [],
    'all alerts are evaluated without an error',
  );
  t.same(
    (await request('alerts')).data.alerts
      .map(({ labels }: { labels: { alertname: string } }) => labels.alertname)
      .filter((name: string) => name.startsWith('AditFleet')),
    [],
    'no alert about a fleet is pending or fires at a node without one',
  );
});
