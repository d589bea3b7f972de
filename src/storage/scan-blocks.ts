/** A block found in a file. */
export interface ScannedBlock {
  /** Byte offset of the block (raw files) or of its line (hex files). */
  readonly pos: number;
  readonly bytes: Uint8Array;
}
export interface ScanOptions {
  /** Message start of the network, 4 bytes. */
  readonly magic: Uint8Array;
  /** XOR key of the file; by default xor.dat beside it, if there is one. null: none. */
  readonly xorKey?: Uint8Array | null;
  /** Whether a payload is a block; when not, the search goes on one byte behind its magic. */
  readonly parses?: (bytes: Uint8Array) => boolean;
}
/** Blocks of a blk file, bootstrap.dat, or of a text file with one block in hex per line (told by its first bytes). */
export async function* scanBlocks(path: string, options: ScanOptions): AsyncGenerator<ScannedBlock, void, undefined> { throw new Error(`later ${path}${options}`); }
/** Blocks of a text file, one hex block per line. */
export async function* scanHexLines(path: string): AsyncGenerator<ScannedBlock, void, undefined> { throw new Error(`later ${path}`); }
