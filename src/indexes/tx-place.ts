// Position of a transaction in the block files, as rows of indexes have it: file, position of the block, offset in the
// block and length, as varints. It has about ten bytes, and allows reading one transaction without its block.
import type { Chain } from '../chain/chain.js';
import type { HeaderNode } from '../chain/tree/header-node.js';
import type { BlockView } from '../consensus/block/block-view.js';
import { HEADER_SIZE } from '../consensus/block/header-view.js';
import { compactSizeLength } from '../consensus/bytes/compact-size.js';
import { ByteReader } from '../consensus/bytes/reader.js';
import { ByteWriter } from '../consensus/bytes/writer.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { readVarint, writeVarint } from '../storage/codec/varint.js';

/** Part of the chain that reads need. */
export type PartReader = Pick<Chain, 'readBlockPart'>;

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

/**
 * Reads a transaction, and the hash of its block.
 * @throws DecodeError if something else is at the position; StoreError
 */
export async function readPlace(chain: PartReader, hashes: Hashes, place: Uint8Array): Promise<{ tx: TxView; blockHash: Uint8Array }> {
  const reader = new ByteReader(place);
  const at = { file: readVarint(reader), pos: readVarint(reader) };
  const offset = readVarint(reader);
  const length = readVarint(reader);
  const [header, bytes] = await Promise.all([chain.readBlockPart(at, 0, HEADER_SIZE), chain.readBlockPart(at, offset, length)]);
  return { tx: parseTx(bytes, hashes, { exact: true }), blockHash: hashes.sha256d(header) };
}
