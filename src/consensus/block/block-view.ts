// A block as its own bytes, a header view and transaction views over one shared offset table. Hashes appear when asked
// for. Used by chain, mining and RPC; values are built by build-block.ts.

import type { Hashes } from '../../crypto/crypto.js';
import { compactSizeLength } from '../bytes/compact-size.js';
import { ByteReader, DecodeError } from '../bytes/reader.js';
import { OffsetTable } from '../tx/offset-table.js';
import { readTx, type TxView } from '../tx/tx-view.js';
import { HEADER_SIZE, type HeaderView, parseHeader } from './header-view.js';

// Version 4, two empty lists, locktime 4.
const MIN_TX_SIZE = 10;

/** How to read a block. */
export interface ParseBlockOptions {
  /** Where it starts; default 0. */
  offset?: number;
  /** Bytes after the block are an error; by default they are ignored, as Core's RPC does. */
  exact?: boolean;
}

/** Reads a block from bytes that must stay unchanged while the view lives. @throws DecodeError */
export function parseBlock(bytes: Uint8Array, hashes: Hashes, opts: ParseBlockOptions = {}): BlockView {
  const start = opts.offset ?? 0;
  const header = parseHeader(bytes, hashes, start);
  const reader = new ByteReader(bytes, start + HEADER_SIZE);
  const count = reader.compactSize();
  if (count * MIN_TX_SIZE > reader.remaining) throw new DecodeError('more transactions than bytes');
  // About one entry per eight bytes in ordinary blocks; trimmed or grown as needed.
  const table = new OffsetTable((reader.remaining >> 3) + 32);
  const txs: TxView[] = [];
  for (let i = 0; i < count; i++) txs.push(readTx(reader, table, hashes, true));
  if (opts.exact && reader.remaining > 0) throw new DecodeError('bytes after the block');
  table.trim();
  return new BlockView(bytes.subarray(start, reader.offset), header, txs, hashes);
}

/** Both roots of a block. */
export interface BlockRoots {
  readonly txids: MerkleResult;
  /** Zeros for the coinbase. BIP-0141. */
  readonly wtxids: MerkleResult;
}

/** A merkle root, and whether two equal hashes met as a pair on any level (merkle.ts). */
export interface MerkleResult {
  /** 32 bytes; zero for an empty list. */
  root: Uint8Array;
  mutated: boolean;
}

/** A parsed block. */
export class BlockView {
  /** Exactly the block, without what may have followed. */
  readonly bytes: Uint8Array;
  readonly header: HeaderView;
  readonly txs: readonly TxView[];
  /** Size without witness data. */
  readonly strippedSize: number;
  /** The hash functions it was parsed with, for roots and ids. */
  readonly hashes: Hashes;
  /** Whether checkBlock passed in full, so that it need not run again. */
  checked = false;
  /**
   * Whether its merkle root was found to be the header's, and its witness commitment to fit: both cost a hash per
   * transaction.
   */
  merkleChecked = false;
  witnessChecked = false;
  /** Where they were made ahead, of the same bytes as the ids. */
  roots: BlockRoots | null = null;

  /** Has the next checks look at everything again. */
  forgetChecks(): void {
    this.checked = false;
    this.merkleChecked = false;
    this.witnessChecked = false;
    this.roots = null;
    for (const tx of this.txs) tx.facts = null;
  }

  /** Made by parseBlock. */
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
  get hash(): Uint8Array {
    return this.header.hash;
  }

  get totalSize(): number {
    return this.bytes.length;
  }

  /** BIP-0141. */
  get weight(): number {
    return this.strippedSize * 3 + this.totalSize;
  }
}
