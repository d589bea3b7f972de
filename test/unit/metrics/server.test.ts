// The metrics port: by which names it may be asked, and how often figures are made.
import http from 'node:http';
import t from 'tap';
import { Metrics } from '../../../src/metrics/registry.js';
import { jsonPage, serveMetrics } from '../../../src/metrics/server.js';

function get(port: number, host: string, path = '/metrics'): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = host === '' ? {} : { host };
    http
      .get({ host: '127.0.0.1', port, path, agent: false, headers }, (reply) => {
        let text = '';
        reply.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        reply.on('end', () => resolve({ status: reply.statusCode, text }));
      })
      .on('error', reject);
  });
}

t.test('refuses foreign host names, which protects against DNS rebinding', async (t) => {
  const server = await serveMetrics(new Metrics(), { host: '127.0.0.1', port: 0, names: ['Node.example'] });
  t.teardown(() => server.close());
  for (const host of ['127.0.0.1', '192.168.1.5:9332', '[::1]:9332', '[fd00::1]', 'localhost', 'LOCALHOST:9332', 'node.example:80']) {
    t.equal((await get(server.port, host)).status, 200, host);
  }
  for (const host of ['evil.example', 'evil.example:9332', 'localhost.evil.example', '127.0.0.1.nip.io', 'constructor']) {
    t.equal((await get(server.port, host)).status, 403, host);
  }
});

t.test('collects metrics at most four times a second', async (t) => {
  const now = t.capture(performance, 'now', () => 5_000);
  const metrics = new Metrics();
  let made = 0;
  metrics.group(() => true, [['made', 'Scrapes', () => ++made]]);
  const server = await serveMetrics(metrics, { host: '127.0.0.1', port: 0 });
  t.teardown(() => server.close());
  for (let i = 0; i < 20; i++) t.match((await get(server.port, 'localhost')).text, `made ${Math.min(i + 1, 4)}\n`);
  t.equal(made, 4);
  now.restore();
});

t.test('builds a page that never changes once', async (t) => {
  let made = 0;
  const pages = new Map([['/openrpc.json', jsonPage(() => ({ made: ++made }))]]);
  const server = await serveMetrics(new Metrics(), { host: '127.0.0.1', port: 0 }, pages);
  t.teardown(() => server.close());
  for (let i = 0; i < 3; i++) t.equal((await get(server.port, 'localhost', '/openrpc.json')).text, '{"made":1}');
});

t.test('answers 500 when the figures of a page cannot be read', async (t) => {
  const broken = (): never => {
    throw new Error('no figures');
  };
  const server = await serveMetrics(new Metrics(), { host: '127.0.0.1', port: 0 }, new Map([['/', broken]]));
  t.teardown(() => server.close());
  t.equal((await get(server.port, 'localhost', '/')).status, 500);
  t.equal((await get(server.port, 'localhost')).status, 200, 'other pages are answered');
});
