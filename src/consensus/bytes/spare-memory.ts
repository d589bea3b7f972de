// Memory of long messages that are handled. Using it again avoids page faults, and garbage collections: V8 starts one for
// every few megabytes of new buffers.

/** Shorter buffers are not worth keeping. */
const LEAST_BYTES = 64 << 10;

export class SpareMemory {
  readonly #spares: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;
  readonly #maxBytes: number;

  /** @param maxBytes bound of the unused memory */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Returns the memory that was given last among those of `least` to `most` bytes; null if there is none. Its bytes are
   * arbitrary.
   */
  takeBuffer(least: number, most: number): Uint8Array<ArrayBuffer> | null {
    const at = this.#spares.findLastIndex(({ length }) => length >= least && length <= most);
    if (at < 0) return null;
    const [spare] = this.#spares.splice(at, 1) as [Uint8Array<ArrayBuffer>];
    this.#bytes -= spare.length;
    return spare;
  }

  /** Takes over a buffer that nothing else uses, unless it is short or the bound is reached. */
  giveBuffer(buffer: ArrayBuffer): void {
    if (buffer.byteLength < LEAST_BYTES || this.#bytes + buffer.byteLength > this.#maxBytes) return;
    this.#spares.push(new Uint8Array(buffer));
    this.#bytes += buffer.byteLength;
  }
}
