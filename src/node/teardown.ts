// The end of a node in steps, last built first.

/** What is taken down at the end, last built first. */
export class Teardown {
  readonly #steps: (() => void | Promise<void>)[] = [];

  add(step: () => void | Promise<void>): void {
    this.#steps.push(step);
  }

  /** Runs every step even when one fails. @returns the first failure */
  async run(): Promise<Error | undefined> {
    let failure: Error | undefined;
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        failure ??= error as Error;
      }
    }
    return failure;
  }
}
