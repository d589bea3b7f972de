// Closes the parts of a node in reverse order.

/** Steps that close the node, last added first. */
export class Teardown {
  readonly #steps: (() => void | Promise<void>)[] = [];

  add(step: () => void | Promise<void>): void {
    this.#steps.push(step);
  }

  /**
   * Runs all steps, even if one fails.
   * @returns the first failure
   */
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
