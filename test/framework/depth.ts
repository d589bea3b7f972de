// Decides how many rounds tests of kills and faults run. `npm test` runs a few rounds of each, `npm run nightly` all
// rounds of the files that import this one.

import t, { type Test } from 'tap';

/** True in the long run (npm run nightly). */
export const nightly = process.env.ADIT_NIGHTLY !== undefined;

/** Declares a test that only the long run runs. */
export function nightlyTest(name: string, work: (t: Test) => Promise<void>): void {
  if (nightly) t.test(name, work);
}

/** Returns the number of rounds of a random test. @param usual in npm test @param all in the long run */
export const rounds = (usual: number, all: number): number => (nightly ? all : usual);

/**
 * Returns whether the write at which a process dies reaches the disk; both values in the long run. `npm test`
 * alternates between them from write to write.
 */
export const reachings = (write: number): readonly boolean[] => (nightly ? [false, true] : [write % 2 === 0]);

/** Returns the cases of a test. @param usual number of cases that npm test runs, from the first one */
export const cases = <Case>(usual: number, all: readonly Case[]): readonly Case[] => all.slice(0, rounds(usual, all.length));
