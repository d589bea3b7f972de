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
