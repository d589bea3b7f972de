// Timing and percentiles.

import { performance } from 'node:perf_hooks';

/**
 * Returns the smallest sample that is not below `share` (0 to 1) of all samples (nearest rank). The list must not be
 * empty.
 */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))];
}

/** Measures one run in milliseconds. */
export async function timeMs(run: () => unknown): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

export interface Rounds {
  /** Number of runs that are discarded, so that V8 has compiled the code. */
  readonly warmup: number;
  readonly rounds: number;
}

/**
 * Measures several functions in turn, round by round. If other work slows the machine for a while, it slows all of
 * them, and their ratios stay right.
 * @returns milliseconds per round, by the names of the functions
 */
export async function timeInTurn<Name extends string>(
  runs: Record<Name, () => unknown>,
  { warmup, rounds }: Rounds,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(runs) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < warmup + rounds; round++) {
    for (const name of names) {
      const elapsed = await timeMs(runs[name]);
      if (round >= warmup) samples[name].push(elapsed);
    }
  }
  return samples;
}
