// Shows the gain of more cores. Runs the work of other benches with 1, 2, 4 ... script threads and front threads, as
// many as there are cores. From the processor time of a unit of work it computes the rate that 8, 16 and 64 cores could
// reach. The node thread's share is serial: its time for a unit bounds the rate on any number of cores. All other
// threads share the cores.
//
//   node build/bench/scale.js [--json]      ONLY=work,... of the names below. Runs for some ten minutes.
import os from 'node:os';
import { type BenchCase, runBench } from './harness/bench.js';
import { caseOf, runChildBench } from './harness/child-bench.js';

const CORES = [8, 16, 64];
/** Goal: how many times the rate of two cores GOAL_CORES should reach. */
const GOAL_CORES = 16;
const GOAL = 6;
const MICROSECONDS = 1_000_000;

/** A bench, its environment for a short run, and the names of its cases with the figures. */
interface Work {
  readonly unit: string;
  readonly bench: string;
  readonly env: Readonly<Record<string, string>>;
  /** Name of the case with the rate, units per second. */
  readonly rate: string;
  /** Name of the case with the processor microseconds of the node thread per unit. */
  readonly serial: string;
  /** Name of the case with the processor microseconds of the other threads or, if the name says so, of all threads. */
  readonly others: string;
}

/** Describes one call of the bench of small calls. */
const small = (method: string, env: Readonly<Record<string, string>> = {}): Omit<Work, 'unit'> => ({
  bench: 'rpc-small',
  env: { ONLY: method, ROUNDS: '4', ...env },
  rate: method,
  serial: `${method}: node thread`,
  others: `${method}: other threads`,
});
/** Describes one call of the bench of reads. */
const read = (call: string): Work => ({
  unit: 'calls/s',
  bench: 'reads',
  env: { ONLY: call, PAYMENTS: '1000', ROUNDS: '2', SECONDS: '4' },
  rate: call,
  serial: `${call}: node thread`,
  others: `${call}: all threads`,
});
/** Beginning of the names of the cases of bench/sync.ts for the size that is used here. */
const SCRIPTS = `blocks of 500, all scripts`;
const ACCEPTED = 'batches of 200: adit';
const WORKS: Readonly<Record<string, Work>> = {
  'initial download': {
    unit: 'inputs/s',
    bench: 'download',
    env: { INPUTS: '2000000' },
    rate: 'download: rate, adit',
    serial: 'download: node thread, adit',
    others: 'download: all threads, adit',
  },
  'blocks never seen': {
    unit: 'inputs/s',
    bench: 'sync',
    env: { SIZES: '500', INPUTS: '80000' },
    rate: `${SCRIPTS}: rate, adit`,
    serial: `${SCRIPTS}: node thread, adit`,
    others: `${SCRIPTS}: all threads, adit`,
  },
  'mempool intake': {
    unit: 'tx/s',
    bench: 'mempool-accept',
    env: { WAYS: 'rpc', ROUNDS: '3', WARMUP: '2' },
    rate: ACCEPTED,
    serial: `${ACCEPTED}, first thread`,
    others: `${ACCEPTED}, all threads`,
  },
  'calls of fronts': { unit: 'calls/s', ...small('getbestblockhash') },
  'calls that are kept': { unit: 'calls/s', ...small('getmempoolinfo') },
  'getblock 2': read('getblock 2'),
  'getrawtransaction 1': read('getrawtransaction 1'),
  'templates of 400 payments': { unit: 'replies/s', ...small('getblocktemplate', { PAYMENTS: '400' }) },
};

/** Figures of one run of a bench. */
interface Scaled {
  readonly threads: number;
  readonly rate: number;
  readonly serial: number;
  readonly others: number;
}

/** Returns 1, 2, 4 ... below the number of cores, and the number of cores. */
function threadCounts(): number[] {
  const cores = os.availableParallelism();
  const counts: number[] = [];
  for (let count = 1; count < cores; count *= 2) counts.push(count);
  return [...counts, cores];
}

function measure(work: Work, threads: number): Scaled {
  const env = { ...work.env, FRONTS: String(threads), OPTIONS: `-par=${threads} -fronts=${threads}`, COMPARE: '' };
  const report = runChildBench(work.bench, env);
  const p50 = (name: string): number => caseOf(report, name).p50;
  const serial = p50(work.serial);
  const others = /all threads(, adit)?$/.test(work.others) ? p50(work.others) - serial : p50(work.others);
  return { threads, rate: p50(work.rate), serial, others };
}

/**
 * Returns the units per second that this number of cores could reach. The limit is either that every core is busy, or
 * that the node thread is.
 */
function ceiling({ serial, others }: Scaled, cores: number): number {
  return Math.min(MICROSECONDS / serial, (cores * MICROSECONDS) / (serial + others));
}

function casesOf(name: string, { unit }: Work, runs: readonly Scaled[]): BenchCase[] {
  const rate = (what: string, value: number): BenchCase => ({ name: what, unit, better: 'higher', samples: [value] });
  const time = (what: string, value: number): BenchCase => ({ name: what, unit: 'processor us', better: 'lower', samples: [value] });
  // Use the run with as many threads as cores, in which the least processor time is lost by waiting.
  const last = runs.at(-1)!;
  const share = (100 * last.serial) / (last.serial + last.others);
  return [
    ...runs.map((run) => rate(`${name}: with ${run.threads}`, run.rate)),
    time('  node thread', last.serial),
    time('  other threads', last.others),
    { name: '  serial share', unit: '%', better: 'lower', samples: [share] },
    ...CORES.map((cores) => rate(`  ceiling on ${cores} cores`, ceiling(last, cores))),
    {
      name: `  ceiling on ${GOAL_CORES} cores over that on 2`,
      unit: 'times',
      better: 'higher',
      samples: [ceiling(last, GOAL_CORES) / ceiling(last, 2)],
      goal: { text: `>= ${GOAL}`, reached: (p50) => p50 >= GOAL },
    },
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
