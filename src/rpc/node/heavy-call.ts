// Calls that read whole blocks or render whole lists run a few at a time: each holds a block and its reply in memory,
// so that a hundred at once would need gigabytes. Small calls do not pass here and wait for nothing.
import type { Semaphore } from '../../lib/semaphore.js';
import { fail, RPC_CODE } from '../errors.js';

/** Heavy calls at work at once: one renders while others read. They share one thread, more would not be quicker. */
export const HEAVY_CALLS = 3;

/**
 * Does the work when it is its turn.
 * @param signal of a client that may have gone meanwhile; then nothing is done
 * @throws RpcError when it has
 */
export function heavyCall<T>(heavy: Semaphore, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  return heavy.run(() => {
    if (signal?.aborted) fail(RPC_CODE.MISC_ERROR, 'The client has gone');
    return work();
  });
}
