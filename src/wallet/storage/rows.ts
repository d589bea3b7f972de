// Encodes values of the wallet's rows: msgpack arrays without field names, so that a million of them stay small. New
// fields are only ever appended.
import { Packr } from 'msgpackr';

const packr = new Packr({ useRecords: false, moreTypes: false, variableMapSize: true });

/** Types of values that a field of a row can have. */
export type RowValue = null | undefined | boolean | number | string | Uint8Array | readonly RowValue[];

/** Encodes the fields of a row in their order. unpackRow reads them. */
export function packRow(fields: readonly RowValue[]): Uint8Array {
  return new Uint8Array(packr.pack(fields));
}

/** Decodes a row. Byte strings in the result are views into the row. */
export function unpackRow(bytes: Uint8Array): RowValue[] {
  return packr.unpack(bytes) as RowValue[];
}

/** Copies a byte string field to a plain array. */
export function bytesOf(value: RowValue): Uint8Array {
  return value instanceof Uint8Array ? new Uint8Array(value) : new Uint8Array(0);
}

/** Encodes a path with four bytes per step; unpackPath decodes it. */
export function packPath(path: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(path.length * 4);
  const view = new DataView(bytes.buffer);
  path.forEach((step, i) => {
    view.setUint32(i * 4, step);
  });
  return bytes;
}
export function unpackPath(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const path: number[] = [];
  for (let at = 0; at + 4 <= bytes.length; at += 4) path.push(view.getUint32(at));
  return path;
}
