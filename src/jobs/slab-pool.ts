// Shared buffers that verification batches borrow. Reused because a fresh SharedArrayBuffer per batch is given back by
// the collector far later than it fills memory.

/** Smallest buffer: one ordinary transaction. Every class is four times the one before. */
const SMALLEST_CLASS = 16 * 1024;
const CLASS_COUNT = 6;
const CLASS_FACTOR = 4;

/** Keeps released buffers up to a bound; what doesn't fit is left to the collector. */
export class SlabPool {
  readonly #free: SharedArrayBuffer[][] = Array.from({ length: CLASS_COUNT }, () => []);
  readonly #maxFreeBytes: number;
  #freeBytes = 0;
  #leasedBytes = 0;

  /** @param maxFreeBytes bytes kept for reuse; 48 MB hold two of the largest class (16 MB) and plenty of small ones */
  constructor(maxFreeBytes = 48 * 1024 * 1024) {
    this.#maxFreeBytes = maxFreeBytes;
  }

  /** Bytes in buffers, lent and kept. */
  get bytes(): number {
    return this.#freeBytes + this.#leasedBytes;
  }

  /** A buffer of at least this many bytes; its content is whatever it held before. */
  acquire(minBytes: number): SharedArrayBuffer {
    const size = classSize(minBytes);
    const index = classIndex(size);
    const buffer = (index < 0 ? undefined : this.#free[index].pop()) ?? null;
    if (buffer !== null) this.#freeBytes -= size;
    this.#leasedBytes += size;
    return buffer ?? new SharedArrayBuffer(size);
  }

  /** Takes back a buffer that no thread reads any more. */
  release(buffer: SharedArrayBuffer): void {
    const size = buffer.byteLength;
    this.#leasedBytes -= size;
    const index = classIndex(size);
    if (index < 0 || this.#freeBytes + size > this.#maxFreeBytes) return;
    this.#free[index].push(buffer);
    this.#freeBytes += size;
  }
}

/** The class that holds so many bytes, or the exact number beyond the largest class. */
function classSize(minBytes: number): number {
  let size = SMALLEST_CLASS;
  for (let i = 1; i < CLASS_COUNT && size < minBytes; i++) size *= CLASS_FACTOR;
  return Math.max(size, minBytes);
}

function classIndex(size: number): number {
  let classBytes = SMALLEST_CLASS;
  for (let i = 0; i < CLASS_COUNT; i++) {
    if (classBytes === size) return i;
    classBytes *= CLASS_FACTOR;
  }
  return -1;
}
