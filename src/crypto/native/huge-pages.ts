// Asks the system to back memory by huge pages: random reads in gigabytes then miss the processor's address cache less often.

import { koffi } from './koffi.js';

/** MADV_HUGEPAGE of Linux. */
const HUGE_PAGES = 14;
const PAGE_BYTES = 4_096;

/**
 * Advises the system, which may ignore it. Does nothing where koffi does not load or the system lacks the call.
 * @param bytes memory that never moves
 * @param length may exceed `bytes`, if the addresses behind it are reserved for it
 */
export function adviseHugePages(bytes: Uint8Array, length: number): void {
  try {
    const madvise = koffi().load(null).func('madvise', 'int', ['size_t', 'size_t', 'int']);
    const first = Math.ceil(Number(koffi().address(bytes)) / PAGE_BYTES) * PAGE_BYTES;
    madvise(first, Math.floor(length / PAGE_BYTES) * PAGE_BYTES, HUGE_PAGES);
  } catch {
    // Not Linux, or no koffi: the memory has pages of the usual size.
  }
}
