// The end of all writing after an unexpected fault: memory may disagree with the disk then, and whatever is still under
// way must not carry that further while sockets are closed and the last log lines are written. Once for a whole thread,
// since a fault has no address; what another thread has in memory is whole. Asked by everything in storage that writes.

import { StoreError } from './store-error.js';

let reason: string | null = null;

/** From here on every write of this thread fails. There is no way back. */
export function stopWriting(why: string): void {
  reason ??= why;
}

/** @throws StoreError STORE_CLOSED after stopWriting */
export function assertWriting(doing: string): void {
  if (reason !== null) throw new StoreError('STORE_CLOSED', `Cannot ${doing}: writing ended (${reason})`);
}
