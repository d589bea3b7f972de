// Measures a real node that loads a chain of 10,000,000 coins, with a small and with a large -dbcache: the rate at
// which it connects blocks, and the highest memory of the process, while it loads and while it counts all coins. The
// bench fails if the memory exceeds the limits that the README states.
//
//   node build/bench/chain-memory.js [--json]      COINS=n for another number of coins (ceilings hold for up to 10,000,000)

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Daemon } from '../test/framework/daemon.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { type CoinChain, writeCoinChain } from './harness/coin-chain.js';
import { highestMemory, processorSeconds } from './harness/process-figures.js';

const wanted = Number(process.env.COINS ?? 10_000_000);
/** Highest allowed memory of the process in megabytes, by -dbcache: the value of -dbcache plus 900. */
const CEILINGS: readonly (readonly [dbcache: number, megabytes: number])[] = [
  [64, 964],
  [512, 1_412],
];
const LOOK_MS = 100;

interface Run {
  readonly seconds: number;
  readonly processor: number;
  readonly connecting: number;
  readonly counting: number;
  readonly countSeconds: number;
  readonly slowest: number;
}

async function run(file: string, chain: CoinChain, dbcache: number): Promise<Run> {
  const node = await Daemon.start('-disablewallet', `-dbcache=${dbcache}`, '-checktemplates=0');
  try {
    await node.stop();
    const begin = performance.now();
    await node.up(`-loadblock=${file}`);
    const pid = node.child!.pid!;
    const log = path.join(node.networkDir, 'debug.log');
    let slowest = 0;
    // A client sends small calls all the time, as pools do. The slowest answer shows the longest time for which the
    // node thread was busy.
    while (!fs.readFileSync(log, 'utf8').includes(`Done loading: height ${chain.tip.height}`)) {
      if (node.exit !== undefined) throw new Error(`the daemon ended: ${node.output().slice(-500)}`);
      const asked = performance.now();
      await node.call('getconnectioncount');
      slowest = Math.max(slowest, performance.now() - asked);
      await sleep(LOOK_MS);
    }
    const seconds = (performance.now() - begin) / 1000;
    const processor = processorSeconds(pid);
    const connecting = highestMemory(pid);
    const counted = performance.now();
    const { txouts, bestblock } = await node.call('gettxoutsetinfo');
    if (txouts !== chain.coins || bestblock !== chain.tip.hashHex) throw new Error(`${txouts} coins instead of ${chain.coins}`);
    const countSeconds = (performance.now() - counted) / 1000;
    const counting = highestMemory(pid);
    const { code } = await node.stop();
    if (code !== 0) throw new Error(`the daemon ended with ${code}`);
    return { seconds, processor, connecting, counting, countSeconds, slowest };
  } finally {
    await node.remove();
  }
}

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-coins-'));
const over: string[] = [];
await runBench({
  name: 'chain/chain-memory',
  protects: `memory of a node with ${wanted.toLocaleString('en-US')} coins, and the time of its initial download`,
  run: async () => {
    const file = path.join(dir, 'chain.dat');
    const chain = await writeCoinChain(file, wanted);
    const notes = [
      `${chain.tip.height} blocks, ${(chain.bytes / 1e6).toFixed(0)} MB, ${chain.coins.toLocaleString('en-US')} coins left, ${chain.inputs.toLocaleString('en-US')} spent`,
    ];
    const cases: BenchCase[] = [];
    for (const [dbcache, ceiling] of CEILINGS) {
      const { seconds, processor, connecting, counting, countSeconds, slowest } = await run(file, chain, dbcache);
      if (counting > ceiling) over.push(`-dbcache=${dbcache}: ${counting.toFixed(0)} MB, ceiling ${ceiling} MB`);
      notes.push(
        `-dbcache=${dbcache}: ${connecting.toFixed(0)} MB while connecting, slowest small call ${slowest.toFixed(0)} ms; counted in ${countSeconds.toFixed(1)} s; ${processor.toFixed(0)} s of processor time for connecting`,
      );
      const name = `-dbcache=${dbcache}`;
      cases.push(
        {
          name: `${name}: highest memory`,
          unit: 'MB',
          better: 'lower',
          samples: [counting],
          goal: { text: `at most ${ceiling}`, reached: (p50) => p50 <= ceiling },
        },
        { name: `${name}: coins connected`, unit: 'coins/s', better: 'higher', samples: [(chain.coins + chain.inputs) / seconds] },
        {
          name: `${name}: coins per second of processor time`,
          unit: 'coins/s',
          better: 'higher',
          samples: [(chain.coins + chain.inputs) / processor],
        },
        { name: `${name}: blocks connected`, unit: 'MB/s', better: 'higher', samples: [chain.bytes / 1e6 / seconds] },
      );
    }
    return { cases, notes };
  },
}).finally(() => fs.rmSync(dir, { recursive: true, force: true }));
for (const text of over) process.stderr.write(`above the ceiling: ${text}\n`);
if (over.length > 0) process.exitCode = 1;
