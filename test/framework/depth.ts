// How far tests of kills and faults go. `npm test` takes a few rounds of each, `npm run nightly` runs the files that
// import this with all of them.

import t, { type Test } from 'tap';

/** True in the long run (npm run nightly). */
export const nightly = process.env.ADIT_NIGHTLY !== undefined;

/** A test of the long run alone. */
export function nightlyTest(name: string, work: (t: Test) => Promise<void>): void {
  if (nightly) t.test(name, work);
}

/** Rounds of something that is random or varied. @param usual of npm test @param all of the long run */
export const rounds = (usual: number, all: number): number => (nightly ? all : usual);

/**
 * For a process that dies at a write: whether that write reaches the disk. `npm test` takes the two in turn, one for each
 * write.
 */
export const reachings = (write: number): readonly boolean[] => (nightly ? [false, true] : [write % 2 === 0]);

/** Cases of something that is varied. @param usual how many of them, from the first, npm test takes */
export const cases = <Case>(usual: number, all: readonly Case[]): readonly Case[] => all.slice(0, rounds(usual, all.length));
