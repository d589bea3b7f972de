// Adds the witness reserved value of BIP-0141 (32 zero bytes) to blocks whose coinbase has a commitment but no witness
// (Core's UpdateUncommittedBlockStructures).

import { type BlockView, parseBlock } from '../../consensus/block/block-view.js';
import { witnessCommitmentIndex } from '../../consensus/block/merkle.js';
import { compactSizeLength } from '../../consensus/bytes/compact-size.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';

const HEADER_BYTES = 80;

/**
 * Returns a copy of the block with the reserved value, or the block itself if it needs none. Call this only for blocks
 * to which segwit applies.
 */
export function withReservedValue(block: BlockView): BlockView {
  const coinbase = block.txs[0];
  if (coinbase === undefined || coinbase.inputCount === 0 || coinbase.hasWitness || witnessCommitmentIndex(coinbase) < 0) return block;
  const bytes = coinbase.bytes;
  const head = HEADER_BYTES + compactSizeLength(block.txs.length);
  const out = new ByteWriter(block.totalSize + 36);
  out.bytes(block.bytes.subarray(0, head));
  out
    .bytes(bytes.subarray(0, 4))
    .u8(0)
    .u8(1)
    .bytes(bytes.subarray(4, bytes.length - 4));
  // One item of 32 zeros for the first input, none for others. A valid coinbase has no others.
  out.u8(1).u8(32).bytes(new Uint8Array(32));
  for (let i = 1; i < coinbase.inputCount; i++) out.u8(0);
  out.bytes(bytes.subarray(bytes.length - 4));
  out.bytes(block.bytes.subarray(head + bytes.length));
  return parseBlock(out.finish(), block.hashes);
}
