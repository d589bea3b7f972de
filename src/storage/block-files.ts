import type { Hashes } from '../crypto/crypto.js';

/** Where a record's payload starts: file number and byte offset behind the 8-byte head, as in Core's index. */
export interface BlockPosition {
  readonly file: number;
  readonly pos: number;
}

export interface BlockFilesOptions {
  /** Folder of blkNNNNN.dat and revNNNNN.dat; created when missing. */
  readonly dir: string;
  /** Message start of the network, 4 bytes. */
  readonly magic: Uint8Array;
  /** Size at which a new file starts (128 MiB). */
  readonly maxFileBytes?: number;
  /** Create an XOR key (xor.dat) when the folder is new. An existing key is always honoured. */
  readonly createXorKey?: boolean;
  /** The highest block position the index knows, null for none. Opening fails when that block is not whole. */
  readonly lastKnown: BlockPosition | null;
}

export class BlockFiles {
  static async open(options: BlockFilesOptions, deps: { hashes: Hashes }): Promise<BlockFiles> { throw new Error(`later ${options.dir} ${deps}`); }
  /** Appends one block; resolves once the kernel has it. Order of positions = order of calls. */
  appendBlock(block: Uint8Array): Promise<BlockPosition> { throw new Error(`later ${block}`); }
  /** The block's bytes, a fresh array. STORE_CORRUPTION / STORE_NOT_FOUND when it isn't there. */
  readBlock(at: BlockPosition): Promise<Uint8Array> { throw new Error(`later ${at}`); }
  /** Appends undo data to revNNNNN.dat of the block's file. @returns position of the payload. @param prevHash hash of the block's parent */
  appendUndo(file: number, undo: Uint8Array, prevHash: Uint8Array): Promise<number> { throw new Error(`later ${file}${undo}${prevHash}`); }
  /** Undo payload, checksum verified. */
  readUndo(at: BlockPosition, prevHash: Uint8Array): Promise<Uint8Array> { throw new Error(`later ${at}${prevHash}`); }
  /** fsync of everything written since the last sync. */
  sync(): Promise<void> { throw new Error('later'); }
  /** Bytes in blk and rev files. */
  get sizeOnDisk(): number { throw new Error('later'); }
  /** Numbers of the blk files present, ascending, and their paths (for reindex with scanBlocks). */
  files(): { file: number; path: string }[] { throw new Error('later'); }
  close(): Promise<void> { throw new Error('later'); }
}
