// A batch in one buffer: so it is gathered, goes to the thread that writes, and is read there. No object per operation.
// One operation after the other:
//
//   key length, LE32 | value length and 1, LE32, 0 for a removal | key | value

import { readU32 } from '../consensus/bytes/reader.js';
import { writeU32 } from '../consensus/bytes/writer.js';
import type { Batch, BatchOp } from './store.js';

/** Bytes of an operation in front of its key. */
const HEAD_BYTES = 8;
/** By so much a batch grows at most: no array is as long as twice a very large one. */
const MOST_GROWTH = 1 << 30;

/** Operations in their order. Filled by one owner, who gives it to a store, which uses it up. */
export class WriteBatch implements Batch {
  #bytes: Uint8Array<ArrayBuffer>;
  #size = 0;
  #count = 0;
  /** What is given to a store once more, or added to, must not pass for written. */
  #usedUp = false;

  /** @param operations bytes of keys and values of so many are expected; right guesses avoid copying */
  constructor(operations = 0, bytes = 0) {
    this.#bytes = new Uint8Array(operations * HEAD_BYTES + bytes);
  }

  /** The same operations in one buffer. */
  static of(ops: Batch): WriteBatch {
    if (ops instanceof WriteBatch) return ops;
    let bytes = 0;
    for (const op of ops) bytes += op.type === 'put' ? op.key.length + op.value.length : op.key.length;
    const batch = new WriteBatch(ops.length, bytes);
    batch.addAll(ops);
    return batch;
  }

  /** What `take` gave, on another thread. */
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

  /** Keys and values lie in here; another array after `room`. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Makes room for so many more operations, with so many bytes of keys and values, in one go. */
  reserve(operations: number, bytes: number): void {
    const needed = this.#size + operations * HEAD_BYTES + bytes;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length + Math.min(this.#bytes.length, MOST_GROWTH)));
    grown.set(this.#bytes.subarray(0, this.#size));
    // Some values are secret.
    this.#bytes.fill(0);
    this.#bytes = grown;
  }

  /**
   * Adds an operation whose key and value the caller writes, the one behind the other.
   * @param keyLength one or more
   * @param valueLength -1 for a removal
   * @returns where in `bytes` the key begins
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
   * Where each operation's key begins in `bytes`, in the order of the keys' first bytes. Operations whose keys begin
   * alike, those on one key among them, stay as they were given.
   */
  inOrder(): Uint32Array {
    this.#refuseUsedUp();
    const count = this.#count;
    const places = new Uint32Array(count);
    // A number has 53 bits: which operation it is, and before that up to four bytes of its key.
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

  /** The first four bytes of a key as a number, in the order of keys. */
  #firstBytes(keyAt: number): number {
    const end = keyAt + Math.min(4, this.keyLength(keyAt));
    let first = 0;
    for (let at = keyAt; at < keyAt + 4; at++) first = first * 256 + (at < end ? this.#bytes[at] : 0);
    return first;
  }

  /** @param keyAt where an operation's key begins */
  keyLength(keyAt: number): number {
    return readU32(this.#bytes, keyAt - HEAD_BYTES);
  }

  /** -1 for a removal. The value begins where the key ends. */
  valueLength(keyAt: number): number {
    return readU32(this.#bytes, keyAt - 4) - 1;
  }

  /** @returns where the operation after the one at `at` begins */
  #endOf(at: number): number {
    return at + HEAD_BYTES + readU32(this.#bytes, at) + Math.max(0, readU32(this.#bytes, at + 4) - 1);
  }

  /** The operations; keys and values are views. */
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

  /** Moves the operations out, for another thread: nothing is left here. */
  takeBuffer(): TakenBatch {
    this.#refuseUsedUp();
    const taken = { buffer: this.#bytes.buffer, size: this.#size, count: this.#count };
    this.#bytes = new Uint8Array(0);
    this.useUp();
    return taken;
  }

  /** What a store has read: overwrites keys and values, of which some are secret. Doing it twice changes nothing. */
  useUp(): void {
    this.#usedUp = true;
    this.#bytes.fill(0);
  }
}

/** Operations that were read are used up, if they are of that kind. */
export function useUp(ops: Batch): void {
  if (ops instanceof WriteBatch) ops.useUp();
}

/** A batch on its way to another thread. The buffer is to be transferred. */
export interface TakenBatch {
  readonly buffer: ArrayBuffer;
  /** Bytes that are used of it. */
  readonly size: number;
  readonly count: number;
}
