/** What the index keeps of a block besides its hash. */
export interface IndexRow {
  /** 80 bytes. */
  readonly header: Uint8Array;
  readonly height: number;
  /** Core's nStatus bits (chain defines them). */
  readonly status: number;
  readonly txCount: number;
  /** -1: the block's bytes are not stored. */
  readonly file: number;
  /** Payload offset in the blk file, 0 for none. */
  readonly blockPos: number;
  /** Payload offset in the rev file of the same number, 0 for none. */
  readonly undoPos: number;
}
export function encodeIndexRow(row: IndexRow): Uint8Array { throw new Error(`later ${row}`); }
/** Throws StoreError STORE_CORRUPTION. */
export function decodeIndexRow(bytes: Uint8Array): IndexRow { throw new Error(`later ${bytes}`); }
