// A batch in one buffer. It is filled, transferred to the storage thread, and read there without an object per
// operation. The operations follow each other:
//
//   key length, LE32 | value length and 1, LE32, 0 for a removal | key | value

import { readU32 } from '../consensus/bytes/reader.js';
import { writeU32 } from '../consensus/bytes/writer.js';
import type { Batch, BatchOp } from './store.js';

/** Size in bytes of an operation's fields before its key. */
const HEAD_BYTES = 8;
/** Largest growth of a batch in bytes. Doubling a very large array would exceed the maximum size of an array. */
const MOST_GROWTH = 1 << 30;

/** Operations in order. The owner fills the batch and passes it to a store. It cannot be used afterwards. */
export class WriteBatch implements Batch {
  #bytes: Uint8Array<ArrayBuffer>;
  #size = 0;
  #count = 0;
  /** True after the batch was passed to a store. Later use must fail, because new operations would not be written. */
  #usedUp = false;

  /**
   * @param operations expected number of operations
   * @param bytes expected bytes of their keys and values; good estimates avoid copying
   */
  constructor(operations = 0, bytes = 0) {
    this.#bytes = new Uint8Array(operations * HEAD_BYTES + bytes);
  }

  /** Returns the operations as a WriteBatch. */
  static of(ops: Batch): WriteBatch {
    if (ops instanceof WriteBatch) return ops;
    let bytes = 0;
    for (const op of ops) bytes += op.type === 'put' ? op.key.length + op.value.length : op.key.length;
    const batch = new WriteBatch(ops.length, bytes);
    batch.addAll(ops);
    return batch;
  }

  /** Creates a batch from takeBuffer's result, on another thread. */
  static from({ buffer, size, count }: TakenBatch): WriteBatch {
    const batch = new WriteBatch();
    batch.#bytes = new Uint8Array(buffer);
    batch.#size = size;
    batch.#count = count;
    return batch;
  }

  #refuseUsedUp(): void {
    if (this.#usedUp) throw new Error('the batch was given to a store already, which has used it up');
  }

  /** Number of operations. */
  get length(): number {
    this.#refuseUsedUp();
    return this.#count;
  }

  /** Buffer with keys and values. reserveOperation may replace it. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Reserves space for more operations with these bytes of keys and values. */
  reserve(operations: number, bytes: number): void {
    const needed = this.#size + operations * HEAD_BYTES + bytes;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length + Math.min(this.#bytes.length, MOST_GROWTH)));
    grown.set(this.#bytes.subarray(0, this.#size));
    // Overwrite the old buffer with zeros, because some values are secret.
    this.#bytes.fill(0);
    this.#bytes = grown;
  }

  /**
   * Adds an operation whose key and value the caller writes into `bytes`, the value directly behind the key.
   * @param keyLength one or more
   * @param valueLength -1 for a removal
   * @returns offset of the key in `bytes`
   */
  reserveOperation(keyLength: number, valueLength: number): number {
    this.#refuseUsedUp();
    if (keyLength === 0) throw new RangeError('a key holds at least one byte');
    this.reserve(1, keyLength + Math.max(0, valueLength));
    const at = this.#size;
    writeU32(this.#bytes, at, keyLength);
    writeU32(this.#bytes, at + 4, valueLength + 1);
    this.#size = at + HEAD_BYTES + keyLength + Math.max(0, valueLength);
    this.#count++;
    return at + HEAD_BYTES;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    const at = this.reserveOperation(key.length, value.length);
    this.#bytes.set(key, at);
    this.#bytes.set(value, at + key.length);
  }

  del(key: Uint8Array): void {
    const at = this.reserveOperation(key.length, -1);
    this.#bytes.set(key, at);
  }

  addAll(ops: Iterable<BatchOp>): void {
    for (const op of ops) {
      if (op.type === 'put') this.put(op.key, op.value);
      else this.del(op.key);
    }
  }

  /**
   * Returns the offsets of the keys in `bytes`, ordered by their first four bytes. Operations whose keys begin alike,
   * including those on one key, stay in order.
   */
  inOrder(): Uint32Array {
    this.#refuseUsedUp();
    const count = this.#count;
    const places = new Uint32Array(count);
    // A number has 53 bits: the index of the operation, and before it up to four bytes of its key.
    const span = 2 ** Math.ceil(Math.log2(Math.max(1, count)));
    const dropped = Math.max(1, span / 2 ** (53 - 32));
    const ranks = new Float64Array(count);
    for (let at = 0, i = 0; at < this.#size; at = this.#endOf(at), i++) {
      places[i] = at + HEAD_BYTES;
      ranks[i] = Math.floor(this.#firstBytes(at + HEAD_BYTES) / dropped) * span + i;
    }
    ranks.sort();
    const ordered = new Uint32Array(count);
    for (let i = 0; i < count; i++) ordered[i] = places[ranks[i] - Math.floor(ranks[i] / span) * span];
    return ordered;
  }

  /** Returns the first four bytes of a key as a number that sorts like the key. */
  #firstBytes(keyAt: number): number {
    const end = keyAt + Math.min(4, this.keyLength(keyAt));
    let first = 0;
    for (let at = keyAt; at < keyAt + 4; at++) first = first * 256 + (at < end ? this.#bytes[at] : 0);
    return first;
  }

  /**
   * Returns the length of a key.
   * @param keyAt offset of the key
   */
  keyLength(keyAt: number): number {
    return readU32(this.#bytes, keyAt - HEAD_BYTES);
  }

  /** Returns the length of a value; -1 for a deletion. The value begins behind the key. */
  valueLength(keyAt: number): number {
    return readU32(this.#bytes, keyAt - 4) - 1;
  }

  /** @returns offset of the operation after the one at `at` */
  #endOf(at: number): number {
    return at + HEAD_BYTES + readU32(this.#bytes, at) + Math.max(0, readU32(this.#bytes, at + 4) - 1);
  }

  /** Yields the operations; keys and values are views. */
  *[Symbol.iterator](): Iterator<BatchOp> {
    this.#refuseUsedUp();
    for (let at = 0; at < this.#size; at = this.#endOf(at)) {
      const keyEnd = at + HEAD_BYTES + readU32(this.#bytes, at);
      const key = this.#bytes.subarray(at + HEAD_BYTES, keyEnd);
      const length = this.valueLength(at + HEAD_BYTES);
      if (length < 0) yield { type: 'del', key };
      else yield { type: 'put', key, value: this.#bytes.subarray(keyEnd, keyEnd + length) };
    }
  }

  /** Returns the buffer for another thread. The batch is empty afterwards. */
  takeBuffer(): TakenBatch {
    this.#refuseUsedUp();
    const taken = { buffer: this.#bytes.buffer, size: this.#size, count: this.#count };
    this.#bytes = new Uint8Array(0);
    this.useUp();
    return taken;
  }

  /**
   * Overwrites keys and values, because some are secret. Called after a store has read the batch. A second call changes
   * nothing.
   */
  useUp(): void {
    this.#usedUp = true;
    this.#bytes.fill(0);
  }
}

/** Overwrites operations that a store has read, if they are a WriteBatch. */
export function useUp(ops: Batch): void {
  if (ops instanceof WriteBatch) ops.useUp();
}

/** A batch for another thread. The sender must transfer the buffer. */
export interface TakenBatch {
  readonly buffer: ArrayBuffer;
  /** Used bytes of the buffer. */
  readonly size: number;
  readonly count: number;
}
