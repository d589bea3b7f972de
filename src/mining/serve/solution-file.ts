// Writes a found block to disk before anything else is done with it.
//
// The folder holds HASH.blk until the chain has accepted the block and synced its own files. Then the file is removed,
// or kept as HASH.lost or HASH.invalid (solutions.ts). The file needs no end mark: its name is the block's hash, which
// commits to all transactions.
import fs from 'node:fs';
import path from 'node:path';
import { replaceFileSync } from '../../lib/durable-file.js';

/**
 * Writes the block to a file. When this returns, the kernel has the block, so the block survives the process.
 * @returns the path of the file
 * @throws the system's error
 */
export function writeSolution(dir: string, hashHex: string, block: Uint8Array): string {
  const file = path.join(dir, `${hashHex}.blk`);
  try {
    fs.writeFileSync(file, block, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // The existing file is of an earlier run and may be incomplete.
    replaceFileSync(file, block);
  }
  return file;
}

/**
 * Syncs a file and its name to the disk, so that they survive a power cut. The sync takes milliseconds or longer, so the
 * caller does not wait for it.
 */
export async function syncSolution(file: string): Promise<void> {
  for (const name of [file, path.dirname(file)]) {
    const handle = await fs.promises.open(name, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
