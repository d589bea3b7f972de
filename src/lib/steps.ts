// Runs work that is written as a generator. Each step is short, and the caller decides whether other work may run
// between two steps.

/** Runs all steps without a pause. @returns the result of the generator */
export function runSteps<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as T;
  }
}

/**
 * Runs the steps one by one.
 * @param yieldIfDue called after each step; returns a promise when it is time for a pause. If the promise is rejected, the
 *   work ends.
 */
export async function runStepsInSlices<T>(steps: Generator<unknown, T>, yieldIfDue: () => Promise<void> | undefined): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as T;
    const pause = yieldIfDue();
    if (pause) await pause;
  }
}
