// Heavy calls a few at a time: each holds a block and its reply in memory, so that a hundred at once would need gigabytes. Small calls
// do not pass here and wait for nobody. Used by the run functions that read whole blocks or render whole lists.
import { fail, RPC_CODE } from '../errors.js';

/** Heavy calls at work at once: one renders while others read. They share one thread, more would not be quicker. */
const MOST = 3;

export class Turnstile {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(most = MOST) {
    this.#most = most;
  }

  /** Does the work when it is its turn. @param signal of a client that may have gone meanwhile; then nothing is done */
  async pass<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    // Whoever leaves hands the place over, so nobody overtakes.
    if (this.#inside < this.#most) this.#inside++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      if (signal?.aborted) fail(RPC_CODE.MISC_ERROR, 'The client has gone');
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#inside--;
    }
  }
}
