// Tests with real processes: bitcoin.conf, settings.json, and calls that arrive during the first moments of a start.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { warmupTexts } from '../../src/node/warmup.js';
import { Daemon, daemonFile } from '../framework/daemon.js';
import { type HttpReply, httpRequest } from '../framework/http-request.js';
import { freePort } from '../framework/ports.js';
import { PATIENCE_MS } from '../framework/until.js';

function folder(t: { teardown(run: () => void): unknown }, conf?: string): string {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-conf-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  if (conf !== undefined) fs.writeFileSync(path.join(dir, 'bitcoin.conf'), conf);
  return dir;
}

function refused(dir: string, ...args: string[]): string {
  const done = spawnSync(process.execPath, [daemonFile, `-datadir=${dir}`, '-printtoconsole=0', ...args], {
    timeout: PATIENCE_MS,
    encoding: 'utf8',
  });
  return `${done.status} ${done.stderr}`;
}

t.test('refuses configuration files with errors', async (t) => {
  for (const [conf, args, message] of [
    [
      'regtest=1\nnolisten',
      [],
      /^1 Error: Error reading configuration file: parse error on line 2: nolisten, if you intended to specify a negated option, use nolisten=1 instead\n$/,
    ],
    [
      '-server=1',
      ['-regtest'],
      /^1 Error: Error reading configuration file: parse error on line 1: -server=1, options in configuration file must be specified without leading -\n$/,
    ],
    [
      'rpcuser=u\nrpcpassword=a # b',
      ['-regtest'],
      /^1 Error: Error reading configuration file: parse error on line 2, using # in rpcpassword can be ambiguous and should be avoided\n$/,
    ],
    [
      'includeconf=gone.conf',
      ['-regtest'],
      /^1 Error: Error reading configuration file: Failed to include configuration file gone\.conf\n$/,
    ],
    [
      'rpcport=7\nconnect=0',
      ['-regtest'],
      /^1 Error: Config setting for -connect only applied on regtest network when in \[regtest\] section\.\nConfig setting for -rpcport only applied on regtest network when in \[regtest\] section\.\n$/,
    ],
    ['regtest=1\nsignet=1', [], /^1 Error: Invalid combination of -regtest, -signet, -testnet and -chain\. Can use at most one\.\n$/],
    ['', ['-conf=other.conf'], /^1 Error: Error reading configuration file: specified config file "other\.conf" could not be opened\.\n$/],
    [
      '',
      ['-includeconf=x.conf'],
      /^1 Error: Error parsing command line arguments: -includeconf cannot be used from commandline; -includeconf="x\.conf"\n$/,
    ],
  ] as const)
    t.match(refused(folder(t, conf), ...args), message);
});

t.test('reads and writes settings.json', async (t) => {
  for (const [text, message] of [
    ['{', /Unable to parse settings file .*settings\.json/],
    ['"text"', /Found non-object value "text" in settings file .*settings\.json/],
    ['{"wallet": ["a"], "x": {"wallet": 1}, "wallet": []}', /Found duplicate key wallet in settings file .*settings\.json/],
  ] as const) {
    const dir = folder(t);
    fs.mkdirSync(path.join(dir, 'regtest'));
    fs.writeFileSync(path.join(dir, 'regtest', 'settings.json'), text);
    const said = refused(dir, '-regtest');
    t.match(said, /^1 Error: Failed loading settings file:\n- /);
    t.match(said, message);
  }
  const node = await Daemon.startFor(t);
  const file = path.join(node.networkDir, 'settings.json');
  const warning = `    "_warning_": ${JSON.stringify(JSON.parse(fs.readFileSync(file, 'utf8'))._warning_)}`;
  t.equal(fs.readFileSync(file, 'utf8'), `{\n${warning}\n}\n`, 'made at the start');
  await node.stop();
  fs.writeFileSync(file, '{"debug":["rpc"],"nonsense":1,"server":true}');
  await node.up();
  t.equal((await node.call('logging')).rpc, true, 'its options count');
  t.equal(
    fs.readFileSync(file, 'utf8'),
    `{\n${warning},\n    "debug": [\n        "rpc"\n    ],\n    "nonsense": 1,\n    "server": true\n}\n`,
  );
  const log = fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
  t.match(log, /Ignoring unknown rw_settings value nonsense/);
  t.match(log, /Setting file arg: debug = \["rpc"\]/, 'as it stands there');
  t.match(log, /Setting file arg: server = true/);
  await node.stop();
  fs.mkdirSync(path.join(node.networkDir, '.cookie.tmp'));
  await t.rejects(node.up(), /Unable to start HTTP server\. See \S*debug\.log for details\./, 'nobody could call it without a cookie');
});

t.test('applies sections and included files of bitcoin.conf', async (t) => {
  const node = await Daemon.startFor(t);
  await node.stop();
  fs.writeFileSync(
    path.join(node.dir, 'bitcoin.conf'),
    'includeconf=more.conf\nrpcauth=bob:salt$00\nunheard=1\n[regtest]\nrpcwhitelist=__cookie__:getblockcount,logging,stop\n[nowhere]\nx=1\n',
  );
  fs.writeFileSync(
    path.join(node.dir, 'more.conf'),
    'debug=mempool\nincludeconf=deeper.conf\n[regtest]\nrpcwhitelist=__cookie__:getblockcount,logging,getbestblockhash\n',
  );
  await node.up();
  t.equal(await node.call('getblockcount'), 0);
  t.equal((await node.call('logging')).mempool, true, 'the included file counts');
  t.match(await node.call('getbestblockhash').catch((error: Error) => error.message), /HTTP 403/, 'lists of one user are intersected');
  t.match(node.output(), /warning: -includeconf cannot be used from included files; ignoring -includeconf=deeper\.conf/);
  t.match(node.output(), /Warning: bitcoin\.conf:6 Section \[nowhere\] is not recognized\./);
  const log = fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
  t.match(log, /Warning: bitcoin\.conf:3 Ignoring unknown configuration value unheard/);
  t.match(node.output(), /^Warning: bitcoin\.conf:3 Ignoring unknown configuration value unheard$/m);
  t.match(log, /Config file arg: rpcauth=\*{4}/, 'secrets are not shown');
  t.match(log, /Included configuration file more\.conf/);
});

/** Makes one call. Returns undefined while no daemon listens on the port. */
const ask = (port: number): Promise<HttpReply | undefined> =>
  httpRequest({ port, auth: 'u:p', agent: false, body: '{"method":"getblockchaininfo","id":1}' }).catch(() => undefined);

t.test('answers calls with -28 until the chain is loaded', async (t) => {
  const phases: string[] = Object.values(warmupTexts);
  const dir = folder(t);
  let early = 0;
  for (let round = 0; round < 6 && early === 0; round++) {
    const port = await freePort();
    const child = spawn(
      process.execPath,
      [daemonFile, '-regtest', `-datadir=${dir}`, `-rpcport=${port}`, '-rpcuser=u', '-rpcpassword=p', '-printtoconsole=0', '-listen=0'],
      { stdio: 'ignore' },
    );
    const ended = new Promise((resolve) => child.once('exit', resolve));
    for (const deadline = Date.now() + PATIENCE_MS; child.exitCode === null && Date.now() < deadline; await sleep(1)) {
      const reply = await ask(port);
      if (!reply) continue;
      if (reply.status === 200) break;
      early++;
      t.equal(reply.status, 500);
      const { error, ...rest } = JSON.parse(reply.body) as { error: { code: number; message: string } };
      t.same(rest, { result: null, id: 1 });
      t.equal(error.code, -28);
      t.ok(phases.includes(error.message), error.message);
    }
    child.kill('SIGTERM');
    await ended;
  }
  t.ok(early > 0, `${early} early calls were told to wait`);
});
