// Runs another bench in a process of its own, for benches that use figures of others.
import { spawnSync } from 'node:child_process';
import type { BenchReport, Line } from './bench.js';

/** Runs a bench to its end. @param env environment variables in addition to those of this process */
export function runChildBench(name: string, env: Readonly<Record<string, string>>): BenchReport {
  const file = new URL(`../${name}.js`, import.meta.url).pathname;
  const { stdout, status } = spawnSync(process.execPath, [file, '--json'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${name} ended with ${status}`);
  return JSON.parse(stdout);
}

/** Returns a case of a report by its name. */
export function caseOf({ bench, cases }: BenchReport, name: string): Line {
  const found = cases.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${bench} has no case ${name}; there are: ${cases.map((one) => one.name).join('; ')}`);
  return found;
}
