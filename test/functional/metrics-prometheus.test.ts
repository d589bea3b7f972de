// The real Prometheus scrapes a mining node, and every query of every panel and alert is put to it: each has to give
// data. Skipped where the program isn't installed (Debian's package is called prometheus).
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { PATIENCE_MS } from '../framework/until.js';

const grafana = path.resolve(import.meta.dirname, '../../../grafana');
const missing = spawnSync('prometheus', ['--version']).status !== 0;
const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
interface Query {
  readonly from: string;
  readonly expr: string;
}

/** Every panel's queries, with Grafana's variables filled in. */
function panelQueries(): Query[] {
  return fs
    .readdirSync(grafana)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const { panels } = JSON.parse(fs.readFileSync(path.join(grafana, file), 'utf8')) as {
        panels: { title: string; targets?: { expr: string }[] }[];
      };
      return panels.flatMap(({ title, targets }) =>
        (targets ?? []).map(({ expr }) => ({ from: `${file}: ${title}`, expr: expr.replaceAll('$instance', '.*') })),
      );
    });
}

/** Every alert's expression, and the figure in it that is compared. */
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

t.test('every panel and alert has data', { skip: missing && 'needs the prometheus program' }, async (t) => {
  const [metricsPort, port] = [await freePort(), await freePort()];
  const node = await Daemon.start(`-metricsport=${metricsPort}`);
  t.teardown(() => node.remove());
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-prometheus-'));
  const config = fs
    .readFileSync(path.join(grafana, 'prometheus', 'prometheus.yml'), 'utf8')
    .replace('127.0.0.1:9332', `127.0.0.1:${metricsPort}`)
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

  await node.call('setban', '192.0.2.1', 'add');
  // A node that does something of everything, until Prometheus has seen it often enough for rates.
  const scrapes = async (): Promise<number> => {
    const reply = await get(port, `/api/v1/query?query=${encodeURIComponent('count_over_time(bitcoin_blocks[10m])')}`).catch(
      () => undefined,
    );
    const value = reply?.status === 200 ? JSON.parse(reply.body).data.result[0]?.value[1] : undefined;
    return Number(value ?? 0);
  };
  for (const deadline = Date.now() + PATIENCE_MS; (await scrapes()) < 6 && Date.now() < deadline; await sleep(200)) {
    const [hash] = await node.call('generatetoaddress', 1, address);
    const block = await node.call('getblock', hash, 0);
    await node.call('submitblock', block);
    await node.call('submitblock', '00').catch(() => {});
    await node.call('getblocktemplate', { rules: ['segwit'] });
    await node.call('validateaddress', address);
    await node.call('getblockcount', 1).catch(() => {});
    await node.call('getmempoolinfo');
  }
  t.ok((await scrapes()) >= 6, 'scraped');

  const ask = async ({ from, expr }: Query, what: string): Promise<void> => {
    const reply = await get(port, `/api/v1/query?query=${encodeURIComponent(expr)}`);
    const { status, error, data } = JSON.parse(reply.body);
    t.equal(status, 'success', `${from}: ${error ?? what}`);
    // This node has no fleet.
    if (what === 'data' && !expr.includes('adit_fleet_')) t.ok(data.result.length > 0, `${from}: ${expr}`);
  };
  const panels = panelQueries();
  t.ok(panels.length > 90, `${panels.length} queries of panels`);
  for (const query of panels) await ask(query, 'data');
  const alerts = alertQueries();
  t.equal(alerts.length, (fs.readFileSync(path.join(grafana, 'prometheus', 'adit-alerts.yml'), 'utf8').match(/- alert:/g) ?? []).length);
  for (const alert of alerts) {
    await ask(alert, 'no error');
    await ask({ from: alert.from, expr: alert.figure }, 'data');
  }
  const rules = JSON.parse((await get(port, '/api/v1/rules')).body).data.groups.flatMap((group: { rules: unknown[] }) => group.rules);
  t.equal(rules.length, alerts.length, 'all alerts are loaded');
  t.same(
    rules.filter((rule: { health: string }) => rule.health === 'err'),
    [],
    'and evaluated without an error',
  );
});
