// -txindex: position of every transaction in the block files (tx-place.ts). As in Core, rows of disconnected blocks
// stay, so a query finds such a transaction in its stale block until another block contains it.

import type { HeaderNode } from '../chain/index.js';
import type { BlockView } from '../consensus/block/block-view.js';
import { HEADER_SIZE } from '../consensus/block/header-view.js';
import { equalBytes } from '../consensus/bytes/hex.js';
import { DecodeError } from '../consensus/bytes/reader.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { TimeSlice } from '../lib/time-slice.js';
import { PREFIX, prefixRange, txIndexKey } from '../storage/layout.js';
import type { BatchOp, Store } from '../storage/store.js';
import { StoreError } from '../storage/store-error.js';
import type { IndexKind } from './follower.js';
import { decodePlace, type PartReader, placesIn, readPlace, type TxPlace } from './tx-place.js';

const EMPTY = new Uint8Array(0);

/** Number of cached hashes of blocks. */
const CACHED_HASHES = 16_384;
/** More than the bytes of a block file. */
const FILE_SPAN = 2 ** 32;

export class TxIndex implements IndexKind {
  readonly name = 'txindex';
  readonly rows = prefixRange(PREFIX.txIndex);
  readonly needsUndo = false;
  readonly #chain: PartReader;
  readonly #store: Store;
  readonly #hashes: Hashes;
  /** Hashes of blocks by position. */
  readonly #blockHashes = new Map<number, Uint8Array>();

  constructor(chain: PartReader, store: Store, hashes: Hashes) {
    this.#chain = chain;
    this.#store = store;
    this.#hashes = hashes;
  }

  restore(): boolean {
    return true;
  }
  state(): Uint8Array {
    return EMPTY;
  }

  async connect(node: HeaderNode, block: BlockView): Promise<BatchOp[]> {
    // Omit the genesis coinbase, as Core does, because it cannot be spent.
    if (node.height === 0) return [];
    const ops: BatchOp[] = [];
    const slice = new TimeSlice();
    for (const { tx, place } of placesIn(node, block)) {
      ops.push({ type: 'put', key: txIndexKey(tx.txid), value: place });
      if (slice.over) await slice.next();
    }
    return ops;
  }

  /**
   * Returns a transaction and the hash of the block that contains it; undefined if the index does not have it. If
   * several blocks contained the transaction, the last one counts.
   * @param txid internal order
   * @throws StoreError
   */
  async find(txid: Uint8Array): Promise<{ tx: TxView; blockHash: Uint8Array } | undefined> {
    const row = await this.#store.get(txIndexKey(txid));
    if (row === undefined) return undefined;
    try {
      const found = await readPlace(this.#chain, this.#hashes, row);
      if (!equalBytes(found.tx.txid, txid)) throw new DecodeError('another transaction');
      return found;
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw new StoreError(
        'STORE_CORRUPTION',
        `The transaction index refers to a wrong position in the block files: ${error.message}`,
        error,
      );
    }
  }

  /**
   * Returns the position of a transaction; undefined if the index does not have it. If several blocks contained the
   * transaction, the last one counts.
   * @param txid internal order
   * @throws StoreError
   */
  async locate(txid: Uint8Array): Promise<TxPlace | undefined> {
    const row = await this.#store.get(txIndexKey(txid));
    return row && decodePlace(row);
  }

  /** Returns the hash of the block at a position. @throws StoreError */
  async blockHashAt(place: Pick<TxPlace, 'file' | 'pos'>): Promise<Uint8Array> {
    const key = place.file * FILE_SPAN + place.pos;
    let hash = this.#blockHashes.get(key);
    if (hash === undefined) {
      hash = this.#hashes.sha256d(await this.#chain.readBlockPart(place, 0, HEADER_SIZE));
      if (this.#blockHashes.size >= CACHED_HASHES) this.#blockHashes.clear();
      this.#blockHashes.set(key, hash);
    }
    return hash;
  }
}
