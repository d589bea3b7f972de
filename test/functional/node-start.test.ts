// Tests how a process starts and ends: the order in which its parts start, signals at any moment, and the effects of
// options that are visible from outside.
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { Daemon, daemonFile, freePort } from '../framework/daemon.js';
import { until } from '../framework/until.js';

const logOf = (node: Daemon): string => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');

t.test('starts and stops the parts of a node in order', async (t) => {
  const node = await Daemon.startFor(t, '-uacomment=ordered', '-pid=my.pid', '-networkactive=0');
  t.equal(fs.readFileSync(path.join(node.networkDir, 'my.pid'), 'utf8'), `${node.child?.pid}\n`);
  const { subversion, networkactive } = await node.call('getnetworkinfo');
  t.match(subversion, /\(adit [\d.]+; ordered\)\/$/);
  t.equal(networkactive, false);
  await until('the end of the start', () => logOf(node).includes('Done loading'));
  t.same(await node.stop(), { code: 0, signal: null });
  t.equal(fs.existsSync(path.join(node.networkDir, 'my.pid')), false);
  t.equal(fs.existsSync(path.join(node.networkDir, '.cookie')), false);
  const log = logOf(node);
  const order = [
    'adit version',
    'init message: Loading block index...',
    'init message: Verifying blocks...',
    'init message: Loading wallet...',
    'Loaded best chain',
    'init message: Starting network threads...',
    'Done loading',
    'Shutdown: In progress...',
    'Shutdown: done',
  ];
  const places = order.map((text) => log.indexOf(text));
  t.same(
    order.filter((_, i) => (places[i] as number) < 0),
    [],
    'all of them are there',
  );
  t.same(
    [...places].sort((a, b) => a - b),
    places,
    'one after the other',
  );
});

const skip = process.platform !== 'linux' && 'threads are counted in /proc';
t.test('reads files with 16 threads unless UV_THREADPOOL_SIZE is set', { skip }, async (t) => {
  const node = await Daemon.startFor(t, '-disablewallet');
  const threads = (): number => fs.readdirSync(`/proc/${node.child?.pid}/task`).length;
  const many = threads();
  await node.stop();
  node.env = { UV_THREADPOOL_SIZE: '2' };
  await node.up();
  // The database may have started one or two more threads by now.
  t.ok(many - threads() >= 10, `${many} and ${threads()}`);
});

t.test('ends after the import of blocks with -stopafterblockimport', async (t) => {
  const node = await Daemon.startFor(t, '-disablewallet');
  await node.stop();
  await node.up('-stopafterblockimport').catch(() => undefined);
  t.same(await node.ended(), { code: 0, signal: null });
  t.match(logOf(node), /Stopping after block import/);
  t.equal(logOf(node).match(/Done loading/g)?.length ?? 0, 1, 'only the first start has completed');
});

t.test('starts on every network', async (t) => {
  for (const [option, chain, genesis] of [
    ['-testnet', 'test', '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943'],
    ['-signet', 'signet', '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6'],
    ['-chain=main', 'main', '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'],
  ] as const) {
    const node = await Daemon.startFor(t, option);
    const info = await node.call('getblockchaininfo');
    t.same([info.chain, info.blocks, info.bestblockhash], [chain, 0, genesis]);
    t.same(await node.stop(), { code: 0, signal: null });
  }
});

/**
 * Starts a process and sends it a signal when a line first appears in its log.
 * @returns how the process ended, and its output
 */
async function signalledAt(dir: string, line: string, signal: NodeJS.Signals) {
  const child: ChildProcess = spawn(process.execPath, [
    daemonFile,
    '-regtest',
    `-datadir=${dir}`,
    `-rpcport=${await freePort()}`,
    '-listen=0',
    '-connect=0',
    '-fronts=1',
    '-printtoconsole=1',
  ]);
  let output = '';
  let sent = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (sent || !output.includes(line)) return;
      sent = true;
      child.kill(signal);
    });
  }
  const end = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.on('close', (code, by) => resolve({ code, signal: by })),
  );
  return { ...end, output, sent };
}

for (const [line, signal] of [
  ['init message: Loading block index', 'SIGTERM'],
  ['init message: Loading wallet', 'SIGINT'],
  ['init message: Starting network threads', 'SIGTERM'],
] as const) {
  t.test(`${signal} at "${line}"`, async (t: Test) => {
    const dir = fs.mkdtempSync('/tmp/adit-start-');
    t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
    const first = await signalledAt(dir, line, signal);
    t.equal(first.sent, true);
    t.same([first.code, first.signal], [0, null], first.output.slice(-600));
    t.match(first.output, /Shutdown: done\n$/);
    t.notMatch(first.output, /Error|\berror\b/);
    const second = await signalledAt(dir, 'Done loading', 'SIGTERM');
    t.equal(second.code, 0, 'the folder is whole and free');
  });
}

t.test('reopens the log file on SIGHUP', async (t) => {
  const node = await Daemon.startFor(t);
  const file = path.join(node.networkDir, 'debug.log');
  fs.renameSync(file, `${file}.old`);
  node.child?.kill('SIGHUP');
  await until('another file', () => fs.existsSync(file));
  await node.stop();
  t.match(fs.readFileSync(file, 'utf8'), /Shutdown: done/);
  t.notMatch(fs.readFileSync(`${file}.old`, 'utf8'), /Shutdown: done/);
});
