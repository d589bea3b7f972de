// Loads the block tree from the database at start.

import { hashToHex } from '../../consensus/bytes/hex.js';
import { readU32 } from '../../consensus/bytes/reader.js';
import { targetOf } from '../../consensus/rules/bits.js';
import type { BlockPosition } from '../../storage/block-records.js';
import { decodeIndexRow, type IndexRow } from '../../storage/codec/index-row.js';
import { hashOfBlockIndexKey, PREFIX, prefixRange } from '../../storage/layout.js';
import type { Store } from '../../storage/store.js';
import { StoreError } from '../../storage/store-error.js';
import type { BlockIndex } from './block-index.js';
import { NodeStatus } from './header-node.js';

/** Number of rows read at a time. */
const ROWS_AT_ONCE = 2_000;

const MISSING_PARENT = 'The block index lacks the parent of one of its blocks';

/** Result of loading the tree. */
export interface LoadedIndex {
  readonly rows: number;
  /** Position of the stored block nearest to the end of the block files; null if no block is stored. */
  readonly lastKnown: BlockPosition | null;
  /** Last undo position by file number. */
  readonly lastKnownUndo: Map<number, number>;
  /** Returns the positions of all stored blocks, the nearest to the end first. */
  storedBackwards(): BlockPosition[];
}

/**
 * Fills the tree with all stored rows. The caller sets the active chain and the candidates later.
 * @param powLimit the network's highest target
 * @throws StoreError STORE_CORRUPTION for rows that cannot have been written
 */
export async function loadIndex(store: Store, index: BlockIndex, powLimit: bigint): Promise<LoadedIndex> {
  const rows = new Rows();
  const proof = new StoredProof(powLimit);
  let lastKnown: BlockPosition | null = null;
  const lastKnownUndo = new Map<number, number>();
  const cursor = store.cursor(prefixRange(PREFIX.blockIndex));
  try {
    for (let some = await cursor.next(ROWS_AT_ONCE); some.length > 0; some = await cursor.next(ROWS_AT_ONCE)) {
      for (const [key, value] of some) {
        const row = decodeIndexRow(value);
        const { file, blockPos, undoPos, status } = row;
        proof.check(row.header, hashOfBlockIndexKey(key));
        rows.add(index.placeHeader(row.header, hashOfBlockIndexKey(key)), row);
        if ((status & NodeStatus.HAVE_DATA) === 0) continue;
        if (lastKnown === null || file > lastKnown.file || (file === lastKnown.file && blockPos > lastKnown.pos))
          lastKnown = { file, pos: blockPos };
        if ((status & NodeStatus.HAVE_UNDO) !== 0) lastKnownUndo.set(file, Math.max(undoPos, lastKnownUndo.get(file) ?? 0));
      }
    }
  } finally {
    await cursor.close();
  }
  // Keys are in hash order, but parents must be added before their children.
  for (const i of rows.byHeight()) rows.insert(i, index);
  return { rows: rows.count, lastKnown, lastKnownUndo, storedBackwards: () => storedBackwards(index) };
}

/**
 * Checks the proof of work of stored hashes, byte by byte. The decoded target is cached, because neighbours usually
 * have the same one. A million rows take 0.1 s.
 */
class StoredProof {
  #bits = -1;
  /** Most significant byte first. */
  #target = new Uint8Array(32);
  readonly #powLimit: bigint;

  constructor(powLimit: bigint) {
    this.#powLimit = powLimit;
  }

  check(header: Uint8Array, hash: Uint8Array): void {
    const bits = readU32(header, 72);
    if (bits !== this.#bits) this.#setTarget(bits);
    for (let i = 0; i < 32; i++) {
      const difference = (hash[31 - i] as number) - (this.#target[i] as number);
      if (difference < 0) return;
      if (difference > 0) throw new StoreError('STORE_CORRUPTION', `The block index holds ${hashToHex(hash)}, which lacks proof of work`);
    }
  }

  #setTarget(bits: number): void {
    const target = targetOf(bits, this.#powLimit);
    if (target === null) throw new StoreError('STORE_CORRUPTION', 'The block index holds a header with a target out of range');
    this.#bits = bits;
    this.#target = new Uint8Array(Buffer.from(target.toString(16).padStart(64, '0'), 'hex'));
  }
}

function storedBackwards(index: BlockIndex): BlockPosition[] {
  const places: BlockPosition[] = [];
  for (const node of index.all()) if (node.hasData) places.push({ file: node.file, pos: node.blockPos });
  return places.sort((a, b) => b.file - a.file || b.pos - a.pos);
}

/** Rows as columns of numbers. With a million row objects, garbage collection would take longer than loading. */
class Rows {
  readonly #entries: number[] = [];
  readonly #heights: number[] = [];
  readonly #statuses: number[] = [];
  readonly #txCounts: number[] = [];
  readonly #files: number[] = [];
  readonly #blockPositions: number[] = [];
  readonly #undoPositions: number[] = [];

  get count(): number {
    return this.#entries.length;
  }

  add(entry: number, row: IndexRow): void {
    this.#entries.push(entry);
    this.#heights.push(row.height);
    this.#statuses.push(row.status);
    this.#txCounts.push(row.txCount);
    this.#files.push(row.file);
    this.#blockPositions.push(row.blockPos);
    this.#undoPositions.push(row.undoPos);
  }

  /** Returns the numbers of the rows, lowest height first. Counting sort, because heights have no gaps. */
  byHeight(): Uint32Array {
    const { count } = this;
    const heights = this.#heights;
    const starts = new Uint32Array(count + 1);
    for (const height of heights) {
      if (height >= count) throw new StoreError('STORE_CORRUPTION', MISSING_PARENT);
      starts[height + 1]++;
    }
    for (let h = 1; h <= count; h++) starts[h] += starts[h - 1] as number;
    const order = new Uint32Array(count);
    for (let i = 0; i < count; i++) order[starts[heights[i] as number]++] = i;
    return order;
  }

  insert(i: number, index: BlockIndex): void {
    const node = index.addLoaded(
      this.#entries[i] as number,
      this.#heights[i] as number,
      this.#statuses[i] as number,
      this.#txCounts[i] as number,
    );
    if (node === null) throw new StoreError('STORE_CORRUPTION', MISSING_PARENT);
    node.file = this.#files[i] as number;
    node.blockPos = this.#blockPositions[i] as number;
    node.undoPos = this.#undoPositions[i] as number;
    if (node.hasData) index.noteFile(node);
  }
}
