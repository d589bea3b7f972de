// Tests that a daemon keeps running when its console is closed, when debug.log cannot be opened at a rotation, and when
// -daemon or -daemonwait puts it in the background.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { temporaryFolder } from '../framework/chain-fixture.js';
import { Daemon, daemonFile, freePort } from '../framework/daemon.js';
import { PATIENCE_MS, until } from '../framework/until.js';

t.test('keeps running without a reader of its console, and logs to the old file while the new one cannot be opened', async (t) => {
  const dir = temporaryFolder();
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const fifo = path.join(dir, 'console');
  t.equal(spawnSync('mkfifo', [fifo]).status, 0);
  const reader = fs.openSync(fifo, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  const node = await Daemon.startThrough(['sh', '-c', `exec "$@" > ${fifo} 2>&1`, 'sh'], '-printtoconsole=1');
  t.teardown(() => node.remove());
  fs.closeSync(reader);
  const log = path.join(node.networkDir, 'debug.log');
  const mine = (): Promise<unknown> => node.call('generatetodescriptor', 1, 'raw(51)#8lvh9jxk');
  await mine();
  const tips = (file: string): number => fs.readFileSync(file, 'utf8').match(/UpdateTip: new best/g)?.length ?? 0;
  const before = tips(log);
  t.ok(before > 0, 'lines go on in the file');

  fs.renameSync(log, `${log}.1`);
  fs.mkdirSync(log);
  node.child?.kill('SIGHUP');
  await until('a warning', () => /Warning: Could not open debug log file .* \(EISDIR\)/.test(fs.readFileSync(`${log}.1`, 'utf8')));
  await mine();
  t.ok(tips(`${log}.1`) > before);
  fs.rmdirSync(log);
  node.child?.kill('SIGHUP');
  await until('a new file', () => fs.existsSync(log));
  const last = tips(`${log}.1`);
  await mine();
  t.ok(tips(log) > 0);
  t.equal(tips(`${log}.1`), last);
  t.same(await node.stop(), { code: 0, signal: null });
});

/** Starts a daemon in the background, waits until the starting command ends, and returns its exit status and output. */
async function background(dir: string, ...options: string[]): Promise<{ status: number; out: string; err: string }> {
  const args = [
    daemonFile,
    '-regtest',
    `-datadir=${dir}`,
    '-listen=0',
    '-connect=0',
    '-fronts=1',
    '-rehearse=0',
    '-disablewallet',
    ...options,
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: PATIENCE_MS });
  const said = { out: '', err: '' };
  child.stdout.on('data', (text: Buffer) => {
    said.out += text.toString();
  });
  child.stderr.on('data', (text: Buffer) => {
    said.err += text.toString();
  });
  // 'close' comes after the end of both streams, which the background node does not hold open.
  const [status] = await once(child, 'close');
  return { status, ...said };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

t.test('runs in the background with -daemon', async (t) => {
  const dir = temporaryFolder();
  const pidFile = path.join(dir, 'regtest', 'bitcoind.pid');
  const pid = (): number => Number(fs.readFileSync(pidFile, 'utf8'));
  const started: number[] = [];
  t.teardown(() => {
    for (const one of started) if (isAlive(one)) process.kill(one, 'SIGKILL');
    fs.rmSync(dir, { recursive: true, force: true });
  });
  const port = await freePort();
  /** Stops the node of the pid file. */
  const stop = async (): Promise<void> => {
    const running = pid();
    process.kill(running, 'SIGTERM');
    await until('the end', () => !isAlive(running));
    t.notOk(fs.existsSync(pidFile), 'a clean stop removes the pid file');
  };

  // When the command returns, the node is up: its pid file and its cookie are there.
  t.same(await background(dir, '-daemonwait', `-rpcport=${port}`), { status: 0, out: 'adit starting\n', err: '' });
  started.push(pid());
  t.ok(isAlive(pid()));
  t.ok(fs.existsSync(path.join(dir, 'regtest', '.cookie')));
  t.match(fs.readFileSync(path.join(dir, 'regtest', 'debug.log'), 'utf8'), /Done loading|Loaded best chain/);

  // The second daemon uses the same folder. It fails only after the moment at which a command with -daemon alone has
  // already returned.
  const second = await background(dir, '-daemonwait', `-rpcport=${port}`);
  t.same([second.status, second.out], [1, 'adit starting\n']);
  t.match(second.err, /^Error: Cannot obtain a lock on .*\nError during initialization - check \/.*debug\.log for details\n$/);

  // An option that is wrong fails at once, in the foreground.
  const wrong = await background(dir, '-daemon', '-rpccookieperms=x');
  t.same([wrong.status, wrong.out], [1, '']);
  t.match(wrong.err, /^Error: Invalid -rpccookieperms=x/);
  await stop();

  fs.writeFileSync(path.join(dir, 'bitcoin.conf'), `daemon=1\n[regtest]\nrpcport=${port}\n`);
  t.same(await background(dir), { status: 0, out: 'adit starting\n', err: '' });
  await until('a pid file', () => fs.existsSync(pidFile));
  started.push(pid());
  await until('a cookie', () => fs.existsSync(path.join(dir, 'regtest', '.cookie')));
  await stop();
});
