// Returns free memory to the system. glibc keeps freed memory for later allocations: each thread allocates from an
// arena of its own, and pages between two used blocks stay resident until a trim. A node with ten threads that frees
// templates, messages and database blocks all day keeps 15 to 45 MB in that way.

import { koffi } from './koffi.js';

/** Parameter of glibc's mallopt: size from which a block of memory has pages of its own. They are returned when it is freed. */
const M_MMAP_THRESHOLD = -3;
/** Parameter of mallopt: size from which free memory at the end of an arena is returned. */
const M_TRIM_THRESHOLD = -1;
const LARGE_BYTES = 256 << 10;
/**
 * Highest first threshold. By default glibc raises it up to here, to the size of the largest block that was freed, and the
 * other threshold to twice of it.
 */
const HIGHEST_BYTES = 32 << 20;

/**
 * Creates a function that returns empty pages to the system by glibc's malloc_trim, which goes through all arenas. It
 * runs on a thread of libuv's pool. Another thread waits for an allocation only while its own arena is scanned.
 * @returns null if the C library has no such function (musl, macOS) or koffi does not load
 */
export function createMemoryTrimmer(): (() => Promise<void>) | null {
  let trim: { async(pad: number, done: (error: Error | null) => void): void };
  try {
    trim = koffi().load(null).func('malloc_trim', 'int', ['size_t']);
  } catch {
    return null;
  }
  return () => new Promise((resolve, reject) => trim.async(0, (error) => (error ? reject(error) : resolve())));
}

/**
 * Lets malloc return each freed block of 256 KiB or more to the system at once, or keep it for later allocations, as it
 * does in the long run by default. Does nothing without glibc or koffi.
 */
export function returnLargeBlocks(atOnce: boolean): void {
  try {
    const setParameter = koffi().load(null).func('mallopt', 'int', ['int', 'int']);
    const bytes = atOnce ? LARGE_BYTES : HIGHEST_BYTES;
    setParameter(M_MMAP_THRESHOLD, bytes);
    setParameter(M_TRIM_THRESHOLD, 2 * bytes);
  } catch {
    // Another C library, or no koffi: its own rules apply.
  }
}
