// The time by which long work on a thread ends its slices and turns. There is one for each thread, like the event loop
// that the work shares. Tests replace the source by one that advances with every reading, so that slices end after a
// number of steps on any machine.

/** The thread's clock for slices. `now` returns milliseconds from an arbitrary start and never goes back. */
export const workClock: { now: () => number } = { now: () => performance.now() };
