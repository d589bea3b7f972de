// -rehearse: blocks are rehearsed once a miner asks for templates, and nothing of it is seen in chain, mempool or folder.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { until } from '../framework/until.js';

const ADDRESS = 'bcrt1q6rhpng9evdsfnn833a4f4vej0asu6dk5srld6x';
const log = (node: Daemon): string => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
const folder = (node: Daemon): string => path.join(node.networkDir, 'rehearsal');
const askForTemplate = (node: Daemon) => node.call('getblocktemplate', { rules: ['segwit'] });
/** Longer than between two looks at whether there are miners, and than fronts wait until they tell of calls. */
const lookAgain = (node: Daemon) => node.call('mockscheduler', 60);

t.test('a node that a miner asks', async (t) => {
  const node = await Daemon.start();
  t.teardown(() => node.remove());
  await node.call('generatetoaddress', 1, ADDRESS);
  await lookAgain(node);
  t.notOk(fs.existsSync(folder(node)), 'without a miner nothing is rehearsed');
  const before = await node.call('getchaintips');
  await askForTemplate(node);
  await until('blocks are rehearsed', async () => {
    await lookAgain(node);
    return /Rehearsed blocks with \d+ inputs and \d+ templates/.test(log(node));
  });
  t.notOk(fs.existsSync(folder(node)), 'nothing is left of it');
  t.strictSame(await node.call('getchaintips'), before);
  const { size } = (await node.call('getmempoolinfo')) as { size: number };
  t.equal(size, 0);
  await lookAgain(node);
  await node.call('generatetoaddress', 1, ADDRESS);
  t.equal(await node.call('getblockcount'), 2);
  await node.stop();
  t.equal(log(node).match(/Rehearsed blocks/g)?.length, 1, 'once');
  t.notMatch(log(node), /rehearsal of blocks failed/);
});

t.test('a node that ends meanwhile', async (t) => {
  const node = await Daemon.start();
  t.teardown(() => node.remove());
  await node.call('generatetoaddress', 1, ADDRESS);
  await askForTemplate(node);
  await until('a rehearsal has begun', async () => {
    await lookAgain(node);
    return fs.existsSync(folder(node));
  });
  await node.stop();
  t.match(log(node), /Shutdown: done/);
  t.notMatch(log(node), /Rehearsed|rehearsal/, 'neither an end of it nor a fault');
  t.notOk(fs.existsSync(folder(node)));
});

t.test('a node that is killed meanwhile', async (t) => {
  const node = await Daemon.start();
  t.teardown(() => node.remove());
  await node.call('generatetoaddress', 1, ADDRESS);
  await askForTemplate(node);
  await until('a rehearsal has begun', async () => {
    await lookAgain(node);
    return fs.existsSync(folder(node));
  });
  await node.kill();
  t.ok(fs.existsSync(folder(node)));
  await node.up();
  t.notOk(fs.existsSync(folder(node)), 'the next start removes what it left');
  t.equal(await node.call('getblockcount'), 1);
});

t.test('-rehearse=0', async (t) => {
  const node = await Daemon.start('-rehearse=0');
  t.teardown(() => node.remove());
  await node.call('generatetoaddress', 1, ADDRESS);
  await askForTemplate(node);
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await lookAgain(node);
    t.notOk(fs.existsSync(folder(node)));
  }
  await node.stop();
  t.notMatch(log(node), /Rehearsed|rehearsal/);
});
