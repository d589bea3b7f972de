// Measures a wallet that is a hundred times larger than most: the time to load it, its memory, and whether its answers
// take longer than those of a small wallet in the same run.
//
//   node build/bench/wallet-scale.js [--json]      ADDRESSES=n (1,000,000)  COINS=n (200,000)  ROUNDS=n
import fs from 'node:fs';
import path from 'node:path';
import { Daemon } from '../test/framework/daemon.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { scriptOf, writeBigWallet } from './harness/big-wallet.js';
import { percentile, timeMs } from './harness/samples.js';
import { chainOfCoins, feed } from './harness/wallet-chain.js';
import { postRequest, runLoop, startLoad } from './http-load/load.js';

const ADDRESSES = Number(process.env.ADDRESSES ?? 1_000_000);
const COINS = Number(process.env.COINS ?? 200_000);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SMALL = 1_000;
const CONNECTIONS = 16;
const SECONDS = 1;
const MOST_RATIO = 1.5;
const IMPORT = 'importmulti, 1,000 scripts, rescan=false';
const RESCAN = 'rescanblockchain';
/** Requests of importmulti with scripts that no wallet has. */
const strangers = (wallet: string, round: number): { scriptPubKey: string; timestamp: string; internal: boolean }[] =>
  Array.from({ length: 1000 }, (_, i) => ({
    scriptPubKey: `a914${Buffer.from(`${wallet}/${round}/${i}`.padEnd(20).slice(0, 20)).toString('hex')}87`,
    timestamp: 'now',
    internal: false,
  }));

/** Returns the resident memory of a process in megabytes. */
function residentMb(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

await runBench({
  name: 'wallet/manage',
  protects: 'the start of a node with a large wallet, its memory, and answers that must not depend on what was not asked for',
  async run() {
    const node = await Daemon.start('-fronts=1', '-keypool=1');
    const folders = path.join(node.networkDir, 'wallets');
    await writeBigWallet(path.join(folders, 'big'), ADDRESSES);
    await writeBigWallet(path.join(folders, 'small'), SMALL);
    // Both wallets have the first addresses. The coins are spread evenly over all addresses of the large wallet.
    const step = Math.max(1, Math.floor(ADDRESSES / COINS));
    await feed(
      node,
      chainOfCoins(COINS, (i) => scriptOf((i * step) % ADDRESSES)),
    );
    const cases: BenchCase[] = [];
    const notes: string[] = [];
    const rates = { big: new Map<string, number[]>(), small: new Map<string, number[]>() };
    const times = (): Map<string, number[]> => new Map([IMPORT, RESCAN].map((label) => [label, []]));
    const took = { big: times(), small: times() };
    const decoded = await node.call('decodescript', Buffer.from(scriptOf(0)).toString('hex'));
    const address: string = decoded.address ?? decoded.addresses[0];
    const calls: [name: string, method: string, params: unknown[]][] = [
      ['getaddressinfo', 'getaddressinfo', [address]],
      ['getbalance', 'getbalance', []],
      ['listunspent of one address', 'listunspent', [1, 9_999_999, [address]]],
    ];
    const load = await startLoad();
    for (const name of ['small', 'big'] as const) {
      // The first load scans the chain for the wallet's coins.
      const first = await timeMs(() => node.call('loadwallet', name));
      const loading: number[] = [];
      let grownMb = 0;
      for (let round = 0; round < Math.min(ROUNDS, 3); round++) {
        await node.call('unloadwallet', name);
        const before = residentMb(node.child!.pid!);
        loading.push(await timeMs(() => node.call('loadwallet', name)));
        grownMb = Math.max(grownMb, residentMb(node.child!.pid!) - before);
      }
      const { txcount } = await node.call('getwalletinfo');
      notes.push(`${name}: first loading, which looks through the chain, ${Math.round(first)} ms; ${txcount} transactions`);
      if (name === 'big') {
        cases.push({
          name: `loadwallet, ${ADDRESSES.toLocaleString('en-US')} addresses, ${COINS.toLocaleString('en-US')} coins`,
          unit: 'ms',
          better: 'lower',
          samples: loading,
          goal: { text: 'seconds', reached: (p50) => p50 < 10_000 },
        });
        notes.push(
          `memory of the node ${Math.round(residentMb(node.child!.pid!))} MB, most growth in one loading ${Math.round(grownMb)} MB`,
        );
      }
      for (const [label, method, params] of calls) {
        const request = postRequest(node.auth, JSON.stringify({ method, params, id: 1 }));
        const samples: number[] = [];
        for (let round = -1; round < ROUNDS; round++) {
          const { calls: done, seconds } = await runLoop(load, { request, connections: CONNECTIONS, seconds: SECONDS, port: node.port });
          if (round >= 0) samples.push(done / seconds);
        }
        rates[name].set(label, samples);
      }
      // The caches are empty at the first import, so it is not counted.
      for (let round = -1; round < ROUNDS; round++) {
        const ms = await timeMs(() => node.call('importmulti', strangers(name, round), { rescan: false }));
        if (round < 0) notes.push(`${name}: the first import since loading, ${Math.round(ms)} ms`);
        else took[name].get(IMPORT)!.push(ms);
      }
      for (let round = 0; round < Math.min(ROUNDS, 3); round++)
        took[name].get(RESCAN)!.push(await timeMs(() => node.call('rescanblockchain')));
      await node.call('unloadwallet', name);
    }
    for (const [label, samples] of took.big) {
      const small = took.small.get(label)!;
      cases.push({
        name: label,
        unit: 'ms',
        better: 'lower',
        samples,
        limit: { name: 'the same call to a wallet of 1,000 addresses', samples: small },
        // The time of a scan depends on the coins that it finds, so only the import has a goal.
        ...(label === IMPORT
          ? { goal: { text: `<= ${MOST_RATIO} of the small wallet`, reached: (p50: number) => p50 <= MOST_RATIO * percentile(small, 0.5) } }
          : {}),
      });
    }
    for (const [label, samples] of rates.big) {
      const small = rates.small.get(label)!;
      cases.push({
        name: `${label}, ${CONNECTIONS} connections`,
        unit: 'calls/s',
        better: 'higher',
        samples,
        limit: { name: 'the same call to a wallet of 1,000 addresses', samples: small },
        goal: {
          text: `>= 1/${MOST_RATIO} of the small wallet`,
          reached: (p50) => p50 * MOST_RATIO >= percentile(small, 0.5),
        },
      });
    }
    load.end();
    await node.stop();
    await node.remove();
    return { cases, notes };
  },
});
