// What more cores are worth: the work of other benches with 1, 2, 4 ... script threads and fronts, as many as there are
// cores, and from the processor time of a unit of work the rate that 8, 16 and 64 cores could reach. The node thread's
// share is serial: its time of a unit bounds the rate on any number of cores; all other threads share the cores.
//
//   node build/bench/scale.js [--json]      ONLY=work,... of the names below. Runs for some ten minutes.
import { spawnSync } from 'node:child_process';
import os from 'node:os';
import { type BenchCase, runBench } from './harness/bench.js';

const CORES = [8, 16, 64];
const MICROSECONDS = 1_000_000;

/** A bench, how it is told to take little time, and which of its cases say what. */
interface Work {
  readonly unit: string;
  readonly bench: string;
  readonly env: Readonly<Record<string, string>>;
  /** Units a second. */
  readonly rate: string;
  /** Processor microseconds of the node thread for a unit, */
  readonly serial: string;
  /** and of the other threads or, named so, of all of them. */
  readonly others: string;
}

const SMALL = { rate: '', serial: '  node thread', others: '  other threads' };
const ACCEPTED = 'batches of 200: adit';
const WORKS: Readonly<Record<string, Work>> = {
  'blocks never seen': {
    unit: 'inputs/s',
    bench: 'sync',
    env: { ONLY: 'scripts', BLOCKS: '300', INPUTS: '40000' },
    rate: 'all scripts: signed inputs',
    serial: 'all scripts: node thread',
    others: 'all scripts: other threads',
  },
  'mempool intake': {
    unit: 'tx/s',
    bench: 'mempool-accept',
    env: { WAYS: 'rpc', ROUNDS: '3', WARMUP: '2' },
    rate: ACCEPTED,
    serial: `${ACCEPTED}, first thread`,
    others: `${ACCEPTED}, all threads`,
  },
  'calls of fronts': { unit: 'calls/s', bench: 'rpc-small', env: { ONLY: 'getbestblockhash', ROUNDS: '4' }, ...SMALL },
  'calls that are kept': { unit: 'calls/s', bench: 'rpc-small', env: { ONLY: 'getmempoolinfo', ROUNDS: '4' }, ...SMALL },
  'templates of 400 payments': {
    unit: 'replies/s',
    bench: 'rpc-small',
    env: { ONLY: 'getblocktemplate', PAYMENTS: '400', ROUNDS: '4' },
    ...SMALL,
  },
};

/** One run of a work's bench. */
interface Scaled {
  readonly threads: number;
  readonly rate: number;
  readonly serial: number;
  readonly others: number;
}

/** 1, 2, 4 ... up to the cores there are, and these. */
function threadCounts(): number[] {
  const cores = os.availableParallelism();
  const counts: number[] = [];
  for (let count = 1; count < cores; count *= 2) counts.push(count);
  return [...counts, cores];
}

function measure(work: Work, threads: number): Scaled {
  const env = { ...process.env, ...work.env, FRONTS: String(threads), OPTIONS: `-par=${threads} -fronts=${threads}`, COMPARE: '' };
  const file = new URL(`./${work.bench}.js`, import.meta.url).pathname;
  const { stdout, status } = spawnSync(process.execPath, [file, '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
  if (status !== 0) throw new Error(`${work.bench} ended with ${status}`);
  const { cases } = JSON.parse(stdout) as { cases: { name: string; unit: string; p50: number }[] };
  const p50 = (name: string): number => {
    const found = name === '' ? cases[0] : cases.find((one) => one.name === name);
    if (found === undefined) throw new Error(`${work.bench} has no case ${name}`);
    return found.p50;
  };
  const serial = p50(work.serial);
  const others = work.others.endsWith('all threads') ? p50(work.others) - serial : p50(work.others);
  return { threads, rate: p50(work.rate), serial, others };
}

/** Units a second that so many cores could reach: every core is busy, or the node thread is. */
function ceiling({ serial, others }: Scaled, cores: number): number {
  return Math.min(MICROSECONDS / serial, (cores * MICROSECONDS) / (serial + others));
}

function casesOf(name: string, { unit }: Work, runs: readonly Scaled[]): BenchCase[] {
  const rate = (what: string, value: number): BenchCase => ({ name: what, unit, better: 'higher', samples: [value] });
  const time = (what: string, value: number): BenchCase => ({ name: what, unit: 'processor us', better: 'lower', samples: [value] });
  // With as many threads as cores waiting in line costs least beside the work itself.
  const last = runs.at(-1)!;
  const share = (100 * last.serial) / (last.serial + last.others);
  return [
    ...runs.map((run) => rate(`${name}: with ${run.threads}`, run.rate)),
    time('  node thread', last.serial),
    time('  other threads', last.others),
    { name: '  serial share', unit: '%', better: 'lower', samples: [share] },
    ...CORES.map((cores) => rate(`  ceiling on ${cores} cores`, ceiling(last, cores))),
  ];
}

await runBench({
  name: 'scale',
  protects: 'what a larger machine is worth: work that only the node thread can do bounds it',
  run: async () => {
    const only = process.env.ONLY?.split(',') ?? Object.keys(WORKS);
    const cases = Object.entries(WORKS).flatMap(([name, work]) =>
      only.includes(name)
        ? casesOf(
            name,
            work,
            threadCounts().map((threads) => measure(work, threads)),
          )
        : [],
    );
    return { cases, notes: ['threads: script threads and fronts alike; clients share the cores'] };
  },
});
