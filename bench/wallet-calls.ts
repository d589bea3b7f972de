// The calls that exchanges and pools make of a wallet all day, on a wallet with 20,000 payments to 1,000 addresses.
//
//   node build/bench/wallet-calls.js [--json]      ROUNDS=n
import { createHash } from 'node:crypto';
import { createNativeCrypto } from '../src/crypto/native/index.js';
import { createKeyMath } from '../src/crypto/native/key-math.js';
import { keyHashProgram } from '../src/wallet/keys/key-table.js';
import { Daemon } from '../test/framework/daemon.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { timeMs } from './harness/samples.js';
import { chainOfPayments, feed } from './harness/wallet-chain.js';
import { postRequest, runLoop, startLoad } from './http-load/load.js';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const PAYMENTS = 20_000;
const KEYS = 1_000;
const CONNECTIONS = 16;
const SECONDS = 1;

const crypto = createNativeCrypto();
const math = createKeyMath();
const publicKeys = (tag: string): Uint8Array[] =>
  Array.from(
    { length: KEYS },
    (_, i) => math.publicKey(new Uint8Array(createHash('sha256').update(`${tag} ${i}`).digest()), true) as Uint8Array,
  );
const programOf = (key: Uint8Array): Uint8Array => keyHashProgram(crypto.hash160(key));
const requestsOf = (keys: readonly Uint8Array[]): unknown[] =>
  keys.map((key) => ({
    scriptPubKey: Buffer.from(programOf(key)).toString('hex'),
    pubkeys: [Buffer.from(key).toString('hex')],
    timestamp: 0,
    internal: true,
    watchonly: true,
  }));

await runBench({
  name: 'wallet',
  protects: 'how long whoever imports, scans, looks up addresses or asks for balances waits for a wallet',
  async run() {
    const node = await Daemon.start('-fronts=1', '-keypool=1');
    const keys = publicKeys('own');
    const programs = keys.map(programOf);
    await feed(
      node,
      chainOfPayments(PAYMENTS, (i) => programs[i % KEYS]),
    );
    const samples = {
      importing: [] as number[],
      matching: [] as number[],
      missing: [] as number[],
      first: [] as number[],
      trivial: [] as number[],
    };
    for (let round = 0; round < ROUNDS; round++) {
      // Neither has what it scans for seen before: every round is a first time.
      await node.call('createwallet', `m${round}`, true, true);
      samples.importing.push(await timeMs(() => node.call('importmulti', requestsOf(keys), { rescan: false })));
      samples.matching.push((PAYMENTS * 1_000) / (await timeMs(() => node.call('rescanblockchain'))));
      const { txcount } = await node.call('getwalletinfo');
      if (txcount !== PAYMENTS) throw new Error(`${txcount} of ${PAYMENTS} payments found`);
      await node.call('unloadwallet', `m${round}`);
      await node.call('loadwallet', `m${round}`);
      samples.first.push(await timeMs(() => node.call('getbalance')));
      // The same moment once more, with a question that needs no wallet: what the client and the way to the node take.
      await node.call('unloadwallet', `m${round}`);
      await node.call('loadwallet', `m${round}`);
      samples.trivial.push(await timeMs(() => node.call('uptime')));
      await node.call('unloadwallet', `m${round}`);
      await node.call('createwallet', `n${round}`, true, true);
      await node.call('importmulti', requestsOf(publicKeys(`others ${round}`)), { rescan: false });
      // The coins that the payments spend were looked through as well, in coinbases.
      samples.missing.push((PAYMENTS * 1_000) / (await timeMs(() => node.call('rescanblockchain'))));
      await node.call('unloadwallet', `n${round}`);
    }
    const cases: BenchCase[] = [
      {
        name: `importmulti of ${KEYS} public keys, no scan`,
        unit: 'ms',
        better: 'lower',
        samples: samples.importing,
        goal: { text: '<= 100', reached: (p50) => p50 <= 100 },
      },
      {
        name: `scan of ${PAYMENTS} payments, all of them the wallet's`,
        unit: 'tx/s',
        better: 'higher',
        samples: samples.matching,
        goal: { text: '> 30,000', reached: (p50) => p50 > 30_000 },
      },
      {
        name: 'the same, none of them',
        unit: 'tx/s',
        better: 'higher',
        samples: samples.missing,
        goal: { text: '> 100,000', reached: (p50) => p50 > 100_000 },
      },
      {
        name: 'getbalance, the first call after loading',
        unit: 'ms',
        better: 'lower',
        samples: samples.first,
        limit: { name: 'uptime at the same moment', samples: samples.trivial },
        goal: { text: '<= 1', reached: (p50) => p50 <= 1 },
      },
    ];
    await node.call('loadwallet', 'm0');
    const coins = await node.call('listunspent');
    const listing: number[] = [];
    const one: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      listing.push(await timeMs(() => node.call('listunspent')));
      one.push(await timeMs(() => node.call('listunspent', 1, 9_999_999, [coins[round].address])));
    }
    cases.push({ name: `listunspent, all ${coins.length} coins`, unit: 'ms', better: 'lower', samples: listing });
    cases.push({ name: `listunspent of one address, ${PAYMENTS / KEYS} coins`, unit: 'ms', better: 'lower', samples: one });
    const load = await startLoad();
    for (const [method, params, goal] of [
      ['getaddressinfo', [coins[0].address], 40_000],
      ['getbalance', [], 0],
    ] as const) {
      const request = postRequest(node.auth, JSON.stringify({ method, params, id: 1 }));
      const rates: number[] = [];
      for (let round = -1; round < ROUNDS; round++) {
        const { calls, seconds } = await runLoop(load, { request, connections: CONNECTIONS, seconds: SECONDS, port: node.port });
        if (round >= 0) rates.push(calls / seconds);
      }
      cases.push({
        name: `${method}, ${CONNECTIONS} connections`,
        unit: 'calls/s',
        better: 'higher',
        samples: rates,
        ...(goal > 0 ? { goal: { text: `> ${goal.toLocaleString('en-US')}`, reached: (p50: number) => p50 > goal } } : {}),
      });
    }
    load.end();
    await node.stop();
    await node.remove();
    return { cases };
  },
});
