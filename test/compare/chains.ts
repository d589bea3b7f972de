// Runs many comparisons one after the other. Each is a process with its own seed and chain, because the coins and
// subsidies of one chain last only for a few thousand steps.
import { spawn } from 'node:child_process';
import fs from 'node:fs';

/** Options that every comparison of chains accepts, as written on the command line. */
export interface ChainValues {
  readonly bitcoind?: string;
  readonly seed: string;
  readonly chains: string;
  readonly minutes: string;
  readonly jobs: string;
}

interface Chains {
  readonly file: string;
  /** Options of one comparison, in addition to its seed. */
  readonly options: readonly string[];
  readonly firstSeed: number;
  readonly count: number;
  /** No comparison is started after this time. */
  readonly minutes: number;
  /** Number of comparisons that run at the same time. */
  readonly jobs: number;
}

function outputOf(file: string, options: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, file, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    child.on('error', reject);
    child.on('close', () => resolve(text));
  });
}

/** @returns the path of bitcoind. Without this option the process prints an error and ends */
export function bitcoindOf({ bitcoind }: { readonly bitcoind?: string }): string {
  if (bitcoind !== undefined && fs.existsSync(bitcoind)) return bitcoind;
  const why = bitcoind === undefined ? '--bitcoind=PATH is not given' : `${bitcoind} is not there`;
  process.stdout.write(`skipped: nothing is compared, because ${why}\n`);
  process.exit(0);
}

/**
 * If the caller asked for more than one chain, runs all of them and ends the process.
 * @param file file of the comparison
 * @param options options of one chain, without bitcoind and its seed
 * @returns the path of bitcoind
 */
export async function beginChain(file: string, values: ChainValues, options: readonly string[]): Promise<string> {
  const { seed, chains, minutes, jobs } = values;
  const bitcoind = bitcoindOf(values);
  if (chains === '1') return bitcoind;
  const same = await playChains({
    file,
    options: [`--bitcoind=${bitcoind}`, ...options],
    firstSeed: Number(seed),
    count: Number(chains),
    minutes: Number(minutes),
    jobs: Number(jobs),
  });
  process.exit(same ? 0 : 1);
}

/**
 * Runs the comparisons and prints the output of each one that found a difference, and a summary.
 * @returns true if there was no difference
 */
async function playChains({ file, options, firstSeed, count, minutes, jobs }: Chains): Promise<boolean> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const began = Date.now();
  let [steps, differing, played, next] = [0, 0, 0, firstSeed];
  const lane = async (): Promise<void> => {
    while (next < firstSeed + count && Date.now() - began < minutes * 60_000) {
      const seed = next++;
      const text = await outputOf(file, [...options, `--seed=${seed}`]);
      const sum = /^(\d+) steps of seed \d+: (\d+) differences$/m.exec(text);
      const ended = /^ended at step/m.test(text);
      played++;
      steps += Number(sum?.[1] ?? 0);
      if (sum?.[2] !== '0' || ended) {
        differing++;
        say(text);
      }
      const seconds = Math.round((Date.now() - began) / 1000);
      say(`${played} chains to seed ${seed}, ${steps} steps in ${seconds} s: ${differing} differ`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, lane));
  return differing === 0;
}
