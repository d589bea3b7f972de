// Passes a list to jobs that end when their time is over, wherever they are in it. The rest is queued as a new job.

/**
 * @param run runs a job over the rest; its result covers the first items, at least one
 * @throws if a result covers nothing or more than the rest: it belongs to another job
 */
export async function inParts<T, R>(items: readonly T[], run: (rest: readonly T[]) => Promise<Iterable<R>>): Promise<R[]> {
  const results: R[] = [];
  while (results.length < items.length) {
    const before = results.length;
    for (const result of await run(items.slice(before))) results.push(result);
    if (results.length === before || results.length > items.length) {
      throw new Error(`A job of ${items.length - before} items answered for ${results.length - before}`);
    }
  }
  return results;
}
