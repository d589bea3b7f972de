// The threads of the process that are loading native libraries. The end of the process ends all of them, and ending
// one while it loads aborts the process, so the caller waits first. Aditd.

/** A thread that takes longer is stuck; ending it then is the smaller evil. */
const LIMIT_MS = 15_000;

// Every thread of the process that is loading, of any pool: the end of the process ends all of them.
const underWay = new Set<Promise<void>>();

/** Takes note of a thread that was just started. @param loaded resolves once it has loaded or died */
export function noteLoading(loaded: Promise<void>): void {
  underWay.add(loaded);
  void loaded.then(() => underWay.delete(loaded));
}

/** Resolves once the process may end: no thread is loading any more, or one is stuck. */
export async function threadsLoaded(): Promise<void> {
  if (underWay.size > 0) await withinLimit(Promise.all(underWay));
}

/**
 * Ends a thread once it has loaded, or is stuck at that, if it is given up.
 * @param givenUp absent: nobody gives it up
 * @param loaded resolves once it has loaded or died
 */
export function endWhenGivenUp(givenUp: AbortSignal | undefined, loaded: Promise<unknown>, end: () => unknown): void {
  const onAbort = (): void => void withinLimit(loaded).then(end);
  if (givenUp?.aborted) onAbort();
  else givenUp?.addEventListener('abort', onAbort, { once: true });
}

/** Waits for threads to load, but not for ever. */
export async function withinLimit(loaded: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  // The timer also keeps the process alive: idle threads don't.
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LIMIT_MS);
  });
  await Promise.race([loaded, limit]);
  clearTimeout(timer);
}
