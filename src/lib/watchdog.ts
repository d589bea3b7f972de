// Decides when a silent thread counts as stuck: after 12 checks in a row without an answer, two minutes. Checks are
// counted instead of time, because time also passes while the machine sleeps. Two minutes are ten times the longest
// task on a busy machine. Work for a block has no such limit; its watchdog counts checks without progress.

const CHECK_MS = 10_000;

/** Number of checks in a row without an answer after which a thread counts as stuck. */
export const CHECKS_UNTIL_STUCK = 12;

/** Calls the function at every check. Returns a function that stops the checks. */
export type Every = (look: () => void) => () => void;

export const timerEvery: Every = (look) => {
  const timer = setInterval(look, CHECK_MS).unref();
  return () => clearInterval(timer);
};
