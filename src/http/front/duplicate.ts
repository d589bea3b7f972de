// Duplicates the file descriptor of a socket, so that another thread can use it. A Node.js socket cannot release its own.
import { createRequire } from 'node:module';

/** Returns a function that duplicates a descriptor (negative result: failed), or null if koffi cannot be loaded. */
export function createDuplicate(): ((descriptor: number) => number) | null {
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
    return koffi.load(null).func('int dup(int)') as (descriptor: number) => number;
  } catch {
    return null;
  }
}
