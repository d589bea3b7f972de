// Work written as a generator: each step is short, and the caller decides whether other work gets a turn between two
// steps.

/** Takes all steps in one go. @returns what the work returns */
export function runSteps<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as T;
  }
}

/**
 * Takes the steps one by one.
 * @param rest asked after each: a promise where it is time for a pause; its rejection ends the work
 */
export async function runStepsInSlices<T>(steps: Generator<unknown, T>, rest: () => Promise<void> | undefined): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as T;
    const pause = rest();
    if (pause) await pause;
  }
}
