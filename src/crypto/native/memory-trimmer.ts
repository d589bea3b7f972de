// Free memory back to the system. glibc keeps what a program frees for its next allocation: each thread allocates from
// an arena of its own, and pages between two blocks in use stay resident until a trim. A node with ten threads
// that frees templates, messages and database blocks all day keeps 15 to 45 MB so. Called by node/recurring.ts.

import { koffi } from './koffi.js';

/**
 * Gives pages that hold nothing back to the system: glibc's malloc_trim, which goes through all arenas. It runs on a
 * thread of libuv's; an allocation of another thread waits only while its own arena is looked through.
 * @returns null where the C library has no such function (musl, macOS) or koffi does not load
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
