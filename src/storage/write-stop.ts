// Stops all writing of a thread after an unexpected fault. Memory may then disagree with the disk, and running work
// must not write that while sockets are closed and the last log lines are written. It applies to the whole thread,
// because a fault has no known location; the memory of other threads is consistent. Everything in this module that
// writes checks it.

import { StoreError } from './store-error.js';

let reason: string | null = null;

/** Makes every later write of this thread fail, permanently. */
export function stopWriting(why: string): void {
  reason ??= why;
}

/**
 * Checks that writing is allowed.
 * @throws StoreError STORE_CLOSED after stopWriting
 */
export function assertWriting(doing: string): void {
  if (reason !== null) throw new StoreError('STORE_CLOSED', `Cannot ${doing}: writing ended (${reason})`);
}
