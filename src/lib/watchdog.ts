// When a thread that gives no answer counts as stuck: looks that found none are counted, and not time, which goes on
// while a machine sleeps. Two minutes: ten times what the longest work takes on a machine that is busy with others.
// What a block may ask for has no such bound: there looks count that found no progress either.

const CHECK_MS = 10_000;

/** So many looks in a row without an answer. */
export const CHECKS_UNTIL_STUCK = 12;

/** Calls back at every look; the result ends that. A timer, or a test's own. */
export type Every = (look: () => void) => () => void;

export const timerEvery: Every = (look) => {
  const timer = setInterval(look, CHECK_MS).unref();
  return () => clearInterval(timer);
};
