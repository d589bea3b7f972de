// Measures the initial download from one local peer: signed inputs in blocks of 20, 500 and 4,000, served from prepared
// bytes by another process, with all scripts. Compared with the bare signature checks of the same run. `bench download`
// measures blocks below an assumed-valid block.
//
//   node build/bench/sync.js [--json]      INPUTS=n of each chain, SIZES=20,500 inputs of a block
//   ROUNDS=n, OPTIONS="more options of adit"
//   COMPARE=/path/bitcoind: Core in turns with adit, the same chains. BEFORE=/path/aditd.cjs: another build, likewise.

import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { BareChecks } from './harness/bare-checks.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { type Contestant, contestants } from './harness/contender.js';
import { busyThreads, highestMemory, processorSeconds, threadTimes } from './harness/process-figures.js';
import { serveBlocks } from './harness/serve-blocks.js';
import { type SignedChain, signedChain, UNPAID } from './harness/signed-chain.js';

const inputs = Number(process.env.INPUTS ?? 200_000);
const sizes = (process.env.SIZES ?? '20,500,4000').split(',').map(Number);
const rounds = Number(process.env.ROUNDS ?? 1);
const threads = os.availableParallelism();
const more = process.env.OPTIONS?.split(' ') ?? [];
const LOOK_MS = 50;
/** Number of signature checks in one sample of the limit. */
const CHECKS = 20_000;
/** Highest allowed memory of the process in megabytes: twice the default -dbcache. */
const CEILING_MB = 900;

interface Run {
  readonly seconds: number;
  /** Processor seconds of the node thread, of all threads, and of each thread that still runs, the busiest first. */
  readonly main: number;
  readonly all: number;
  readonly each: readonly number[];
  readonly megabytes: number;
}

/** Downloads up to a height into a fresh folder. The clock starts when the node gets the peer's address. */
async function download(contestant: Contestant, port: number, goal: number): Promise<Run> {
  // The serving peer does not support BIP-0324. A node that tries BIP-0324 first waits a minute for an answer.
  const node = await contestant.start('-v2transport=0');
  try {
    const before = threadTimes(node.pid);
    const spent = processorSeconds(node.pid);
    const begin = performance.now();
    await node.call('addnode', `127.0.0.1:${port}`, 'onetry');
    while ((await node.call('getblockcount')) < goal) await sleep(LOOK_MS);
    const seconds = (performance.now() - begin) / 1000;
    const each = busyThreads(node.pid, before);
    return {
      seconds,
      main: (each.find(({ tid }) => tid === node.pid)?.ms ?? 0) / 1000,
      // The engine's threads may have ended already.
      all: processorSeconds(node.pid) - spent,
      each: each.map(({ ms }) => ms / 1000),
      megabytes: highestMemory(node.pid),
    };
  } finally {
    await node.close();
  }
}

/** Returns the microseconds per signature check. As in the chain, a third of the checks are Schnorr. */
async function bareLimit(): Promise<{ name: string; microseconds: number }> {
  const bare = new BareChecks(CHECKS, { threads, prefer: 'system' });
  await bare.start();
  const time = async (kind: 'ecdsa' | 'schnorr'): Promise<number> => {
    await bare.run(kind);
    const begin = performance.now();
    await bare.run(kind);
    return ((performance.now() - begin) * 1_000) / CHECKS;
  };
  const microseconds = (2 * (await time('ecdsa')) + (await time('schnorr'))) / 3;
  await bare.close();
  return { name: `curve checks of the same kinds on ready-made signatures, ${threads} threads`, microseconds };
}

type Shape = { readonly what: string; readonly chain: SignedChain; readonly limit: { name: string; microseconds: number } };

function scriptCases({ what, chain, limit }: Shape, name: string, single: boolean, runs: readonly Run[]): BenchCase[] {
  const each = (read: (run: Run) => number): number[] => runs.map(read);
  const label = (figure: string): string => `${what}, all scripts: ${figure}, ${name}`;
  const perInput = (read: (run: Run) => number): number[] => each((run) => (read(run) * 1e6) / chain.inputs);
  const bare = (limit.microseconds * chain.inputs) / 1e6;
  return [
    {
      name: label('time'),
      unit: 's',
      better: 'lower',
      samples: each(({ seconds }) => seconds),
      limit: { name: limit.name, samples: [bare] },
    },
    { name: label('rate'), unit: 'inputs/s', better: 'higher', samples: each(({ seconds }) => chain.inputs / seconds) },
    { name: label('processor time'), unit: 'processor s', better: 'lower', samples: each(({ all }) => all) },
    { name: label('all threads'), unit: 'processor us/input', better: 'lower', samples: perInput(({ all }) => all) },
    ...(single
      ? [{ name: label('node thread'), unit: 'processor us/input', better: 'lower', samples: perInput(({ main }) => main) } as const]
      : []),
    {
      name: label('highest memory'),
      unit: 'MB',
      better: 'lower',
      samples: each(({ megabytes }) => megabytes),
      goal: { text: `at most ${CEILING_MB}`, reached: (p50) => p50 <= CEILING_MB },
    },
  ];
}

await runBench({
  name: 'net/sync',
  protects: 'the time until a new node has the chain, and the memory it takes meanwhile',
  run: async () => {
    const limit = await bareLimit();
    const cases: BenchCase[] = [];
    const notes: string[] = [];
    const all = contestants('-disablewallet', '-checktemplates=0', ...more);
    for (const size of sizes) {
      const chain = signedChain(UNPAID + Math.ceil(inputs / size), inputs);
      const what = `blocks of ${size}`;
      notes.push(
        `${what}: ${chain.blocks} blocks, ${chain.txs} transactions, ${chain.inputs} signed inputs, ${(chain.bytes / 1e6).toFixed(0)} MB; ${threads} script threads`,
      );
      const paid = await serveBlocks(chain.file);
      try {
        const runs = all.map((): Run[] => []);
        for (let i = 0; i < rounds; i++) {
          for (const [n, contestant] of all.entries()) runs[n]!.push(await download(contestant, paid.port, chain.blocks));
        }
        for (const [n, { name, single }] of all.entries()) {
          for (const { each } of runs[n]!) {
            notes.push(
              `${what}, ${name}: busiest threads ${each
                .slice(0, 8)
                .map((s) => s.toFixed(2))
                .join(', ')} processor s`,
            );
          }
          cases.push(...scriptCases({ what, chain, limit }, name, single, runs[n]!));
        }
      } finally {
        paid.child.kill();
      }
    }
    return { cases, notes };
  },
});
