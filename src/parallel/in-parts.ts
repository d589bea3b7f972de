// Passes a list to jobs, each of which ends when its time is over. Items that a job did not process are queued as a new job.

/**
 * @param run runs a job over the remaining items; its result covers the first of them, at least one
 * @throws if a result covers no items or more than remain: such a result belongs to another job
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
