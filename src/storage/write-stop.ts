// The end of all writing after a fault that nobody expected: memory may disagree with the disk then, and whatever is
// still under way must not carry that further while sockets are closed and last words are said. Once for the whole
// process, since a fault has no address. Asked by everything in storage that writes.

import { StoreError } from './store-error.js';

let reason: string | null = null;

/** From here on every write of this process fails. There is no way back. */
export function stopWriting(why: string): void {
  reason ??= why;
}

/** @throws StoreError STORE_CLOSED after stopWriting */
export function assertWriting(doing: string): void {
  if (reason !== null) throw new StoreError('STORE_CLOSED', `Cannot ${doing}: writing ended (${reason})`);
}
