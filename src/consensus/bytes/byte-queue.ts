// Unread bytes of a socket in one contiguous buffer. The buffer has at most four times the size of the unread bytes, or
// 64 KB. Readers of frames and encrypted packets (peers, Stratum V2 clients) use it.

import type { SpareMemory } from './spare-memory.js';

/** Smallest capacity in bytes, also when the queue is empty. */
const MIN_CAPACITY = 64 << 10;
/** Most bytes of capacity for each unread byte. Limits on the unread bytes of peers count on it. */
const MAX_RATIO = 4;

export class ByteQueue {
  #buffer = new Uint8Array(0);
  #start = 0;
  #end = 0;
  readonly #spare: SpareMemory | null;

  /** @param spare memory to use before new memory, and for buffers that are too large */
  constructor(spare: SpareMemory | null = null) {
    this.#spare = spare;
  }

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
      if (capacity <= this.#buffer.length) this.#buffer.copyWithin(0, this.#start, this.#end);
      else this.#moveTo(this.#newBuffer(capacity, wanted));
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
   * Removes bytes and returns a copy of them. If the queue uses spare memory, and the bytes fill half of a large buffer,
   * the caller gets that buffer.
   * @param length at most the unread bytes
   */
  takeBytes(length: number): Uint8Array<ArrayBuffer> {
    const buffer = this.#buffer;
    const begin = this.#start;
    if (this.#spare === null || buffer.length <= MIN_CAPACITY || length < buffer.length / 2) {
      const bytes = buffer.slice(begin, begin + length);
      this.drop(length);
      return bytes;
    }
    const left = this.length - length;
    this.#buffer = left === 0 ? new Uint8Array(0) : this.#newBuffer(Math.max(MIN_CAPACITY, left), left);
    this.#buffer.set(buffer.subarray(begin + length, this.#end));
    this.#start = 0;
    this.#end = left;
    return buffer.subarray(begin, begin + length);
  }

  #newBuffer(capacity: number, least: number): Uint8Array<ArrayBuffer> {
    return (least > MIN_CAPACITY ? this.#spare?.takeBuffer(least, MAX_RATIO * least) : null) ?? new Uint8Array(capacity);
  }

  /** Moves the unread bytes to the start of another buffer. */
  #moveTo(target: Uint8Array<ArrayBuffer>): void {
    target.set(this.#buffer.subarray(this.#start, this.#end));
    this.#spare?.giveBuffer(this.#buffer.buffer);
    this.#buffer = target;
  }

  /**
   * Drops the next bytes.
   * @param length at most the unread bytes
   */
  drop(length: number): void {
    this.#start += length;
    const left = this.length;
    // Release a large buffer when few bytes are left.
    const roomy = this.#buffer.length > MIN_CAPACITY && left <= this.#buffer.length / MAX_RATIO;
    if (left > 0 && !roomy) return;
    if (roomy) this.#moveTo(new Uint8Array(left));
    this.#start = 0;
    this.#end = left;
  }

  /** Drops all bytes. */
  clear(): void {
    this.drop(this.length);
    this.#buffer = new Uint8Array(0);
  }
}
