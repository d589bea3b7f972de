// Unread bytes of a socket in one contiguous buffer. The buffer has at most four times the size of the unread bytes, or
// 64 KB. Readers of frames and encrypted packets (peers, Stratum V2 clients) use it.

/** Smallest capacity in bytes, also when the queue is empty. */
const MIN_CAPACITY = 64 << 10;

export class ByteQueue {
  #buffer: Uint8Array = new Uint8Array(0);
  #start = 0;
  #end = 0;

  /** Number of unread bytes. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** Adds a copy of the bytes. */
  push(chunk: Uint8Array): void {
    const { length } = this;
    if (this.#end + chunk.length > this.#buffer.length) {
      const wanted = length + chunk.length;
      let capacity = MIN_CAPACITY;
      while (capacity < wanted) capacity *= 2;
      const target = capacity === this.#buffer.length ? this.#buffer : new Uint8Array(capacity);
      target.set(this.#buffer.subarray(this.#start, this.#end));
      this.#buffer = target;
      this.#start = 0;
      this.#end = length;
    }
    this.#buffer.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /**
   * Returns a view of unread bytes, valid until the queue changes.
   * @param length at most the number of unread bytes from `from` on
   */
  peek(length: number, from = 0): Uint8Array {
    const at = this.#start + from;
    return this.#buffer.subarray(at, at + length);
  }

  /**
   * Returns an unread byte without creating a view.
   * @param at below `length`
   */
  byteAt(at: number): number {
    return this.#buffer[this.#start + at];
  }

  /**
   * Removes bytes and returns a copy of them.
   * @param length at most the unread bytes
   */
  takeBytes(length: number): Uint8Array {
    const bytes = this.#buffer.slice(this.#start, this.#start + length);
    this.drop(length);
    return bytes;
  }

  /**
   * Drops the next bytes.
   * @param length at most the unread bytes
   */
  drop(length: number): void {
    this.#start += length;
    const left = this.length;
    // Release a large buffer when few bytes are left.
    const roomy = this.#buffer.length > MIN_CAPACITY && left <= this.#buffer.length / 4;
    if (left > 0 && !roomy) return;
    if (roomy) this.#buffer = this.#buffer.slice(this.#start, this.#end);
    this.#start = 0;
    this.#end = left;
  }

  /** Drops all bytes. */
  clear(): void {
    this.drop(this.length);
    this.#buffer = new Uint8Array(0);
  }
}
