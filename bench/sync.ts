// Initial download from one local peer: 10,000 regtest blocks with 200,000 signed inputs, served from prepared bytes by
// another process. With all scripts, beside the bare signature checks of the same run; and below an assumed-valid
// block, where none run.
//
//   node build/bench/sync.js [--json]      BLOCKS=n INPUTS=n for another chain, ONLY=scripts or ONLY=assumed for one half,
//   OPTIONS="more options of adit"

import { type ChildProcess, spawn } from 'node:child_process';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Daemon } from '../test/framework/daemon.js';
import { BareChecks } from './harness/bare-checks.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { highestMemory, nodeThreadMilliseconds } from './harness/process-figures.js';
import { type SignedChain, signedChain } from './harness/signed-chain.js';

const blocks = Number(process.env.BLOCKS ?? 10_000);
const inputs = Number(process.env.INPUTS ?? 200_000);
const threads = os.availableParallelism();
const more = process.env.OPTIONS?.split(' ') ?? [];
const LOOK_MS = 20;
/** Bare checks of one sample. */
const CHECKS = 20_000;
/**
 * Scripts run all the same in the last two weeks before the best header, at the work of regtest: a block each ten
 * minutes.
 */
const BURIED = 2_016;
/** Megabytes that the process may take at most, with the default -dbcache of 450. */
const CEILING_MB = 700;

interface Run {
  readonly seconds: number;
  /** Processor seconds of the node thread, and of all others. */
  readonly main: number;
  readonly others: number;
  readonly megabytes: number;
}

/** Answers of the peer. */
async function serve(file: string): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [new URL('./harness/block-server.js', import.meta.url).pathname, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error('the serving peer ended')));
    child.stdout?.once('data', (text: Buffer) => resolve(Number(text.toString())));
  });
  return { child, port };
}

/**
 * Downloads up to a height in a fresh folder. Connections are allowed only once the node answers, and the clock starts
 * then.
 */
async function download(port: number, goal: number, ...options: string[]): Promise<Run> {
  const node = await Daemon.start(
    '-disablewallet',
    '-checktemplates=0',
    '-networkactive=0',
    `-connect=127.0.0.1:${port}`,
    ...options,
    ...more,
  );
  try {
    const pid = node.child?.pid as number;
    const before = nodeThreadMilliseconds(pid);
    await node.call('setnetworkactive', true);
    // The first try may have been made while the network was off.
    await node.call('addnode', `127.0.0.1:${port}`, 'onetry').catch(() => undefined);
    while ((await node.call('getconnectioncount')) === 0) await sleep(5);
    const begin = performance.now();
    while ((await node.call('getblockcount')) < goal) {
      if (node.exit !== undefined) throw new Error(`the daemon ended: ${node.output().slice(-500)}`);
      await sleep(LOOK_MS);
    }
    const seconds = (performance.now() - begin) / 1000;
    const spent = nodeThreadMilliseconds(pid);
    const [main, others] = [(spent.main - before.main) / 1000, (spent.others - before.others) / 1000];
    const figures = { seconds, main, others, megabytes: highestMemory(pid) };
    const { code } = await node.stop();
    if (code !== 0) throw new Error(`the daemon ended with ${code}`);
    return figures;
  } finally {
    await node.remove();
  }
}

/** Microseconds per check, a third of them Schnorr as in the chain. */
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

function scriptCases(chain: SignedChain, run: Run, limit: { name: string; microseconds: number }): BenchCase[] {
  const rate = (count: number): number[] => [count / run.seconds];
  return [
    { name: 'all scripts: blocks', unit: 'blocks/s', better: 'higher', samples: rate(chain.blocks) },
    {
      name: 'all scripts: signed inputs',
      unit: 'inputs/s',
      better: 'higher',
      samples: rate(chain.inputs),
      limit: { name: limit.name, samples: [1e6 / limit.microseconds] },
    },
    ...(['main', 'others'] as const).map(
      (which): BenchCase => ({
        name: `all scripts: ${which === 'main' ? 'node thread' : 'other threads'}`,
        unit: 'processor us/input',
        better: 'lower',
        samples: [(run[which] * 1e6) / chain.inputs],
      }),
    ),
    {
      name: 'all scripts: highest memory',
      unit: 'MB',
      better: 'lower',
      samples: [run.megabytes],
      goal: { text: `at most ${CEILING_MB}`, reached: (p50) => p50 <= CEILING_MB },
    },
  ];
}

await runBench({
  name: 'net/sync',
  protects: 'the time until a new node has the chain, and the memory it takes meanwhile',
  run: async () => {
    const chain = signedChain(blocks, inputs);
    const limit = await bareLimit();
    const { child, port } = await serve(chain.file);
    const cases: BenchCase[] = [];
    const notes = [
      `${chain.blocks} blocks, ${chain.txs} transactions, ${chain.inputs} signed inputs, ${(chain.bytes / 1e6).toFixed(0)} MB; ${threads} script threads`,
    ];
    try {
      if (process.env.ONLY !== 'assumed') {
        const run = await download(port, chain.blocks);
        notes.push(`all scripts: ${run.seconds.toFixed(1)} s, ${(run.main + run.others).toFixed(1)} s of processor time`);
        cases.push(...scriptCases(chain, run, limit));
      }
      if (process.env.ONLY !== 'scripts') {
        const goal = chain.blocks - BURIED - 1;
        const run = await download(port, goal, `-assumevalid=${chain.tipHex}`);
        notes.push(
          `-assumevalid, up to height ${goal}: ${run.seconds.toFixed(1)} s, ${(run.main + run.others).toFixed(1)} s of processor time`,
        );
        const samples = [(chain.txsTo[goal] as number) / run.seconds];
        cases.push({ name: 'below an assumed-valid block: transactions', unit: 'txs/s', better: 'higher', samples });
        cases.push({ name: 'below an assumed-valid block: blocks', unit: 'blocks/s', better: 'higher', samples: [goal / run.seconds] });
      }
    } finally {
      child.kill();
    }
    return { cases, notes };
  },
});
