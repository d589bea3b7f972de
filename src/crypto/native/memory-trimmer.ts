// Returns free memory to the system. glibc keeps freed memory for later allocations: each thread allocates from an
// arena of its own, and pages between two used blocks stay resident until a trim. A node with ten threads that frees
// templates, messages and database blocks all day keeps 15 to 45 MB in that way.

import { koffi } from './koffi.js';

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
