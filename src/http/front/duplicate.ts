// A second descriptor of a socket, for another thread of the process: node's sockets do not give up their own. Used by
// start-front.ts when there are several fronts.
import { createRequire } from 'node:module';

/** @returns gives the copy of a descriptor, negative when there is none to be had; null without koffi */
export function createDuplicate(): ((descriptor: number) => number) | null {
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
    return koffi.load(null).func('int dup(int)') as (descriptor: number) => number;
  } catch {
    return null;
  }
}
