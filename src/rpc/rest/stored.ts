// Place of a block in the block files, as the node thread sends it to a front: file number and position, 32 bits each,
// little-endian.
import { ByteReader } from '../../consensus/bytes/reader.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';

/** Number of a block file, and position of the block's first byte in it. */
export interface StoredPlace {
  readonly file: number;
  readonly pos: number;
}

export const encodePlace = ({ file, pos }: StoredPlace): Uint8Array => new ByteWriter(8).u32(file).u32(pos).finish();

/** Decodes the bytes of encodePlace(). @throws DecodeError */
export function decodePlace(bytes: Uint8Array): StoredPlace {
  const reader = new ByteReader(bytes);
  return { file: reader.u32(), pos: reader.u32() };
}
