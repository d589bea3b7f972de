// Moves the result of a job to the caller's thread. Apart from render-pool.ts, so that fronts load Piscina with their first job.
import { Piscina } from 'piscina';

/** Size from which an array is transferred and not copied. */
const TRANSFERRED_BYTES = 64 * 1024;

/** Marks the parts of a job's result, so that they cross threads without a copy where their memory allows it. */
export function withoutCopy<T extends object>(result: T, parts: readonly Uint8Array[]): T {
  const buffers = parts.filter(({ length }) => length >= TRANSFERRED_BYTES).map(({ buffer }) => buffer as ArrayBuffer);
  return Piscina.move({
    get [Piscina.transferableSymbol]() {
      return buffers;
    },
    get [Piscina.valueSymbol]() {
      return result;
    },
  } as never) as T;
}
