// How long work shares its thread: it asks now and then whether it is time, and gives way. lib/slicer.ts is one.

export interface Pace {
  /** Whether it is time to give way. */
  readonly due: boolean;
  pause(): Promise<void>;
}

/** For callers that are alone on their thread. */
export const NEVER_YIELDS: Pace = { due: false, pause: () => Promise.resolve() };

/** Where chance comes from. */
export interface RandomSource {
  /** A whole number below `limit`. */
  below(limit: number): number;
  /** Yes or no, as likely. */
  coin(): boolean;
}

/** The list in random order (Fisher and Yates), in place. */
export function shuffle<T>(list: T[], chance: RandomSource): T[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = chance.below(i + 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}
