// Tests the page of the metrics port: its events are correct, and a real browser shows them (skipped if Chromium is not
// installed). If PAGE_SHOTS names a folder, the screenshots are kept there.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import t from 'tap';
import { feeBars } from '../../src/node/status.js';
import type { WorkerPage } from '../../src/stratum/statistics/worker-page.js';
import { Browser, browserProgram } from '../framework/browser.js';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { StratumClient } from '../framework/stratum-client.js';
import { PATIENCE_MS } from '../framework/until.js';

const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
/** Reads the event stream and returns the first event for which `enough` is true. */
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

t.test('shows the mempool by fee rate', async (t) => {
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

t.test('shows a miner its workers and its block, whatever their names are', async (t) => {
  const [port, stratumPort] = [await freePort(), await freePort()];
  await Daemon.startFor(t, `-metricsport=${port}`, '-stratum', `-stratumport=${stratumPort}`);
  const evil = '<img src=x onerror=document.title=1>';
  const name = `${address}.${evil}`;
  const miner = await StratumClient.start(stratumPort, name, '<script>document.title=2</script>');
  t.teardown(() => miner.close());
  const share = miner.mine();
  t.match(await miner.submit(name, share), { error: null });
  await miner.onTip(share.hashHex);
  const idle = await StratumClient.start(stratumPort, '2N3oefVeg6stiTb5Kh3ozCSkaqmx91FDbsm.garage');
  t.teardown(() => idle.close());
  const event = await eventWith(
    port,
    ({ stratum, submissions }) => stratum.blocks === 1 && stratum.workers === 1 && submissions.newest.length === 1,
  );
  t.match(event.stratum, { miners: 2, workers: 1, accepted: 1, refused: 0, blocks: 1, lost: 0 });
  t.match(event.submissions.newest[0].client, evil);
  /**
   * Requests the list of workers. Repeats the request on status 503, which means that the server is still answering
   * another request.
   */
  const workers = async (query: string) => {
    for (;;) {
      const reply = await fetch(`http://127.0.0.1:${port}/workers${query}`);
      if (reply.status === 200) return { type: reply.headers.get('content-type'), page: (await reply.json()) as WorkerPage };
      if (reply.status !== 503) throw new Error(`${reply.status}`);
    }
  };
  const { type, page } = await workers(`?address=${address}`);
  t.equal(type, 'application/json');
  t.match(page, { total: 1, workers: [{ worker: evil, address, blocks: 1, sessions: 1 }] });
  t.equal((await workers('')).page.total, 2);
  t.equal((await workers('?address=%ff&x')).page.total, 0);
  const html = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  t.notMatch(html, evil, 'the page in its first state has no foreign markup');

  await t.test('in a browser', { skip: browserProgram === undefined && 'needs Chromium' }, async (t) => {
    const browser = await Browser.open(browserProgram as string, `http://127.0.0.1:${port}/#${address}`);
    t.teardown(() => browser.close());
    const cells = `[...document.querySelectorAll('#workertable tr')].map((row) => row.firstChild.textContent).join('|')`;
    await browser.shows(`${cells} === ${JSON.stringify(`${evil}|all 1`)}`);
    await browser.shows(`document.querySelector('#workertable td:last-child').textContent === '1 found'`);
    t.equal(await browser.evaluate(`document.title + document.querySelectorAll('#workertable img, #workertable script').length`), 'adit0');
    await browser.evaluate(`document.getElementById('address').value = ''; document.getElementById('address').onchange()`);
    await browser.shows(`document.querySelectorAll('#workertable tr').length === 3`);
    if (process.env.PAGE_SHOTS) fs.writeFileSync(path.join(process.env.PAGE_SHOTS, 'miners.png'), await browser.picture(1280, 1400));
  });
});

t.test('streams events to the status page', async (t) => {
  const port = await freePort();
  const node = await Daemon.startFor(t, `-metricsport=${port}`);
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
  t.same(event.problems, [], 'a node of regtest needs no peers');
  t.ok(event.diskFreeBytes > 0);
  t.equal(event.template.reward, 5_000_000_000);
  t.same(event.submissions, { counts: {}, newest: [] });
  const copy = await node.call('getblock', await node.call('getbestblockhash'), 0);
  t.equal(await node.call('submitblock', copy), 'duplicate');
  const submitted = await eventWith(port, (one) => one.submissions.newest.length > 0);
  t.same(submitted.submissions.counts, { duplicate: 1 });
  t.match(submitted.submissions.newest[0], { hash: event.tip.hash, client: /^RPC user "/, outcome: 'duplicate' });
  const log = fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
  t.match(log, new RegExp(`submitblock: block ${event.tip.hash} of RPC user "[^"]+": duplicate`));
  const change = eventWith(port, (one) => one.tip.height === 15);
  await node.call('generatetoaddress', 1, address);
  await change;
  await node.call('invalidateblock', await node.call('getbestblockhash'));
  t.equal((await eventWith(port, (one) => one.tip.height === 14)).blocks[0].height, 14, 'what has left is not listed');
  t.equal((await eventWith(port, (one) => one.template !== null)).template.height, 15, 'the template is good again');

  await t.test('renders the status page in a browser', { skip: browserProgram === undefined && 'needs Chromium' }, async (t) => {
    const page = await Browser.open(browserProgram as string, `http://127.0.0.1:${port}/`);
    t.teardown(() => page.close());
    const text = (id: string): string => `document.getElementById('${id}')?.textContent`;
    await page.shows(`${text('live')} === 'live' && document.getElementById('live').className === 'ok'`);
    await page.shows(`${text('height')} === '14' && ${text('theight')} === '15'`);
    await page.shows(`${text('problems')} === 'All is well.' && ${text('submitted')} === 'duplicate 1'`);
    const rows = `[...document.querySelectorAll('#blocks > tr > td:first-child')].filter((cell) => /^\\d+$/.test(cell.textContent)).length`;
    t.equal(await page.evaluate(rows), 11, 'the blocks, without the one that left');
    // A page whose script has stopped would not show the next block.
    await node.call('generatetoaddress', 1, 'mjTHywdPqCxdbQTeirPjwn15xgZG8EAGUE');
    await page.shows(`${text('height')} === '15'`);
    for (const [name, width, height] of [
      ['desktop', 1280, 860],
      ['phone', 412, 1500],
    ] as const) {
      const picture = await page.picture(width, height);
      t.ok(picture.length > 10_000, `${name}: a picture`);
      if (process.env.PAGE_SHOTS) fs.writeFileSync(path.join(process.env.PAGE_SHOTS, `${name}.png`), picture);
    }
    await node.stop();
    await page.shows(`${text('live')} !== 'live'`);
  });
});
