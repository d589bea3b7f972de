// The clock by which long work ends its slices. Each thread has one, like its event loop. Tests replace it by one that
// advances with every reading, so that slices end after the same number of steps on any machine.

/** Clock of this thread. `now` returns milliseconds since an arbitrary start and never goes back. */
export const workClock: { now: () => number } = { now: () => performance.now() };
