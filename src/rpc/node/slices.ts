// Long work on the node thread in turns of a few milliseconds, so that blocks and other calls get in between. The data worked
// on is pinned by the caller (a block's bytes, a list made before).

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

/** Maps a list in slices. */
export async function mapSliced<T, R>(items: readonly T[], map: (item: T, i: number) => R): Promise<R[]> {
  const slicer = new Slicer();
  const out: R[] = [];
  for (let i = 0; i < items.length; i++) {
    out.push(map(items[i], i));
    if (slicer.due) await slicer.pause();
  }
  return out;
}
