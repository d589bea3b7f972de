// Writes a blocks folder like one of Bitcoin Core: blkNNNNN.dat files with records in any order, optionally with an XOR
// key. Uses no code of src/.
import fs from 'node:fs';
import path from 'node:path';

export interface FolderPlan {
  /** Message start; regtest's by default. */
  readonly magic?: Buffer;
  /** 8 bytes, written as xor.dat. */
  readonly xorKey?: Buffer;
  /** Number of records per file. */
  readonly perFile?: number;
  /** Bytes to write between two records, as damage. */
  readonly junk?: Buffer;
}

const REGTEST_MAGIC = Buffer.from('fabfb5da', 'hex');

/** The regtest genesis block's bytes. */
export const GENESIS_BYTES = Buffer.from(
  '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff7f20020000000101000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000',
  'hex',
);

/** @param blocks in the order of the records; the first one should be genesis, as in every folder of Core */
export function writeBlocksFolder(dir: string, blocks: readonly Buffer[], plan: FolderPlan = {}): void {
  const { magic = REGTEST_MAGIC, xorKey, perFile = blocks.length, junk = Buffer.alloc(0) } = plan;
  fs.mkdirSync(dir, { recursive: true });
  if (xorKey) fs.writeFileSync(path.join(dir, 'xor.dat'), xorKey);
  for (let file = 0; file * perFile < blocks.length; file++) {
    const parts = blocks.slice(file * perFile, (file + 1) * perFile).flatMap((block, i) => {
      const head = Buffer.alloc(8);
      magic.copy(head);
      head.writeUInt32LE(block.length, 4);
      return [i === 0 ? Buffer.alloc(0) : junk, head, block];
    });
    const bytes = Buffer.concat(parts);
    if (xorKey) for (let i = 0; i < bytes.length; i++) bytes[i]! ^= xorKey[i % 8]!;
    fs.writeFileSync(path.join(dir, `blk${String(file).padStart(5, '0')}.dat`), bytes);
  }
}
