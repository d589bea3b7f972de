// Bytes of a socket that are not used yet, in one piece. Takes no more memory than four times what waits, or 64 KB. The
// readers of frames and of encrypted packets (peers, Stratum V2 clients) are made of it.

/** Room that is kept when little or nothing waits. */
const MIN_CAPACITY = 64 << 10;

export class ByteQueue {
  #buffer: Uint8Array = new Uint8Array(0);
  #start = 0;
  #end = 0;

  /** Bytes that wait. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** Adds bytes; they are copied. */
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

  /** Bytes where they lie: good until the queue is changed. @param length no more than wait behind `from` */
  peek(length: number, from = 0): Uint8Array {
    const at = this.#start + from;
    return this.#buffer.subarray(at, at + length);
  }

  /** A byte that waits, without a view of it. @param at below length */
  byteAt(at: number): number {
    return this.#buffer[this.#start + at];
  }

  /** Takes bytes out, as a copy. @param length no more than wait */
  takeBytes(length: number): Uint8Array {
    const bytes = this.#buffer.slice(this.#start, this.#start + length);
    this.drop(length);
    return bytes;
  }

  /** Forgets the next bytes. @param length no more than wait */
  drop(length: number): void {
    this.#start += length;
    const left = this.length;
    // A large buffer is not kept for a peer that now sends little.
    const roomy = this.#buffer.length > MIN_CAPACITY && left <= this.#buffer.length / 4;
    if (left > 0 && !roomy) return;
    if (roomy) this.#buffer = this.#buffer.slice(this.#start, this.#end);
    this.#start = 0;
    this.#end = left;
  }

  /** Forgets everything. */
  clear(): void {
    this.drop(this.length);
    this.#buffer = new Uint8Array(0);
  }
}
