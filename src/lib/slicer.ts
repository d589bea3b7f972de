// Long work on a thread that must stay responsive, in turns of a few milliseconds, so that blocks and calls get in between. The data
// worked on is pinned by the caller (a block's bytes, a list made before). Callers: RPC, indexes, the chain's walks.

/** Milliseconds of work between turns. */
const SLICE_MS = 4;

/** Gives the event loop a turn once a slice's time is used up. */
export class Slicer {
  #since = performance.now();

  /** Whether it is time to pause. */
  get due(): boolean {
    return performance.now() - this.#since >= SLICE_MS;
  }

  /** Lets everything else that is ready run. */
  pause(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#since = performance.now();
        resolve();
      });
    });
  }
}
