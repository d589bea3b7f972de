// Makes the wallet files that test/functional/wallet-import-core.test.ts imports: starts a bitcoind on regtest, lets it
// make wallets of every kind, and stores the files, the blocks, and its replies about each wallet. Run by hand, with a
// release's binary: `node build/test/compare/make-core-wallets.js BITCOIND 0.21.1|master`. Writes
// test/functional/core-wallets/NAME.json.gz.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import zlib from 'node:zlib';
import { freePort } from '../framework/ports.js';

const [binary, release] = process.argv.slice(2);
if (!binary || (release !== '0.21.1' && release !== 'master')) throw new Error('make-core-wallets BITCOIND 0.21.1|master');
const isOld = release === '0.21.1';
const START = 1_600_000_000;
const ELSEWHERE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const FRIEND = '2NBFNJTktNa7GZusGbDbGKRZTxdK9VVez3n';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'core-wallets-'));
const port = await freePort();
const options = ['-regtest', `-datadir=${dir}`, '-keypool=3', '-listen=0', '-connect=0', '-fallbackfee=0.0001', '-printtoconsole=0'];
const core = spawn(binary, [...options, `-rpcport=${port}`], { stdio: 'ignore' });
const ended = new Promise<void>((resolve) => core.once('exit', () => resolve()));

// biome-ignore lint/suspicious/noExplicitAny: replies of any form
type Call = (method: string, ...params: unknown[]) => Promise<any>;
const on =
  (wallet: string): Call =>
  async (method, ...params) => {
    const cookie = fs.readFileSync(path.join(dir, 'regtest', '.cookie'), 'utf8');
    const headers = { authorization: `Basic ${Buffer.from(cookie).toString('base64')}` };
    const reply = await fetch(`http://127.0.0.1:${port}/wallet/${wallet}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ id: 1, method, params }),
    });
    const { result, error } = (await reply.json()) as { result: unknown; error: unknown };
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
const node = on('');
for (let tries = 0; ; tries++) {
  try {
    await node('getblockcount');
    break;
  } catch (error) {
    if (tries > 300) throw error;
    await sleep(100);
  }
}

/** Wallets with the passphrases of those that are encrypted. */
const names = new Map<string, string | null>();
async function create(name: string, ...params: unknown[]): Promise<Call> {
  await node('createwallet', name, ...params);
  const passphrase = params[2];
  names.set(name, typeof passphrase === 'string' && passphrase !== '' ? passphrase : null);
  return on(name);
}
const mine = (count: number, to = ELSEWHERE): Promise<unknown> => node('generatetoaddress', count, to);

await node('setmocktime', START);
const plain = await create('plain', false, false, '', false, !isOld);
await mine(4, await plain('getnewaddress', 'mining'));
await mine(100);
for (const type of ['legacy', 'p2sh-segwit', 'bech32', ...(isOld ? [] : ['bech32m'])]) {
  await plain('sendtoaddress', await plain('getnewaddress', `label ${type}`, type), 0.5, `to ${type}`, 'me');
}
if (isOld) {
  const keys: string[] = [];
  for (let i = 0; i < 2; i++) keys.push((await plain('getaddressinfo', await plain('getnewaddress'))).pubkey);
  const { address } = await plain('addmultisigaddress', 1, keys, 'a multisig');
  await plain('sendtoaddress', address, 0.3);
  await plain('importaddress', ELSEWHERE, 'watched', false);
  await plain('importpubkey', '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'a key', false);
  await plain('importprivkey', 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA', 'imported', false);
}
await node('setmocktime', START + 600);
await mine(2);
await plain('setlabel', FRIEND, 'a friend');
// The text is longer than two pages of either kind of file.
await plain('sendtoaddress', FRIEND, 1.25, 'rent '.repeat(2000));
if (isOld) {
  await plain('sethdseed');
  await plain('getnewaddress', 'after the seed');
}
await mine(1);
const secret = await create('secret', false, false, 'pass', true, !isOld);
await plain('sendtoaddress', await secret('getnewaddress', 'in secret'), 2);
await mine(1);
await secret('walletpassphrase', 'pass', 3600);
await secret('sendtoaddress', FRIEND, 0.5);
await mine(1);
await secret('walletlock');
const later = await create('later', false, false, '', false, !isOld);
await plain('sendtoaddress', await later('getnewaddress', 'before'), 1);
await mine(1);
await later('encryptwallet', 'pw 2');
names.set('later', 'pw 2');
const descriptors = await create('descriptors', false, false, '', false, true);
await plain('sendtoaddress', await descriptors('getnewaddress', 'of a descriptor'), 1.5);
await mine(1);
const watching = await create('watching', true, true, '', false, !isOld);
const request = isOld
  ? { scriptPubKey: { address: FRIEND }, timestamp: START, label: 'a friend' }
  : { desc: (await node('getdescriptorinfo', `addr(${FRIEND})`)).descriptor, timestamp: START, label: 'a friend' };
await watching(isOld ? 'importmulti' : 'importdescriptors', [request]);
const gone = await plain('sendtoaddress', FRIEND, 0.01, 'abandoned');
await plain('sendtoaddress', FRIEND, 0.02, 'waits');
const wallets: unknown[] = [];
const unconfirmed: string[] = [];
for (const [name, passphrase] of names) {
  const wallet = on(name);
  const replies: Record<string, unknown> = {};
  for (const [method, ...params] of [
    ['listtransactions', '*', 1000, 0, true],
    ['getbalances'],
    ['listlabels'],
    ['listunspent', 0],
    ['getwalletinfo'],
    ['listreceivedbyaddress', 0, true, true],
    ...(isOld ? [] : [['listdescriptors']]),
  ]) {
    replies[method as string] = await wallet(method as string, ...params);
  }
  const addresses: Record<string, unknown> = {};
  for (const label of replies.listlabels as string[]) {
    for (const address of Object.keys(await wallet('getaddressesbylabel', label))) {
      addresses[address] = await wallet('getaddressinfo', address);
    }
  }
  wallets.push({ name, passphrase, replies, addresses });
}
for (const txid of await node('getrawmempool')) unconfirmed.push(await node('getrawtransaction', txid));
const blocks: string[] = [];
for (let height = 1; height <= (await node('getblockcount')); height++) {
  blocks.push(await node('getblock', await node('getblockhash', height), 0));
}
if (!isOld) await plain('exportwatchonlywallet', path.join(dir, 'exported.dat'));
await node('stop');
await ended;
const fileOf = (name: string): string => fs.readFileSync(path.join(dir, 'regtest', 'wallets', name, 'wallet.dat')).toString('base64');
const files = Object.fromEntries([...names.keys()].map((name) => [name, fileOf(name)]));
if (!isOld) files.exported = fs.readFileSync(path.join(dir, 'exported.dat')).toString('base64');
const whole = JSON.stringify({ release, time: START + 600, blocks, unconfirmed, gone, wallets, files });
const target = path.resolve(import.meta.dirname, '../../../test/functional/core-wallets', `${release}.json.gz`);
fs.writeFileSync(target, zlib.gzipSync(whole, { level: 9 }));
fs.rmSync(dir, { recursive: true });
console.log(`${target}: ${fs.statSync(target).size} bytes`);
