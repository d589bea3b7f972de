// Data types of Stratum V2 messages (specification, 3.1 "Data Types Mapping"). Integers are little-endian and read by
// ByteReader. This file has the types that Bitcoin's own format lacks:
//
//   U24                                   3 bytes
//   STR0_255, B0_255                      one length byte (253 to 255 are plain lengths), then the bytes
//   B0_64K                                two length bytes, then the bytes
//   B0_16M                                three length bytes, then the bytes
//   SEQ0_255[U256], SEQ0_64K[U16]         one or two bytes of count, then the items
import { type ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import type { ByteWriter } from '../../consensus/bytes/writer.js';

export const readU24 = (reader: ByteReader): number => reader.u16() | (reader.u8() << 16);

export const writeU24 = (writer: ByteWriter, value: number): ByteWriter => writer.u16(value).u8(value >>> 16);

/** Reads STR0_255. Each byte becomes one character, printable or not. */
export function readString(reader: ByteReader): string {
  let text = '';
  for (const byte of reader.bytes(reader.u8())) text += String.fromCharCode(byte);
  return text;
}

/** @param text at most 255 characters below 256 */
export function writeString(writer: ByteWriter, text: string): ByteWriter {
  return writeShort(
    writer,
    Uint8Array.from(text, (char) => char.charCodeAt(0)),
  );
}

/** Writes B0_255. @throws RangeError for more than 255 bytes, a bug of the caller */
export function writeShort(writer: ByteWriter, bytes: Uint8Array): ByteWriter {
  if (bytes.length > 0xff) throw new RangeError(`B0_255 of ${bytes.length} bytes`);
  return writer.u8(bytes.length).bytes(bytes);
}

/** Reads B0_64K; the result is a view. */
export const readLong = (reader: ByteReader): Uint8Array => reader.bytes(reader.u16());

/** Writes B0_64K. @throws RangeError for more than 65,535 bytes */
export function writeLong(writer: ByteWriter, bytes: Uint8Array): ByteWriter {
  if (bytes.length > 0xffff) throw new RangeError(`B0_64K of ${bytes.length} bytes`);
  return writer.u16(bytes.length).bytes(bytes);
}

/** Reads SEQ0_64K[U16]. */
export function readNumbers(reader: ByteReader): number[] {
  const count = reader.u16();
  if (count * 2 > reader.remaining) throw new DecodeError('a list is longer than its message');
  return Array.from({ length: count }, () => reader.u16());
}

/** Writes SEQ0_64K[U16]. @param numbers at most 65,535 */
export function writeNumbers(writer: ByteWriter, numbers: readonly number[]): ByteWriter {
  writer.u16(numbers.length);
  for (const number of numbers) writer.u16(number);
  return writer;
}

/** Returns `value` if the payload was read to its end. @throws DecodeError */
export function readAll<T>(reader: ByteReader, value: T): T {
  if (reader.remaining > 0) throw new DecodeError(`${reader.remaining} bytes behind the last field`);
  return value;
}
