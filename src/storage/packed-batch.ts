// A batch as one buffer, the form in which it goes to the thread that writes: copied once, and transferred.
//
//   count words   length of each operation's key, LE32
//   count words   length of its value and 1, LE32; 0 removes the key
//   bytes         keys and values in the order of the operations, key first

import type { BatchOp } from './store.js';

const WORD_BYTES = 4;

/** The operations' bytes, copied. @returns a buffer of its own, which may be transferred */
export function packBatch(ops: readonly BatchOp[]): ArrayBuffer {
  const count = ops.length;
  let size = 2 * count * WORD_BYTES;
  for (const op of ops) size += op.type === 'put' ? op.key.length + op.value.length : op.key.length;
  const buffer = new ArrayBuffer(size);
  const words = new Uint32Array(buffer, 0, 2 * count);
  const bytes = new Uint8Array(buffer);
  let at = words.byteLength;
  for (let i = 0; i < count; i++) {
    const op = ops[i];
    bytes.set(op.key, at);
    at += op.key.length;
    words[i] = op.key.length;
    if (op.type === 'del') continue;
    bytes.set(op.value, at);
    at += op.value.length;
    words[count + i] = op.value.length + 1;
  }
  return buffer;
}

/** The operations again; keys and values are views of the buffer. @param count how many were packed */
export function unpackBatch(buffer: ArrayBuffer, count: number): BatchOp[] {
  const words = new Uint32Array(buffer, 0, 2 * count);
  const bytes = new Uint8Array(buffer);
  const ops: BatchOp[] = [];
  let at = words.byteLength;
  for (let i = 0; i < count; i++) {
    const key = bytes.subarray(at, (at += words[i]));
    const valued = words[count + i];
    if (valued === 0) ops.push({ type: 'del', key });
    else ops.push({ type: 'put', key, value: bytes.subarray(at, (at += valued - 1)) });
  }
  return ops;
}
