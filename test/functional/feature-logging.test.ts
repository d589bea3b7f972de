// Tests debug.log of a real process: it has the lines that Bitcoin Core's functional tests and operators' scripts
// search for, in Core's words, and the options that switch them work. Also tests the permissions of the cookie file.
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { Daemon, daemonFile } from '../framework/daemon.js';
import { PATIENCE_MS, until } from '../framework/until.js';

const ADDRESS = 'bcrt1qrkdm7junpxckxj8kxkfrdh45p57yxg3wyd3mcw';

const logOf = (node: Daemon): string => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');

/**
 * Waits for a line in debug.log. Lines from front threads reach the file a little later than their reply reaches the
 * client.
 */
function said(node: Daemon, pattern: RegExp): Promise<boolean> {
  return until(String(pattern), () => pattern.test(logOf(node))).then(
    () => true,
    () => false,
  );
}

function refused(...args: string[]): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-log-'));
  try {
    const done = spawnSync(process.execPath, [daemonFile, '-regtest', `-datadir=${dir}`, '-printtoconsole=0', ...args], {
      timeout: PATIENCE_MS,
      encoding: 'utf8',
    });
    return `${done.status} ${done.stderr}`;
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

t.test('logs the events of a run', async (t) => {
  const node = await Daemon.startFor(t, '-debug=rpc', '-rpcbind=127.0.0.1', '-rpcauth=bob:salt$00', '-noconnect=0');
  const [hash] = await node.call('generatetoaddress', 1, ADDRESS);
  await node.call('invalidateblock', hash);
  await node.call('reconsiderblock', hash);
  t.equal(await node.call('getblockcount'), 1);
  await node.call('submitblock', '00').catch(() => {});
  await node.call('getblocktemplate', { rules: ['segwit'] });
  for (const line of [
    /Default data directory /,
    /Using data directory .*regtest\n/,
    /Config file: .*bitcoin\.conf \(not found, skipping\)\n/,
    /Command-line arg: rpcauth=\*{4}\n/,
    /Command-line arg: rpcbind=\*{4}\n/,
    /Command-line arg: regtest=""\n/,
    /Warning: parsed potentially confusing double-negative -connect=0\n/,
    /Using random cookie authentication\.\n/,
    /Using rpcauth authentication\.\n/,
    /Generated RPC authentication cookie .*\.cookie\n/,
    /option -rpcbind was ignored because -rpcallowip was not specified, refusing to allow everyone to connect\n/,
    /Validating signatures for all blocks\.\n/,
    /Setting nMinimumChainWork=0{64}\n/,
    /init message: Loading block index\.\.\.\n/,
    /init message: Verifying blocks\.\.\.\n/,
    /Loaded best chain: hashBestChain=[0-9a-f]{64} height=0 date=2011-02-02T23:16:42Z progress=0\.00000\d\n/,
    /Done loading/,
    new RegExp(`UpdateTip: new best=${hash} height=1 version=0x20000000 log2_work=2\\.000000 tx=2 date='[^']*' progress=1\\.000000 cache=`),
    /\[rpc\] ThreadRPCServer method=invalidateblock user=__cookie__\n/,
    /\[rpc\] ThreadRPCServer method=getblockcount user=__cookie__\n/,
    /\[rpc\] ThreadRPCServer method=getblocktemplate user=__cookie__\n/,
  ])
    t.ok(await said(node, line), String(line));
  t.notMatch(logOf(node), /Received a POST/, 'nothing of a category that is off');
  await node.call('logging', ['http'], ['rpc']);
  const before = logOf(node).length;
  await node.call('getblockcount');
  t.ok(await said(node, /\[http\] Received a POST request for \/ from 127\.0\.0\.1/));
  t.notMatch(logOf(node).slice(before), /method=getblockcount/, 'rpc was switched off');
  const { http: on, rpc: off } = await node.call('logging', ['none'], ['0']);
  t.same([on, off], [true, false], 'none stands for no category');
  await node.stop();
  t.match(logOf(node), /Shutdown: In progress\.\.\.\n(.*\n)*.*Shutdown: done\n$/);
  t.equal((logOf(node).match(/salt|127\.0\.0\.1:?"/g) ?? []).length, 0, 'no secret among them');
});

t.test('refuses a log file that cannot be written, and wrong log options', async (t) => {
  t.match(refused('-debuglogfile=none/such.log'), /^1 Error: Could not open debug log file \/.*none\/such\.log\n$/);
  t.match(refused('-debug=nonsense'), /^1 Error: Unsupported logging category -debug=nonsense\.\n$/);
  t.match(refused('-rpccookieperms=world'), /^1 Error: Invalid -rpccookieperms=world; must be one of 'owner', 'group', or 'all'\.\n$/);
  t.match(refused('-rpcport=70000'), /^1 Error: Invalid port specified in -rpcport: '70000'\n$/);
  t.match(
    refused('-rpcallowip=1.2.3.4/255.0.255.0'),
    /^1 Error: Invalid -rpcallowip subnet specification: 1\.2\.3\.4\/255\.0\.255\.0\. Valid are /,
  );
  t.match(refused('-rpcallowip=0.0.0.0/0', '-rpcbind=127.0.0.1:notaport'), /^1 Error: Invalid port specified in -rpcbind: /);
});

t.test('writes the cookie file with mode 0600 and deletes it at a stop', async (t) => {
  const node = await Daemon.startFor(t);
  const cookie = path.join(node.networkDir, '.cookie');
  const mode = () => (fs.statSync(cookie).mode & 0o777).toString(8);
  t.equal(mode(), '600');
  for (const [option, bits] of [
    ['owner', '600'],
    ['group', '640'],
    ['all', '644'],
  ]) {
    await node.stop();
    t.notOk(fs.existsSync(cookie), 'gone after a stop');
    await node.up(`-rpccookieperms=${option}`);
    t.equal(mode(), bits, option);
  }
  await node.stop();
});

t.test('writes no cookie file when it is disabled', async (t) => {
  const auth = `bob:salt$${createHmac('sha256', 'salt').update('secret').digest('hex')}`;
  const node = await Daemon.startAs('bob:secret', '-norpccookiefile', `-rpcauth=${auth}`);
  t.teardown(() => node.remove());
  t.notOk(fs.existsSync(path.join(node.networkDir, '.cookie')));
  t.ok(await said(node, /RPC authentication cookie file generation is disabled\.\n/));
  const asked = async (credentials: string) => (await node.post('{"method":"uptime","id":1}', { auth: credentials })).status;
  t.equal(await asked('bob:secret'), 200);
  t.equal(await asked(':'), 401, 'an empty user with an empty password is nobody');
  t.equal(await asked(''), 401);
});
