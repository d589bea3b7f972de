// Shared buffers for verification batches. They are reused, because the garbage collector frees SharedArrayBuffers much
// later than new batches would allocate them.

/** Size of the smallest class: one ordinary transaction. Each class is four times as large as the one before. */
const SMALLEST_CLASS = 16 * 1024;
const CLASS_COUNT = 6;
const CLASS_FACTOR = 4;

/** Retains released buffers up to a limit. The garbage collector frees the others. */
export class SlabPool {
  readonly #free: SharedArrayBuffer[][] = Array.from({ length: CLASS_COUNT }, () => []);
  readonly #maxFreeBytes: number;
  #freeBytes = 0;
  #leasedBytes = 0;

  /** @param maxFreeBytes bytes retained for reuse; 48 MB are two of the largest class (16 MB) and many small ones */
  constructor(maxFreeBytes = 48 * 1024 * 1024) {
    this.#maxFreeBytes = maxFreeBytes;
  }

  /** Total size of all buffers, acquired and retained. */
  get bytes(): number {
    return this.#freeBytes + this.#leasedBytes;
  }

  /** Returns a buffer of at least this size. Its content is undefined. */
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

/** Returns the size of the class, or `minBytes` itself above the largest class. */
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
