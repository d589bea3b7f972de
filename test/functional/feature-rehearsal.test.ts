// -rehearse: the warm-up starts once a miner requests templates, at the lowest priority. Chain, mempool and folders
// show nothing of it.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { figure, scrape } from '../framework/scrape.js';
import { until } from '../framework/until.js';

const ADDRESS = 'bcrt1q6rhpng9evdsfnn833a4f4vej0asu6dk5srld6x';
const log = (node: Daemon): string => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
/** Returns true if the folder with the warm-up's blocks exists. */
const lies = (node: Daemon): boolean => fs.existsSync(path.join(node.networkDir, 'blocks', 'rehearsal'));
const askForTemplate = (node: Daemon) => node.call('getblocktemplate', { rules: ['segwit'] });
/**
 * Advances the mock scheduler by 60 seconds. This is longer than the interval between two checks for miners, and longer
 * than fronts wait before they report calls to the node.
 */
const lookAgain = (node: Daemon) => node.call('mockscheduler', 60);

/** Makes a miner's request, and waits until the warm-up has begun. */
async function begin(node: Daemon): Promise<void> {
  await askForTemplate(node);
  await until('a rehearsal has begun', async () => {
    await lookAgain(node);
    return lies(node);
  });
}

t.test('warms up while a miner requests templates, after warm-ups that a stop and a kill ended', async (t) => {
  const port = await freePort();
  // The options of relay do not change the blocks of the warm-up.
  const relay = ['-minrelaytxfee=0.5', '-dustrelayfee=1', '-bytespersigop=1000000', '-maxmempool=5'];
  const node = await Daemon.startFor(t, '-rehearse=1', `-metricsport=${port}`, ...relay);
  // A folder of this name that does not belong to the warm-up, for example an old wallet.
  const other = path.join(node.networkDir, 'rehearsal');
  fs.mkdirSync(other);
  await node.call('generatetoaddress', 1, ADDRESS);
  const refused = node.call('getblocktemplate', {}).catch((error: Error) => error.message);
  t.match(await refused, /segwit/, 'a call that is refused makes no miner');
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await lookAgain(node);
  }
  t.notOk(lies(node));
  const before = await node.call('getchaintips');

  await begin(node);
  await node.stop();
  t.match(log(node), /Shutdown: done/);
  t.notOk(lies(node), 'a stop removes its folder');
  await node.up();
  await begin(node);
  await node.kill();
  t.ok(lies(node));
  t.notMatch(log(node), /Block warm-up (finished|failed)/, 'neither an end of it nor a fault');
  await node.up();
  await askForTemplate(node);
  await until('blocks are rehearsed', async () => {
    await lookAgain(node);
    return /Block warm-up finished: validated blocks with \d+ inputs and built \d+ templates/.test(log(node));
  });
  t.notOk(lies(node), 'nothing is left of it, nor of the one that was killed');
  t.ok(fs.existsSync(other), 'what others made is left alone');
  t.strictSame(await node.call('getchaintips'), before);
  const { size } = (await node.call('getmempoolinfo')) as { size: number };
  t.equal(size, 0);
  const text = await scrape(port);
  const jobs = (klass: string): number => figure(text, `adit_verify_jobs_total{class="${klass}"}`);
  t.ok(jobs('scan') > 0);
  for (const klass of ['block', 'proposal', 'transaction']) t.equal(jobs(klass), 0, `none of its jobs is of class ${klass}`);
  await lookAgain(node);
  await node.call('generatetoaddress', 1, ADDRESS);
  t.equal(await node.call('getblockcount'), 2);
  await node.stop();
  t.equal(log(node).match(/Block warm-up finished/g)?.length, 1, 'once');
  t.notMatch(log(node), /Block warm-up failed/);
});

t.test('starts without a warm-up with -rehearse=0', async (t) => {
  const node = await Daemon.startFor(t, '-rehearse=0');
  await node.call('generatetoaddress', 1, ADDRESS);
  await askForTemplate(node);
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await lookAgain(node);
    t.notOk(lies(node));
  }
  await node.stop();
  t.notMatch(log(node), /Block warm-up (finished|failed)/);
});
