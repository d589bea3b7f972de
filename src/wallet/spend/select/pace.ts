// Interfaces that coin selection needs for yielding and for randomness. lib/slicer.ts implements Pace.

export interface Pace {
  /** True if it is time to yield. */
  readonly due: boolean;
  pause(): Promise<void>;
}

/** Pace that never yields, for callers without other work on their thread. */
export const NEVER_YIELDS: Pace = { due: false, pause: () => Promise.resolve() };

/** Source of random numbers. */
export interface RandomSource {
  /** Returns a random integer from 0 to `limit` - 1. */
  below(limit: number): number;
  /** Returns a random bit. */
  coin(): boolean;
}

/** Shuffles a list in place (Fisher-Yates). */
export function shuffle<T>(list: T[], chance: RandomSource): T[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = chance.below(i + 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}
