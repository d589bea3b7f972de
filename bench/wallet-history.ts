// Measures calls that accountants and pools repeat all day, on a wallet of 20,000 transactions and, with LARGE=1, on
// one of 1,000,000 transactions with 200,000 addresses. The large wallet must answer nearly as fast, because the cost
// of an answer depends on its size only.
//
//   node build/bench/wallet-history.js [--json]      LARGE=1, ROUNDS=n
import { setTimeout as sleep } from 'node:timers/promises';
import { buildTx } from '../src/consensus/tx/build-tx.js';
import { parseTx } from '../src/consensus/tx/tx-view.js';
import { createNativeHashes } from '../src/crypto/native/hashes.js';
import { Daemon } from '../test/framework/daemon.js';
import { mine } from '../test/framework/miner.js';
import { MiniWallet } from '../test/framework/mini-wallet.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { fillWallet, type WalletSize } from './http-load/filled-wallet.js';
import { type Child, postRequest, runLoop, startBare, startLoad } from './http-load/load.js';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const BLOCKS = 2000;
/** Number of connections, as in the other benches of small calls. */
const CONNECTIONS = 16;
/** Number of blocks with payments. Each spends as many old coinbases as it has payments. */
const BLOCK_ROUNDS = 3;
const ANYONE = 'bcrt1qft5p2uhsdcdc3l2ua4ap5qqfg4pjaqlp250x7us7a8qqhrxrxfsqseac85';
const SIZES: Record<string, WalletSize> = {
  small: { transactions: 20_000, addresses: 4000 },
  ...(process.env.LARGE ? { large: { transactions: 1_000_000, addresses: 200_000 } } : {}),
};

async function memoryMiB(daemon: Daemon): Promise<number> {
  const { readFileSync } = await import('node:fs');
  const line = readFileSync(`/proc/${daemon.child!.pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/);
  return Number(line?.[1] ?? 0) / 1024;
}

interface Subject {
  readonly daemon: Daemon;
  readonly load: Child;
  readonly name: string;
  readonly cases: BenchCase[];
}

/** Measures calls per second over several connections, and those of a server that always sends the first reply. */
async function rate(subject: Subject, what: string, bodies: readonly string[], goal?: BenchCase['goal']): Promise<void> {
  const { daemon, load, name } = subject;
  const samples: number[] = [];
  const limit: number[] = [];
  const bare = await startBare(Buffer.from((await daemon.post(bodies[0], { path: `/wallet/${name}` })).body));
  for (let round = -1; round < ROUNDS; round++) {
    const body = bodies[Math.max(round, 0) % bodies.length];
    const request = postRequest(daemon.auth, body).replace('POST / ', `POST /wallet/${name} `);
    const order = { request, connections: CONNECTIONS, seconds: 1 };
    const result = await runLoop(load, { ...order, port: daemon.port });
    const bound = await runLoop(load, { ...order, port: bare.port });
    if (round < 0) continue;
    samples.push(result.calls / result.seconds);
    limit.push(bound.calls / bound.seconds);
  }
  bare.end();
  subject.cases.push({
    name: `${name}: ${what}, ${CONNECTIONS} connections`,
    unit: 'calls/s',
    better: 'higher',
    samples,
    limit: { name: 'a bare uWebSockets.js handler sending the same bytes', samples: limit },
    ...(goal ? { goal } : {}),
  });
}

/** Measures the milliseconds of single calls. */
async function time(subject: Subject, what: string, call: object, goal?: BenchCase['goal']): Promise<number> {
  const samples: number[] = [];
  let bytes = 0;
  for (let round = -1; round < ROUNDS; round++) {
    const start = performance.now();
    const reply = await subject.daemon.post(JSON.stringify({ id: 1, ...call }), { path: `/wallet/${subject.name}` });
    if (reply.status !== 200) throw new Error(reply.body);
    bytes = reply.body.length;
    if (round >= 0) samples.push(performance.now() - start);
  }
  subject.cases.push({ name: `${subject.name}: ${what}`, unit: 'ms', better: 'lower', samples, ...(goal ? { goal } : {}) });
  return bytes;
}

/** Number of payments in a block. */
const PER_BLOCK = 500;
/** OP_TRUE, the witness script of the address ANYONE. */
const ANYONE_SCRIPT = Uint8Array.of(0x51);
const hashes = createNativeHashes();

/** Returns a payment from a coinbase, which anyone can spend, to an address of the wallet. */
async function pay(daemon: Daemon, height: number, script: Uint8Array): Promise<string> {
  const block = await daemon.call('getblock', await daemon.call('getblockhash', height), 0);
  // The coinbase follows the header of 80 bytes and the transaction count of one byte.
  const coinbase = parseTx(new Uint8Array(Buffer.from(block, 'hex').subarray(81)), hashes);
  const input = { prevHash: coinbase.txid, prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0xffffffff, witness: [ANYONE_SCRIPT] };
  const outputs = [{ value: coinbase.outputValue(0) - 10_000, script }];
  return Buffer.from(buildTx({ version: 2, inputs: [input], outputs, locktime: 0 })).toString('hex');
}

/** Measures the milliseconds from the submission of a block with payments to the wallet's next answer. */
async function blockOfPayments(subject: Subject): Promise<void> {
  const { daemon, name } = subject;
  const miner = new MiniWallet();
  const { scriptPubKey } = await daemon.callWallet(name, 'getaddressinfo', await daemon.callWallet(name, 'getnewaddress'));
  const script = new Uint8Array(Buffer.from(scriptPubKey, 'hex'));
  const samples: number[] = [];
  for (let round = 0; round < BLOCK_ROUNDS; round++) {
    const payments: string[] = [];
    for (let i = 0; i < PER_BLOCK; i++) payments.push(await pay(daemon, nextCoinbase++, script));
    for (const payment of payments) await daemon.call('sendrawtransaction', payment, 0);
    await daemon.call('setmocktime', 1_700_000_000 + nextCoinbase);
    let template = await daemon.call('getblocktemplate', { rules: ['segwit'] });
    while (template.transactions.length < PER_BLOCK) {
      await sleep(50);
      template = await daemon.call('getblocktemplate', { rules: ['segwit'] });
    }
    const { hex } = mine(template, 'p2wpkh', miner.key());
    const start = performance.now();
    if ((await daemon.call('submitblock', hex)) !== null) throw new Error('a block was refused');
    await daemon.callWallet(name, 'getbalance');
    samples.push(performance.now() - start);
  }
  const goal = { text: '<= 60 ms', reached: (p50: number) => p50 <= 60 };
  subject.cases.push({ name: `${name}: block with ${PER_BLOCK} of its transactions`, unit: 'ms', better: 'lower', samples, goal });
}
let nextCoinbase = 1;

async function measure(subject: Subject, notes: string[]): Promise<void> {
  const { daemon, name } = subject;
  const wallet = async (method: string, ...params: unknown[]) => {
    const reply = await daemon.post(JSON.stringify({ id: 1, method, params }), { path: `/wallet/${name}` });
    return JSON.parse(reply.body).result;
  };
  // Height up to which the generator knows the blocks. The measured blocks follow.
  const height = BLOCKS;
  const loading = async (how: string): Promise<void> => {
    const start = performance.now();
    await daemon.call('loadwallet', name);
    notes.push(`${name}: loaded in ${Math.round(performance.now() - start)} ms ${how}`);
  };
  // The generator writes only rows. The first load builds the tables from them and saves an image.
  await loading('from rows');
  await daemon.stop();
  await daemon.up();
  await sleep(500);
  await daemon.call('unloadwallet', name).catch(() => {});
  const before = await memoryMiB(daemon);
  await loading(name === 'small' ? 'again' : 'from an image');
  const { txcount } = await wallet('getwalletinfo');
  const firstBalance = performance.now();
  await wallet('getbalance');
  notes.push(`${name}: ${txcount} transactions, first getbalance ${(performance.now() - firstBalance).toFixed(1)} ms`);
  const perBlock = SIZES[name].transactions / BLOCKS;
  const hashBack = (transactions: number): Promise<string> =>
    daemon.call('getblockhash', Math.max(0, height - Math.round(transactions / perBlock)));
  const some = await wallet('listtransactions', '*', 5000);
  const txids: string[] = [];
  for (let i = 0; i < 40; i++) txids.push(some[(i * 997) % some.length].txid);
  const one = (method: string, ...params: unknown[]): string => JSON.stringify({ id: 1, method, params });
  const tip = await daemon.call('getbestblockhash');
  await rate(
    subject,
    'gettransaction',
    txids.map((txid) => one('gettransaction', txid)),
    {
      text: '> 40,000',
      reached: (p50) => p50 > 40_000,
    },
  );
  await rate(subject, 'listsinceblock, nothing new', [one('listsinceblock', tip)], { text: '> 30,000', reached: (p50) => p50 > 30_000 });
  await rate(subject, 'listtransactions (10)', [one('listtransactions')]);
  await rate(subject, 'getbalance', [one('getbalance')]);
  const since = await hashBack(1000);
  await time(
    subject,
    'listsinceblock, 1,000 transactions',
    { method: 'listsinceblock', params: [since] },
    { text: '<= 9 ms', reached: (p50) => p50 <= 9 },
  );
  if (name === 'small') {
    const goal = { text: '<= 150 ms', reached: (p50: number) => p50 <= 150 };
    const bytes = await time(subject, 'listsinceblock, all 20,000', { method: 'listsinceblock', params: [] }, goal);
    notes.push(`listsinceblock of everything: ${(bytes / 1e6).toFixed(1)} MB`);
  } else await time(subject, 'listsinceblock, 20,000 transactions', { method: 'listsinceblock', params: [await hashBack(20_000)] });
  const coins = { maximumCount: 1000 };
  await time(subject, 'listunspent, 1,000 of all', { method: 'listunspent', params: [1, 9999999, [], true, coins] });
  const [unspent] = await wallet('listunspent', 1, 9999999, [], true, { maximumCount: 1 });
  await time(subject, 'listunspent of one address', { method: 'listunspent', params: [1, 9999999, [unspent.address]] });
  await time(subject, 'getreceivedbyaddress', { method: 'getreceivedbyaddress', params: [unspent.address] });
  await time(subject, 'listtransactions, 10 after 1,000', { method: 'listtransactions', params: ['*', 10, 1000] });
  if (name === 'small') await blockOfPayments(subject);
  notes.push(`${name}: the process holds ${Math.round((await memoryMiB(daemon)) - before)} MiB more than without the wallet`);
}

await runBench({
  name: 'rpc/wallet/history',
  protects: 'how quickly payouts can be checked and booked, and that it stays so as a wallet grows',
  async run() {
    const daemon = await Daemon.start('-fronts=1');
    const load = await startLoad();
    const cases: BenchCase[] = [];
    const notes: string[] = [];
    try {
      await daemon.call('setmocktime', 1_700_000_000);
      for (let made = 0; made < BLOCKS; made += 100) await daemon.call('generatetoaddress', 100, ANYONE);
      for (const [name, size] of Object.entries(SIZES)) {
        await daemon.call('createwallet', name);
        await daemon.call('unloadwallet', name);
        const start = performance.now();
        await fillWallet(daemon, name, size);
        notes.push(`${name}: made in ${Math.round((performance.now() - start) / 1000)} s`);
      }
      for (const name of Object.keys(SIZES)) {
        await daemon.stop();
        await daemon.up();
        await sleep(500);
        await measure({ daemon, load, name, cases }, notes);
      }
    } finally {
      load.end();
      await daemon.remove();
    }
    return { cases, notes };
  },
});
