// A block as its bytes, a header view, and transaction views over one shared table of offsets. Hashes are computed when
// needed. build-block.ts builds the bytes of blocks.

import type { Hashes } from '../../crypto/crypto.js';
import { compactSizeLength } from '../bytes/compact-size.js';
import { ByteReader, DecodeError } from '../bytes/reader.js';
import type { BlockHash } from '../ids.js';
import { OffsetTable } from '../tx/offset-table.js';
import { readTx, type TxView } from '../tx/tx-view.js';
import { HEADER_SIZE, type HeaderView, parseHeader } from './header-view.js';

// Smallest size of a transaction in bytes: version 4, two empty lists, locktime 4.
const MIN_TX_SIZE = 10;

export interface ParseBlockOptions {
  /** Offset of the block in the bytes; default 0. */
  offset?: number;
  /** Treat trailing bytes as an error. By default they are ignored, as in Core's RPC. */
  exact?: boolean;
}

/**
 * Parses a block. The bytes must not change while the view is in use.
 * @throws DecodeError
 */
export function parseBlock(bytes: Uint8Array, hashes: Hashes, opts: ParseBlockOptions = {}): BlockView {
  const start = opts.offset ?? 0;
  const header = parseHeader(bytes, hashes, start);
  const reader = new ByteReader(bytes, start + HEADER_SIZE);
  const count = reader.compactSize();
  if (count * MIN_TX_SIZE > reader.remaining) throw new DecodeError('more transactions than bytes');
  // Ordinary blocks need about one entry per eight bytes. The table grows, or is trimmed, if that is wrong.
  const table = new OffsetTable((reader.remaining >> 3) + 32);
  const txs: TxView[] = [];
  for (let i = 0; i < count; i++) txs.push(readTx(reader, table, hashes, true));
  if (opts.exact && reader.remaining > 0) throw new DecodeError('bytes after the block');
  table.trim();
  return new BlockView(bytes.subarray(start, reader.offset), header, txs, hashes);
}

/** Merkle roots of a block over txids and wtxids. */
export interface BlockRoots {
  readonly txids: MerkleResult;
  /** Root over the wtxids, with zeros for the coinbase (BIP-0141). */
  readonly wtxids: MerkleResult;
}

/**
 * A merkle root, and whether two equal hashes were paired on any level, which makes another list with the same root
 * possible (merkle.ts).
 */
export interface MerkleResult {
  /** 32 bytes; zero for an empty list. */
  root: Uint8Array;
  mutated: boolean;
}

export class BlockView {
  /** The block's bytes, without trailing bytes. */
  readonly bytes: Uint8Array;
  readonly header: HeaderView;
  readonly txs: readonly TxView[];
  /** Size without witness data. */
  readonly strippedSize: number;
  /** Hash functions for roots and ids. */
  readonly hashes: Hashes;
  /** True if checkBlock passed completely. It is then not repeated. */
  checked = false;
  /**
   * True if the block's merkle root equals the header's, and likewise for the witness commitment. Checking either needs
   * a hash per transaction, so the result is kept.
   */
  merkleChecked = false;
  witnessChecked = false;
  /** Roots that other threads computed together with the ids; null if other threads did not compute them. */
  roots: BlockRoots | null = null;

  /** Forgets passed checks, so that the next checks run completely again. */
  forgetChecks(): void {
    this.checked = false;
    this.merkleChecked = false;
    this.witnessChecked = false;
    this.roots = null;
    for (const tx of this.txs) tx.facts = null;
  }

  /** Only parseBlock creates views. */
  constructor(bytes: Uint8Array, header: HeaderView, txs: readonly TxView[], hashes: Hashes) {
    this.bytes = bytes;
    this.header = header;
    this.txs = txs;
    this.hashes = hashes;
    let size = HEADER_SIZE + compactSizeLength(txs.length);
    for (const tx of txs) size += tx.strippedSize;
    this.strippedSize = size;
  }

  /** The header's hash, internal order. */
  get hash(): BlockHash {
    return this.header.hash;
  }

  get totalSize(): number {
    return this.bytes.length;
  }

  /** Block weight (BIP-0141). */
  get weight(): number {
    return this.strippedSize * 3 + this.totalSize;
  }
}
