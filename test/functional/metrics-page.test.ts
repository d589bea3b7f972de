// The page at the metrics port: its events are right, and a real browser shows them (skipped where Chromium isn't installed).
// PAGE_SHOTS=folder keeps the pictures.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { feeBars } from '../../src/node/status.js';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { PATIENCE_MS } from '../framework/until.js';

const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const browser = ['chromium', 'chromium-browser', 'google-chrome'].find((name) => spawnSync(name, ['--version']).status === 0);
/** The first events of the stream, until one satisfies. */
// biome-ignore lint/suspicious/noExplicitAny: whatever the page is sent
function eventWith(port: number, enough: (event: any) => boolean): Promise<any> {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: '127.0.0.1', port, path: '/events', agent: false }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const event = JSON.parse(text.slice('data: '.length, end));
          text = text.slice(end + 2);
          if (!enough(event)) continue;
          request.destroy();
          resolve(event);
          return;
        }
      });
    });
    request.on('error', reject);
    setTimeout(() => reject(new Error('no such event')), PATIENCE_MS).unref();
  });
}

t.test('fees by rate', async (t) => {
  const json = Buffer.from('[{"data":"00","fee":250,"sigops":1,"weight":1000},{"fee":40000,"weight":400},{"fee":0,"weight":800}]');
  const bars = feeBars(json);
  t.same(
    bars.filter(({ weight }) => weight > 0),
    [
      { from: 0, weight: 800 },
      { from: 1, weight: 1000 },
      { from: 200, weight: 400 },
    ],
  );
  t.ok(feeBars(Buffer.alloc(0)).every(({ weight }) => weight === 0));
});

t.test('events and the page', async (t) => {
  const port = await freePort();
  const node = await Daemon.start(`-metricsport=${port}`);
  t.teardown(() => node.remove());
  await node.call('generatetoaddress', 14, address);
  await node.call('getblocktemplate', { rules: ['segwit'] });
  const event = await eventWith(port, (one) => one.template !== null);
  t.equal(event.tip.height, 14);
  t.equal(event.tip.hash, await node.call('getbestblockhash'));
  t.equal(event.template.height, 15);
  t.equal(event.blocks.length, 12, 'the newest twelve');
  t.equal(event.blocks[0].height, 14);
  for (const phase of ['scripts', 'apply', 'total']) t.type(event.blocks[0].phases[phase], 'number', phase);
  t.ok(event.threads.length >= 4);
  const change = eventWith(port, (one) => one.tip.height === 15);
  await node.call('generatetoaddress', 1, address);
  await change;
  await node.call('invalidateblock', await node.call('getbestblockhash'));
  t.equal((await eventWith(port, (one) => one.tip.height === 14)).blocks[0].height, 14, 'what has left is not listed');
  t.equal((await eventWith(port, (one) => one.template !== null)).template.height, 15, 'the template is good again');

  if (!browser) {
    t.comment('no Chromium here: the page was not looked at');
    return;
  }
  const shots = process.env.PAGE_SHOTS ?? fs.mkdtempSync(path.join(os.tmpdir(), 'adit-shots-'));
  if (!process.env.PAGE_SHOTS) t.teardown(() => fs.rmSync(shots, { recursive: true, force: true }));
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-browser-'));
  t.teardown(() => fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 }));
  const look = (...args: string[]): string =>
    spawnSync(
      browser,
      [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--hide-scrollbars',
        `--user-data-dir=${profile}`,
        '--timeout=4000',
        ...args,
        `http://127.0.0.1:${port}/`,
      ],
      { encoding: 'utf8', timeout: PATIENCE_MS },
    ).stdout;
  let dom = '';
  // A browser's first start on a busy machine can take longer than it is given.
  for (const ms of [4000, 10_000, 20_000]) {
    dom = look(`--timeout=${ms}`, '--dump-dom');
    if (dom.includes('id="height">14<')) break;
  }
  // A dump may be taken before the first event: the figures are there all the same, and the events were looked at above.
  t.match(dom, /id="height">14</);
  t.match(dom, /id="live"(>connecting| class="ok">live)</);
  t.match(dom, /id="theight">15</);
  t.equal((dom.match(/<tr><td>\d+<\/td>/g) ?? []).length, 11, 'the blocks, without the one that left');
  for (const [name, size] of [
    ['desktop', '1280,860'],
    ['phone', '412,1500'],
  ]) {
    const file = path.join(shots, `${name}.png`);
    look('--timeout=5000', `--window-size=${size}`, `--screenshot=${file}`);
    t.ok(fs.statSync(file).size > 10_000, `${name}: a picture`);
  }
});
