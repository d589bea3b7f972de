// Tests the messages of starts that fail, and which files remain in the data folder after the node has ended.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { Daemon, daemonFile } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { PATIENCE_MS } from '../framework/until.js';

/** The repository: tests run from build/test/functional. */
const ROOT = path.resolve(import.meta.dirname, '../../..');

function run(file: string, ...args: string[]): { status: number | null; out: string; err: string } {
  const done = spawnSync(process.execPath, [file, ...args], { timeout: PATIENCE_MS, encoding: 'utf8' });
  return { status: done.status, out: done.stdout, err: done.stderr };
}

t.test('refuses to start with unusable options and names the option', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-options-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const refused: [string[], string][] = [
    [['-nosuchopt'], 'Error: Error parsing command line arguments: Invalid parameter -nosuchopt\n'],
    [['-datadir=/nonexistent/x'], 'Error: Specified data directory "/nonexistent/x" does not exist.\n'],
    [['-regtest', '-signet'], 'Error: Invalid combination of -regtest, -signet, -testnet and -chain. Can use at most one.\n'],
    [['-regtest', `-datadir=${dir}`, '-blockmintxfee=lots'], "Error: Invalid amount for -blockmintxfee=<amount>: 'lots'\n"],
    [['-regtest', `-datadir=${dir}`, '-rpcallowip=300.1.1.1'], /Invalid -rpcallowip subnet specification: 300\.1\.1\.1\./.source],
  ];
  for (const [args, message] of refused) {
    const done = run(daemonFile, '-printtoconsole=0', ...args);
    t.equal(done.status, 1, args.join(' '));
    t.ok(done.err === message || new RegExp(message).test(done.err), done.err);
  }
  const help = run(daemonFile, '--help');
  t.equal(help.status, 0);
  t.match(help.out, /-rpcport=<n>/);
  for (const option of ['-help-debug=abc', '-help=0']) t.match(run(daemonFile, option).out, /-rpcport=<n>/, `${option} shows the help`);
  const version = run(daemonFile, '-version');
  t.equal(version.status, 0);
  // The build writes the commit; a copy without a git repository has none.
  const commit = fs.existsSync(path.join(ROOT, '.git')) ? ' \\(commit [0-9a-f]{12}(-dirty)?\\)' : '';
  t.match(version.out, new RegExp(`^adit daemon version [\\d.]+${commit}\\nfollows Bitcoin Core 31\\.99\\.0 \\(319900\\)\\n$`));
  t.match(run(daemonFile, '-version', '-compat=0.21.1').out, /\nfollows Bitcoin Core 0\.21\.1 \(210100\)\n$/);
});

t.test('refuses to start a second node in the same folder or on the same port', async (t) => {
  const node = await Daemon.startFor(t);
  const locked = run(daemonFile, '-regtest', `-datadir=${node.dir}`, `-rpcport=${await freePort()}`, '-printtoconsole=0');
  t.equal(locked.status, 1);
  t.equal(locked.err, `Error: Cannot obtain a lock on directory ${node.networkDir}. adit is probably already running.\n`);
  t.equal(await node.call('getblockcount'), 0, 'the first node was not disturbed');
  t.ok(fs.existsSync(path.join(node.networkDir, '.cookie')), 'nor was its cookie');

  const other = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-port-'));
  t.teardown(() => fs.rmSync(other, { recursive: true, force: true }));
  const taken = run(daemonFile, '-regtest', `-datadir=${other}`, `-rpcport=${node.port}`, '-printtoconsole=0');
  t.equal(taken.status, 1);
  const fault = `Binding RPC on address 127\\.0\\.0\\.1 port ${node.port} failed: another program, perhaps another node, uses this port \\(EADDRINUSE\\)\\.`;
  t.match(taken.err, new RegExp(`^Error: Unable to start HTTP server\\. .*${fault}.* Choose another -rpcport or -rpcbind\\.\n$`));
  t.notOk(fs.existsSync(path.join(other, 'regtest', '.cookie')), 'no cookie is left');

  t.equal(fs.statSync(path.join(node.networkDir, '.cookie')).mode & 0o777, 0o600, "the cookie is the operator's alone");
  t.match(fs.readFileSync(path.join(node.networkDir, '.cookie'), 'utf8'), /^__cookie__:[0-9a-f]{64}$/);
  const log = fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
  t.notMatch(log, fs.readFileSync(path.join(node.networkDir, '.cookie'), 'utf8').slice(11), 'the log does not know it');
  t.match(log, /libsecp256k1|secp256k1/, 'the log names the curve library');
  t.same(await node.stop(), { code: 0, signal: null });
  t.notOk(fs.existsSync(path.join(node.networkDir, '.cookie')), 'a clean stop removes the cookie');
  t.notOk(fs.existsSync(path.join(node.networkDir, 'bitcoind.pid')), 'and the process id');
});

t.test('refuses to start when the port for peers is in use', async (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-port-'));
  const peers = net.createServer();
  await new Promise<void>((resolve) => peers.listen(0, '0.0.0.0', resolve));
  t.teardown(() => {
    peers.close();
    fs.rmSync(dir, { recursive: true, force: true });
  });
  const peerPort = (peers.address() as net.AddressInfo).port;
  const alone = run(daemonFile, '-regtest', `-datadir=${dir}`, `-rpcport=${await freePort()}`, '-printtoconsole=0', `-port=${peerPort}`);
  t.equal(alone.status, 1);
  t.equal(
    alone.err,
    `Error: Unable to bind to 0.0.0.0:${peerPort} on this computer. adit is probably already running. Choose another -port or -bind, or use -listen=0.\n`,
  );
});

t.test('stops cleanly on SIGTERM', async (t) => {
  const node = await Daemon.startFor(t);
  const [hash] = await node.call('generatetoaddress', 1, 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080');
  node.child?.kill('SIGTERM');
  t.same(await node.ended(), { code: 0, signal: null });
  await node.up();
  t.equal(await node.call('getbestblockhash'), hash);
});

t.test('survives garbage on the RPC port', async (t) => {
  const node = await Daemon.startFor(t);
  const garbage = [
    '\0\xff\x01\x02'.repeat(500),
    'GET / HTTP/9.9\r\n\r\n',
    'POST / HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n',
    `POST / HTTP/1.1\r\n${'X: y\r\n'.repeat(5000)}\r\n`,
  ];
  for (const bytes of garbage) {
    await new Promise<void>((resolve) => {
      const socket = net.connect(node.port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
      socket.on('error', () => resolve());
      socket.on('close', () => resolve());
      socket.on('data', () => {});
      socket.setTimeout(1000, () => socket.destroy());
    });
    t.equal(await node.call('getblockcount'), 0, 'it still answers');
  }
  const deep = await node.post('['.repeat(100_000));
  t.equal(deep.status, 500, 'too deep is a parse error');
  t.match(deep.body, /Parse error/);
});

t.test('serves metrics in the format of Prometheus', async (t) => {
  const port = await freePort();
  const node = await Daemon.startFor(t, `-metricsport=${port}`);
  await node.call('generatetoaddress', 2, 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080');
  await node.call('getblocktemplate', { rules: ['segwit'] });
  const text = await new Promise<string>((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path: '/metrics' }, (reply) => {
        let body = '';
        reply
          .setEncoding('utf8')
          .on('data', (chunk: string) => (body += chunk))
          .on('end', () => resolve(body));
      })
      .on('error', reject);
  });
  const figure = (name: string): number =>
    Number(new RegExp(`^${name.replace(/[{}"]/g, '\\$&')} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  t.equal(figure('bitcoin_blocks'), 2);
  t.equal(figure('bitcoin_server_version'), 319_900);
  t.equal(figure('adit_blocks_connected_total'), 2);
  t.equal(figure('bitcoin_latest_block_height'), 2);
  t.equal(figure('bitcoin_latest_block_txs'), 1);
  t.ok(figure('adit_template_age_seconds') >= 0);
  t.ok(figure('adit_template_build_seconds_count') >= 1);
  t.ok(figure('adit_rpc_seconds_count{method="generatetoaddress",result="ok"}') >= 1);
  t.ok(figure('adit_nodejs_eventloop_lag_p99_seconds') >= 0);
  t.match(text, /^adit_info\{.*ecdsa="[^"]+".*\} 1$/m);
});
