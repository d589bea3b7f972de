// Stops all writing of a thread after an unexpected fault. Memory may then disagree with the disk. While the node
// closes its sockets and writes its last log lines, work in progress must not write such state to the disk. The stop
// affects the whole thread, because it is unknown which data the fault affects. Other threads may continue: their
// memory is consistent. All code of this module that writes calls assertWriting.

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
