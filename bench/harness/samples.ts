// Timing and percentiles.

import { performance } from 'node:perf_hooks';

/** A value that `share` (0 to 1) of the samples do not exceed; nearest rank. Not for empty lists. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))];
}

/** Milliseconds that one run takes. */
export async function timeMs(run: () => unknown): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

export interface Rounds {
  /** Runs thrown away first, so that the compiler has settled. */
  readonly warmup: number;
  readonly rounds: number;
}

/**
 * Times several things in turn, round by round: what slows the machine for a while then slows all of them, and ratios
 * hold.
 * @returns milliseconds per round, under the same names
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
