// How often other work gets a turn while something long is under way.

/**
 * Counts turns of the event loop while work runs. Throws what the work throws.
 * @param atThird called in the third turn
 * @param counts absent: every turn does
 */
export async function turnsDuring(work: () => Promise<unknown>, atThird?: () => unknown, counts?: () => boolean): Promise<number> {
  let turns = 0;
  let done = false;
  const count = (): void => {
    if (done) return;
    setImmediate(count);
    if (counts && !counts()) return;
    turns++;
    if (turns === 3) atThird?.();
  };
  setImmediate(count);
  try {
    await work();
  } finally {
    done = true;
  }
  return turns;
}

/** The most that a counter rises by within one turn of the event loop while work runs, and by how much in all. Throws what the work throws. */
export async function mostInATurn(work: () => Promise<unknown>, counter: () => number): Promise<{ most: number; all: number }> {
  const first = counter();
  let before = first;
  let most = 0;
  const look = (): boolean => {
    most = Math.max(most, counter() - before);
    before = counter();
    return true;
  };
  await turnsDuring(work, undefined, look);
  look();
  return { most, all: before - first };
}
