// Measures how often other work can run while something long runs. Time slices end after a number of reads of the work
// clock instead of after milliseconds, so the numbers are the same on a fast and on a busy machine.
import { workClock } from '../../src/lib/work-clock.js';

/**
 * Milliseconds by which the clock advances with each read. A slice of 2 ms ends at its second read, one of 5 ms at its
 * fifth.
 */
const READING_MS = 1;

/** Runs work while the work clock advances with every read instead of with time. Throws the exceptions of the work. */
export async function countingReadings<T>(work: () => Promise<T>, readingMs = READING_MS): Promise<T> {
  const before = workClock.now;
  let now = before();
  workClock.now = () => {
    now += readingMs;
    return now;
  };
  try {
    return await work();
  } finally {
    workClock.now = before;
  }
}

/**
 * Counts event-loop ticks while work runs. Throws the exceptions of the work.
 * @param atThird called in the third tick
 * @param counts returns whether a tick counts; absent: every tick counts
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
    await countingReadings(work);
  } finally {
    done = true;
  }
  return turns;
}

/**
 * Returns the largest increase of a counter within one event-loop tick while work runs, and its whole increase. Throws
 * the exceptions of the work.
 */
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
