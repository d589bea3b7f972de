// The row of one block in the index:
//
//   u8 version 1 | 80 bytes header | varint height | varint status | varint transactions | varint file + 1 | [varint blockPos | varint undoPos]
//
// The row has positions only if it has a file number. The block's hash is the key of the row and not repeated.

import { ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import { decodeStored } from './corruption.js';
import { readVarint, writeVarint } from './varint.js';

const ROW_VERSION = 1;
const HEADER_BYTES = 80;
const MAX_INT32 = 0x7fff_ffff;
const MAX_UINT32 = 0xffff_ffff;

/** Data of a block in the index, besides its hash. */
export interface IndexRow {
  /** 80 bytes. */
  readonly header: Uint8Array;
  readonly height: number;
  /** Core's nStatus bits (chain defines them). */
  readonly status: number;
  /** Number of transactions; 0 if only the header is known. */
  readonly txCount: number;
  /** Number of the blk file; -1 if the block is not stored. */
  readonly file: number;
  /** Payload offset in the blk file, 0 for none. */
  readonly blockPos: number;
  /** Payload offset in the rev file of the same number, 0 for none. */
  readonly undoPos: number;
}

export function encodeIndexRow(row: IndexRow): Uint8Array {
  if (row.header.length !== HEADER_BYTES) throw new RangeError('a header has 80 bytes');
  const writer = new ByteWriter(112);
  writer.u8(ROW_VERSION).bytes(row.header);
  writeVarint(writer, row.height);
  writeVarint(writer, row.status);
  writeVarint(writer, row.txCount);
  writeVarint(writer, row.file + 1);
  if (row.file >= 0) {
    writeVarint(writer, row.blockPos);
    writeVarint(writer, row.undoPos);
  }
  return writer.finish();
}

/** Decodes a row; the header is a copy. Throws StoreError STORE_CORRUPTION. */
export function decodeIndexRow(bytes: Uint8Array): IndexRow {
  return decodeStored('block index row', () => {
    const reader = new ByteReader(bytes);
    if (reader.u8() !== ROW_VERSION) throw new DecodeError('unknown version');
    const header = reader.bytes(HEADER_BYTES).slice();
    const height = readVarint(reader, MAX_INT32);
    const status = readVarint(reader, MAX_UINT32);
    const txCount = readVarint(reader, MAX_UINT32);
    const file = readVarint(reader, MAX_INT32) - 1;
    const blockPos = file < 0 ? 0 : readVarint(reader, MAX_UINT32);
    const undoPos = file < 0 ? 0 : readVarint(reader, MAX_UINT32);
    if (reader.remaining !== 0) throw new DecodeError('bytes left over');
    return { header, height, status, txCount, file, blockPos, undoPos };
  });
}
