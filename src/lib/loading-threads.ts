// Tracks the threads of the process that are still loading native libraries. If a thread is ended while it loads one,
// the whole process aborts. So the process waits for these threads before it ends, because its end ends all threads.

/** Longest wait. A thread that takes longer is stuck, and ending it is the smaller risk. */
const LIMIT_MS = 15_000;

const underWay = new Set<Promise<void>>();

/**
 * Registers a thread that was just started.
 * @param loaded resolves when the thread has loaded its libraries or has ended
 */
export function noteLoading(loaded: Promise<void>): void {
  underWay.add(loaded);
  void loaded.then(() => underWay.delete(loaded));
}

/** Resolves when the process may end: all threads have loaded, or one of them is stuck. */
export async function threadsLoaded(): Promise<void> {
  if (underWay.size > 0) await withinLimit(Promise.all(underWay));
}

/**
 * When the signal aborts, waits until a thread has loaded (or is stuck) and then ends it.
 * @param givenUp undefined: the thread is never ended
 * @param loaded resolves when the thread has loaded its libraries or has ended
 */
export function endWhenGivenUp(givenUp: AbortSignal | undefined, loaded: Promise<unknown>, end: () => unknown): void {
  const onAbort = (): void => void withinLimit(loaded).then(end);
  if (givenUp?.aborted) onAbort();
  else givenUp?.addEventListener('abort', onAbort, { once: true });
}

/** Waits until the promise resolves, but at most LIMIT_MS. */
export async function withinLimit(loaded: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  // The timer also keeps the process alive, which idle threads do not.
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LIMIT_MS);
  });
  await Promise.race([loaded, limit]);
  clearTimeout(timer);
}
