// Gives a list to jobs that end when their time is over, whatever they have done of it until then; what is left goes to
// the end of the queue like any other job.

/**
 * @param run a job over the rest; its answer is for the first items of that, at least one
 * @throws when an answer leaves out everything or goes beyond the list: it belongs to something else
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
