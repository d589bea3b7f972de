// Randomness of coin selection.

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
