// -txindex: where every transaction of the chain lies in the block files. A row names file, position of the block, offset and length in it
// as varints, some ten bytes, so that one transaction is read without its block. As in Core, rows of blocks that left the chain stay:
// such a transaction is still found, in its stale block, until it is mined again. Callers: indexes.ts, getrawtransaction, gettxoutproof.

import type { Chain } from '../chain/chain.js';
import type { HeaderNode } from '../chain/header-node.js';
import type { BlockView } from '../consensus/block/block-view.js';
import { HEADER_SIZE } from '../consensus/block/header-view.js';
import { compactSizeLength } from '../consensus/bytes/compact-size.js';
import { equalBytes } from '../consensus/bytes/hex.js';
import { ByteReader, DecodeError } from '../consensus/bytes/reader.js';
import { ByteWriter } from '../consensus/bytes/writer.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { Slicer } from '../lib/slicer.js';
import { readVarint, writeVarint } from '../storage/codec/varint.js';
import { PREFIX, prefixRange, txIndexKey } from '../storage/layout.js';
import type { BatchOp, Store } from '../storage/store.js';
import { StoreError } from '../storage/store-error.js';
import type { IndexKind } from './follower.js';

const EMPTY = new Uint8Array(0);

export class TxIndex implements IndexKind {
  readonly name = 'txindex';
  readonly rows = prefixRange(PREFIX.txIndex);
  readonly needsUndo = false;

  constructor(
    private readonly chain: Pick<Chain, 'readBlockPart'>,
    private readonly store: Store,
    private readonly hashes: Hashes,
  ) {}

  restore(): boolean {
    return true;
  }
  state(): Uint8Array {
    return EMPTY;
  }

  async connect(node: HeaderNode, block: BlockView): Promise<BatchOp[]> {
    // Nobody can spend the first coinbase, and Core leaves it out.
    if (node.height === 0) return [];
    const { file, blockPos } = node;
    const ops: BatchOp[] = [];
    const slicer = new Slicer();
    let offset = HEADER_SIZE + compactSizeLength(block.txs.length);
    for (const tx of block.txs) {
      const row = new ByteWriter(16);
      for (const part of [file, blockPos, offset, tx.totalSize]) writeVarint(row, part);
      ops.push({ type: 'put', key: txIndexKey(tx.txid), value: row.finish() });
      offset += tx.totalSize;
      if (slicer.due) await slicer.pause();
    }
    return ops;
  }

  /** A transaction and the hash of the block it was last mined in. @param txid internal order @throws StoreError */
  async find(txid: Uint8Array): Promise<{ tx: TxView; blockHash: Uint8Array } | undefined> {
    const row = await this.store.get(txIndexKey(txid));
    if (row === undefined) return undefined;
    try {
      const reader = new ByteReader(row);
      const at = { file: readVarint(reader), pos: readVarint(reader) };
      const offset = readVarint(reader);
      const length = readVarint(reader);
      const [header, bytes] = await Promise.all([
        this.chain.readBlockPart(at, 0, HEADER_SIZE),
        this.chain.readBlockPart(at, offset, length),
      ]);
      const tx = parseTx(bytes, this.hashes, { exact: true });
      if (!equalBytes(tx.txid, txid)) throw new DecodeError('another transaction');
      return { tx, blockHash: this.hashes.sha256d(header) };
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw new StoreError('STORE_CORRUPTION', `The transaction index leads to the wrong place: ${error.message}`, error);
    }
  }
}
