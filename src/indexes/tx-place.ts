// Position of a transaction in the block files, as stored in rows of indexes: file, position of the block, offset in
// the block and length, as varints. A position has about ten bytes. With it, one transaction can be read without the
// rest of its block.
import type { BlockReader, HeaderNode } from '../chain/index.js';
import type { BlockView } from '../consensus/block/block-view.js';
import { HEADER_SIZE } from '../consensus/block/header-view.js';
import { compactSizeLength } from '../consensus/bytes/compact-size.js';
import { ByteReader } from '../consensus/bytes/reader.js';
import { ByteWriter } from '../consensus/bytes/writer.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { readVarint, writeVarint } from '../storage/codec/varint.js';

/** The part of the chain that readPlace needs. */
export type PartReader = Pick<BlockReader, 'readBlockPart'>;

/** Yields the transactions of a block with their positions. */
export function* placesIn({ file, blockPos }: HeaderNode, { txs }: BlockView): Generator<{ tx: TxView; place: Uint8Array }> {
  let offset = HEADER_SIZE + compactSizeLength(txs.length);
  for (const tx of txs) {
    const row = new ByteWriter(16);
    for (const part of [file, blockPos, offset, tx.totalSize]) writeVarint(row, part);
    yield { tx, place: row.finish() };
    offset += tx.totalSize;
  }
}

/** Position of a transaction in the block files. */
export interface TxPlace {
  readonly file: number;
  /** Position of the block in the file. */
  readonly pos: number;
  /** Offset of the transaction in the block. */
  readonly offset: number;
  readonly size: number;
}

/** Decodes a position. @throws DecodeError */
export function decodePlace(place: Uint8Array): TxPlace {
  const reader = new ByteReader(place);
  const [file, pos, offset, size] = [readVarint(reader), readVarint(reader), readVarint(reader), readVarint(reader)];
  return { file, pos, offset, size };
}

/**
 * Reads the transaction at a position, and the hash of its block.
 * @throws DecodeError if the position has something else; StoreError
 */
export async function readPlace(chain: PartReader, hashes: Hashes, place: Uint8Array): Promise<{ tx: TxView; blockHash: Uint8Array }> {
  const at = decodePlace(place);
  const [header, bytes] = await Promise.all([chain.readBlockPart(at, 0, HEADER_SIZE), chain.readBlockPart(at, at.offset, at.size)]);
  return { tx: parseTx(bytes, hashes, { exact: true }), blockHash: hashes.sha256d(header) };
}
