// Limits how many calls that read whole blocks or render whole lists run at once. Each holds a block and its reply in
// memory, so a hundred at once would need gigabytes. Small calls do not wait here.
import type { Semaphore } from '../../lib/semaphore.js';
import { fail, RPC_CODE } from '../errors.js';

/**
 * Maximum number of heavy calls that run at once: one renders while others read. All share one thread, so more would
 * not be faster.
 */
export const HEAVY_CALLS = 3;

/**
 * Runs heavy work when a permit is free.
 * @param signal aborted if the client has disconnected; the work does not run then
 * @throws RpcError if the client has disconnected
 */
export function heavyCall<T>(heavy: Semaphore, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  return heavy.run(() => {
    if (signal?.aborted) fail(RPC_CODE.MISC_ERROR, 'The client has disconnected');
    return work();
  });
}
