// Reads the header tree from the store when the node starts. Callers: Chain.open.

import { readU32 } from '../consensus/bytes/reader.js';
import { blockProof } from '../consensus/rules/bits.js';
import type { BlockPosition } from '../storage/block-files.js';
import { decodeIndexRow, type IndexRow } from '../storage/codec/index-row.js';
import { hashOfBlockIndexKey, PREFIX, prefixRange } from '../storage/layout.js';
import type { Store } from '../storage/store.js';
import { StoreError } from '../storage/store-error.js';
import type { BlockIndex } from './block-index.js';
import { NodeStatus } from './header-node.js';

/** Rows asked of the store at a time. */
const ROWS_AT_ONCE = 2_000;

/** What was found. */
export interface LoadedIndex {
  readonly rows: number;
  /** The stored block nearest to the end of the block files, null when none is stored. */
  readonly lastKnown: BlockPosition | null;
  /** Per file, the last undo position. */
  readonly lastKnownUndo: ReadonlyMap<number, number>;
}

/** Fills the tree with every stored row; the active chain and candidates are not decided here. */
export async function loadIndex(store: Store, index: BlockIndex): Promise<LoadedIndex> {
  const rows: { hash: Uint8Array; row: IndexRow }[] = [];
  let lastKnown: BlockPosition | null = null;
  const lastKnownUndo = new Map<number, number>();
  const cursor = store.cursor(prefixRange(PREFIX.blockIndex));
  try {
    for (let some = await cursor.next(ROWS_AT_ONCE); some.length > 0; some = await cursor.next(ROWS_AT_ONCE)) {
      for (const [key, value] of some) {
        const row = decodeIndexRow(value);
        rows.push({ hash: hashOfBlockIndexKey(key), row });
        if ((row.status & NodeStatus.HAVE_DATA) === 0) continue;
        const further = lastKnown === null || row.file > lastKnown.file || (row.file === lastKnown.file && row.blockPos > lastKnown.pos);
        if (further) lastKnown = { file: row.file, pos: row.blockPos };
        if ((row.status & NodeStatus.HAVE_UNDO) !== 0) lastKnownUndo.set(row.file, Math.max(row.undoPos, lastKnownUndo.get(row.file) ?? 0));
      }
    }
  } finally {
    await cursor.close();
  }
  // Keys come in order of hashes; parents have to be there before their children.
  rows.sort((a, b) => a.row.height - b.row.height);
  for (const { hash, row } of rows) insert(index, hash, row);
  return { rows: rows.length, lastKnown, lastKnownUndo };
}

function insert(index: BlockIndex, hash: Uint8Array, row: IndexRow): void {
  const prev = row.height === 0 ? null : (index.get(row.header.subarray(4, 36)) ?? null);
  if (prev === null ? row.height !== 0 : prev.height + 1 !== row.height) {
    throw new StoreError('STORE_CORRUPTION', 'The block index lacks the parent of one of its blocks');
  }
  const node = index.addLoaded(row.header, hash, prev, blockProof(readU32(row.header, 72)), row.status, row.txCount);
  node.file = row.file;
  node.blockPos = row.blockPos;
  node.undoPos = row.undoPos;
}
