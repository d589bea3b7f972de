// -blockfilterindex=basic: the filter of every block and the chain of filter headers. Rows are keyed by block hash, so
// a reorganisation changes no row. Row: filter hash, 32 | filter header, 32 | filter (BIP-0157, BIP-0158). The first 64
// bytes are also in a short row, so that a request for two thousand headers does not read two thousand filters. Older
// indexes have only the long rows.

import type { HeaderNode } from '../chain/index.js';
import type { BlockView } from '../consensus/block/block-view.js';
import { equalBytes } from '../consensus/bytes/hex.js';
import type { Coin } from '../consensus/coin.js';
import type { Hashes } from '../crypto/crypto.js';
import { BASIC_FILTER, BasicFilterBuilder, filterHash, filterHeader } from '../filters/index.js';
import { TimeSlice } from '../lib/time-slice.js';
import { filterIndexKey, PREFIX, prefixRange } from '../storage/layout.js';
import type { BatchOp, Store } from '../storage/store.js';
import type { IndexKind } from './follower.js';

const HASH_BYTES = 32;
const ROW_HEAD_BYTES = 2 * HASH_BYTES;
/**
 * Filter type in the keys of short rows. They repeat hash and header of a filter without the filter itself, so that
 * heads() need not read the long rows.
 */
const BASIC_HEAD = BASIC_FILTER | 0x80;
/** Short rows that one read of the database returns. Two thousand would take the thread 8 ms. */
const HEADS_AT_ONCE = 200;

export interface BlockFilter {
  /** Filter in the encoding of BIP-0158. */
  readonly filter: Uint8Array;
  /** Filter header, internal order. */
  readonly header: Uint8Array;
}

/** Hash and header of a filter (BIP-0157). */
export interface FilterHead {
  /** Hash of the filter, internal order. */
  readonly hash: Uint8Array;
  /** Filter header, internal order. */
  readonly header: Uint8Array;
}

export class FilterIndex implements IndexKind {
  readonly name = 'basic block filter index';
  readonly rows = prefixRange(PREFIX.filterIndex);
  readonly needsUndo = true;
  /** Filter header of the last connected block. The next filter header is computed from it. */
  #last: { readonly hash: Uint8Array; readonly header: Uint8Array } | null = null;
  readonly #store: Store;
  readonly #hashes: Hashes;

  constructor(store: Store, hashes: Hashes) {
    this.#store = store;
    this.#hashes = hashes;
  }

  restore(state: Uint8Array | null): boolean {
    this.#last = null;
    return state === null || state.length === 0;
  }
  state(): Uint8Array {
    return new Uint8Array(0);
  }

  async connect(node: HeaderNode, block: BlockView, spent: readonly (readonly Coin[])[]): Promise<BatchOp[]> {
    const before = await this.#headerBefore(node);
    const builder = new BasicFilterBuilder(node.hash);
    const slice = new TimeSlice();
    for (const tx of block.txs) {
      for (let o = 0; o < tx.outputCount; o++) {
        builder.output(tx.outputScript(o));
        if (slice.over) await slice.next();
      }
    }
    for (const coins of spent) {
      for (const coin of coins) {
        builder.spent(coin.script);
        if (slice.over) await slice.next();
      }
    }
    const filter = builder.finish();
    const hash = filterHash(filter, this.#hashes);
    const header = filterHeader(hash, before, this.#hashes);
    const value = new Uint8Array(ROW_HEAD_BYTES + filter.length);
    value.set(hash);
    value.set(header, HASH_BYTES);
    value.set(filter, ROW_HEAD_BYTES);
    this.#last = { hash: node.hash, header };
    return [
      { type: 'put', key: filterIndexKey(BASIC_FILTER, node.hash), value },
      { type: 'put', key: filterIndexKey(BASIC_HEAD, node.hash), value: value.slice(0, ROW_HEAD_BYTES) },
    ];
  }

  async #headerBefore(node: HeaderNode): Promise<Uint8Array> {
    const { prev } = node;
    if (prev === null) return new Uint8Array(HASH_BYTES);
    if (this.#last !== null && equalBytes(this.#last.hash, prev.hash)) return this.#last.header;
    // After a start or a reorganisation the header is in the row of the previous block. That row was written before.
    const row = await this.find(prev.hash);
    if (row === undefined) throw new Error(`The filter of block ${prev.hashHex} is missing`);
    return row.header;
  }

  /**
   * Returns the filter of a block.
   * @param blockHash internal order
   */
  async find(blockHash: Uint8Array): Promise<BlockFilter | undefined> {
    return (await this.findAll([blockHash]))[0];
  }

  /** Returns the filters of blocks, read at once; undefined for blocks without a filter. @param blockHashes internal order */
  async findAll(blockHashes: readonly Uint8Array[]): Promise<(BlockFilter | undefined)[]> {
    const rows = await this.#store.getMany(blockHashes.map((hash) => filterIndexKey(BASIC_FILTER, hash)));
    return rows.map((row) =>
      row === undefined || row.length < ROW_HEAD_BYTES
        ? undefined
        : { header: row.subarray(HASH_BYTES, ROW_HEAD_BYTES), filter: row.subarray(ROW_HEAD_BYTES) },
    );
  }

  /**
   * Returns filter hashes and headers of blocks; undefined for blocks without a filter.
   * @param blockHashes internal order
   */
  async heads(blockHashes: readonly Uint8Array[]): Promise<(FilterHead | undefined)[]> {
    const keys = blockHashes.map((hash) => filterIndexKey(BASIC_HEAD, hash));
    const rows: (Uint8Array | undefined)[] = [];
    for (let from = 0; from < keys.length; from += HEADS_AT_ONCE) {
      for (const row of await this.#store.getMany(keys.slice(from, from + HEADS_AT_ONCE))) rows.push(row);
    }
    // For older indexes read the long rows, one at a time, because a filter may have tens of kilobytes.
    for (const [i, row] of rows.entries())
      rows[i] = row ?? (await this.#store.get(filterIndexKey(BASIC_FILTER, blockHashes[i] as Uint8Array)));
    return rows.map((row) =>
      row === undefined || row.length < ROW_HEAD_BYTES
        ? undefined
        : { hash: row.slice(0, HASH_BYTES), header: row.slice(HASH_BYTES, ROW_HEAD_BYTES) },
    );
  }
}
