// Values of the wallet's rows: msgpack arrays without names, so that a million of them stay small. Fields are only ever
// appended.
import { Packr } from 'msgpackr';

const packr = new Packr({ useRecords: false, moreTypes: false, variableMapSize: true });

/** What rows hold. */
export type RowValue = null | undefined | boolean | number | string | Uint8Array | readonly RowValue[];

/** Bytes of a row. */
export function packRow(fields: readonly RowValue[]): Uint8Array {
  return new Uint8Array(packr.pack(fields));
}

/** Fields of a row; byte strings are views into it. */
export function unpackRow(bytes: Uint8Array): RowValue[] {
  return packr.unpack(bytes) as RowValue[];
}

/** A byte string field as a plain array of its own. */
export function bytesOf(value: RowValue): Uint8Array {
  return value instanceof Uint8Array ? new Uint8Array(value) : new Uint8Array(0);
}

/** A path as four bytes per step, and back. */
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
