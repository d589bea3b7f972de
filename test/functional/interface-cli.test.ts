// Tests adit-cli against a real node: its output on stdout and stderr, and its exit status.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { cliFile, Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';

const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

interface Ended {
  status: number | null;
  out: string;
  err: string;
}

function run(args: readonly string[], input = ''): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [cliFile, ...args], { stdio: 'pipe' });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    child.on('close', (status) => resolve({ status, out, err }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

t.test('runs adit-cli against a node', async (t) => {
  const node = await Daemon.startFor(t, '-rpcauth=bob:aa$8e3ab8d9e0ab4cf5b9a3bc0a55fc2b1d6dd0b9b6e4b5e2b4cbbfb1f9b8b1f7a0');
  const cli = (...args: string[]): Promise<Ended> => run(['-regtest', `-datadir=${node.dir}`, `-rpcport=${node.port}`, ...args]);
  const piped = (input: string, ...args: string[]): Promise<Ended> =>
    run(['-regtest', `-datadir=${node.dir}`, `-rpcport=${node.port}`, ...args], input);
  await node.call('generatetoaddress', 2, address);
  const hash = await node.call('getblockhash', 1);

  t.same(await cli('getblockcount'), { status: 0, out: '2\n', err: '' }, 'numbers');
  t.same(await cli('getblockhash', '1'), { status: 0, out: `${hash}\n`, err: '' }, 'texts without quotes');
  t.same(await cli('setmocktime', '0'), { status: 0, out: '', err: '' }, 'nothing for null');
  t.match(await cli('getmininginfo'), { status: 0, out: /^\{\n {2}"blocks": 2,\n/ }, 'the rest indented');
  t.same(await cli('getblockhash', '99'), { status: 8, out: '', err: 'error code: -8\nerror message:\nBlock height out of range\n' });
  t.same(await cli('nosuch'), { status: 89, out: '', err: 'error code: -32601\nerror message:\nMethod not found\n' });
  t.same(await cli('-named', 'getblockhash', 'height=1'), { status: 0, out: `${hash}\n`, err: '' });
  t.same(await cli('-named', 'getblockhash', '1'), { status: 0, out: `${hash}\n`, err: '' }, 'a word without a name');
  await node.call('createwallet', 'labels');
  t.match(await cli('-named', 'getnewaddress', 'a=b'), { status: 0 }, 'a label that contains =');
  t.match((await cli('getaddressesbylabel', 'a=b')).out, /"purpose": "receive"/);
  await node.call('unloadwallet', 'labels');
  t.match(await cli('-named', 'getblockhash', 'nope=x'), { status: 8, err: /Unknown named parameter nope/ });
  t.same(await cli('getblockhash', 'x'), { status: 1, out: '', err: 'error: Error parsing JSON: x\n' });
  t.same(await cli(), { status: 1, out: '', err: 'error: too few parameters (need at least command)\n' });
  t.same((await piped('1\n', '-stdin', 'getblockhash')).out, `${hash}\n`, '-stdin');
  const password = node.auth.split(':')[1]!;
  t.same(await piped(`${password}\n1\n`, '-rpcuser=__cookie__', '-stdinrpcpass', '-stdin', 'getblockhash'), {
    status: 0,
    out: `${hash}\n`,
    err: '',
  });
  t.same(await piped('wrong\n', '-rpcuser=__cookie__', '-stdinrpcpass', 'getblockcount'), {
    status: 1,
    out: '',
    err: `error: Authorization failed: Incorrect rpcuser or rpcpassword were specified. Configuration file: (${path.join(node.dir, 'bitcoin.conf')})\n`,
  });
  t.match(await cli(`-rpccookiefile=${path.join(node.networkDir, 'settings.json')}`, 'getblockcount'), {
    status: 1,
    err: /^error: Authorization failed: Cookie file credentials were invalid and no rpcpassword was specified\. Configuration file: /,
  });
  for (const connect of ['127.0.0.1:x', '[::1]:-1', 'localhost:65536', '127.0.0.1:0'])
    t.same(await cli(`-rpcconnect=${connect}`, 'getblockcount'), {
      status: 1,
      out: '',
      err: `error: Invalid port provided in -rpcconnect: ${connect}\n`,
    });
  t.match(await cli('-stdinwalletpassphrase', 'getblockcount'), { status: 1, err: /only applicable for walletpassphrase/ });
  const info = await cli('-getinfo');
  t.equal(info.status, 0, info.err);
  t.match(
    Object.keys(JSON.parse(info.out)).join(),
    /^version,blocks,headers,verificationprogress,timeoffset,connections,proxy,difficulty,chain,(.*,)?relayfee,warnings$/,
  );
  for (const name of ['one', 'two']) await node.call('createwallet', name);
  const both = JSON.parse((await cli('-getinfo')).out);
  t.same([both.balance, both.balances], [undefined, { one: 0, two: 0 }]);
  const two = JSON.parse((await cli('-rpcwallet=two', '-getinfo')).out);
  t.same([two.balance, two.balances], [0, undefined]);
  const generate = (...words: string[]) => cli('-rpcwallet=one', '-generate', ...words);
  t.match(await generate('0'), { status: 1, err: /must be an integer value greater than zero/ });
  t.match(await generate('0', 'echo'), { status: 1, err: /must be an integer value greater than zero/ });
  t.match(await generate('1', 'echo'), { status: 1, err: /Error parsing JSON: echo/ });
  t.match(await generate('1', '2', '3'), { status: 1, err: /too many arguments/ });
  t.match(await cli('-rpcwallet=none', '-generate', '0'), { status: 18 }, 'a wallet that is not there is told first');
  for (const name of ['one', 'two']) await node.call('unloadwallet', name);
  t.match(await cli('-getinfo', 'x'), { status: 1, err: 'error: -getinfo takes no arguments\n' });
  t.match(await cli('-netinfo'), { status: 0, out: /ipv4 {4}ipv6 {3}onion {3}total\nin +0 +0 +0 +0\nout/ });
  t.match(await cli('-netinfo', '4'), {
    status: 0,
    out: /<-> {2}net {2}mping {2}ping {2}send {2}recv {2}age {2}height {2}address {2}version\n/,
  });
  t.match(await cli('-netinfo', 'help'), { status: 0, out: /^-netinfo \[level\]\n/ });
  t.match(await cli('-netinfo', 'x'), { status: 1, err: /invalid -netinfo argument: x/ });
  const generated = await cli('-generate', '2');
  if (generated.status === 0) {
    t.equal(JSON.parse(generated.out).blocks.length, 2);
    t.equal(await node.call('getblockcount'), 4);
  } else t.match(generated.status, /^(18|89)$/, `without a wallet: ${generated.err}`);
  t.match(await cli('-rpccookiefile=/nonexistent/cookie', '-rpcpassword=', 'getblockcount'), {
    status: 1,
    err: /^error: Could not locate RPC credentials\..*\nThe cookie would be \/nonexistent\/cookie\.\n$/,
  });
  const cookie = `${node.dir}/testnet4/.cookie`;
  t.match(await run(['-testnet4', `-datadir=${node.dir}`, 'getblockcount']), {
    status: 1,
    err: `The cookie would be ${cookie}. A node of another network seems to be running. Add -regtest.\n`,
  });
  t.match(await cli(`-rpccookiefile=${node.dir}`, 'getblockcount'), {
    status: 1,
    err: `error: The authentication cookie ${node.dir} could not be read (EISDIR). Run adit-cli as the user`,
  });
  t.match(await cli('-nosuch', 'getblockcount'), { status: 1, err: /Invalid parameter -nosuch/ });
});

t.test('accepts credentials made by -newrpcauth within the limits of -rpcwhitelist', async (t) => {
  const made = await run(['-newrpcauth=pool']);
  const [, line, , password, end] = made.out.split('\n');
  t.match(line, /^rpcauth=pool:[0-9a-f]{32}\$[0-9a-f]{64}$/);
  t.match(password, /^[\w-]{43}$/);
  t.same([made.status, made.err, end], [0, '', '']);
  t.not((await run(['-newrpcauth=pool'])).out, made.out, 'a new password each time');
  for (const name of ['', 'a:b', 'a$b', 'a b'])
    t.match(await run([`-newrpcauth=${name}`]), { status: 1, err: /takes a name/ }, `"${name}"`);

  const node = await Daemon.startFor(t, `-${line}`, '-rpcwhitelist=pool:getblockcount', '-rpcwhitelistdefault=0');
  const target = ['-regtest', `-datadir=${node.dir}`, `-rpcport=${node.port}`];
  const cli = (...args: string[]): Promise<Ended> => run([...target, '-rpcuser=pool', `-rpcpassword=${password}`, ...args]);
  t.same(await cli('getblockcount'), { status: 0, out: '0\n', err: '' });
  t.match(await cli('stop'), { status: 1, err: /HTTP error 403.*-rpcwhitelist/ }, 'the reason and the way out');
  t.same(await run([...target, 'getblockcount']), { status: 0, out: '0\n', err: '' }, 'users without a list are free');
});

t.test('explains what is wrong when adit-cli reaches no node', async (t) => {
  const port = await freePort();
  t.match(await run(['-regtest', `-rpcport=${port}`, '-rpcpassword=x', 'getblockcount']), {
    status: 1,
    err: `error: Could not connect to the server 127.0.0.1:${port}\n\nMake sure the aditd server is running and that you are connecting to the correct RPC port.\n`,
  });
  const waited = await run(['-regtest', `-rpcport=${port}`, '-rpcpassword=x', '-rpcwait', '-rpcwaittimeout=1', 'getblockcount']);
  t.match(waited, { status: 1, err: /^error: timeout on transient error: Could not connect to the server/ });
  const node = await Daemon.startFor(t);
  await node.stop();
  const patient = run(['-regtest', `-datadir=${node.dir}`, `-rpcport=${node.port}`, '-rpcwait', '-rpcwaittimeout=50', 'getblockcount']);
  await node.up();
  t.same(await patient, { status: 0, out: '0\n', err: '' }, '-rpcwait');
  fs.accessSync(node.networkDir);
});
