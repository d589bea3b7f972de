// Keeps found blocks: writes each block to a file before the node thread gets it. The file is synced to disk while the block
// is checked and sent to peers. A block whose file is lost by a power cut in these milliseconds is on its way to peers.
import fs from 'node:fs';
import path from 'node:path';
import { replaceFileSync } from '../../lib/durable-file.js';
import type { FoundBlock, LogLine } from '../messages.js';
import type { ServeLog } from './serve-log.js';

// Writes a found block to disk before anything else is done with it.
//
// The folder holds HASH.blk until the chain has accepted the block and synced its own files. Then the file is removed,
// or kept as HASH.lost or HASH.invalid (solutions.ts). The file needs no end mark: its name is the block's hash, which
// commits to all transactions.

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

/** Number of blocks that are remembered, so that each is posted once. */
const MOST_KEYS = 256;

export interface BlockKeeperDeps {
  /** Name of the protocol, which log lines start with. */
  readonly name: string;
  /** Folder of found blocks; empty: no files. */
  readonly dir: string;
  readonly notes: ServeLog;
  readonly post: (message: FoundBlock | LogLine, transfer?: readonly ArrayBuffer[]) => void;
}

export class BlockKeeper {
  readonly #deps: BlockKeeperDeps;
  readonly #seen = new Set<string>();

  constructor(deps: BlockKeeperDeps) {
    this.#deps = deps;
  }

  /**
   * Checks that a block is new, and remembers it.
   * @param key the block's hash, plus a distinction if different blocks may have the same hash
   */
  isNew(key: string): boolean {
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    if (this.#seen.size > MOST_KEYS) this.#seen.delete(this.#seen.keys().next().value as string);
    return true;
  }

  /** Writes the block and posts it. When this returns, the block outlives the process. Transfers the block's bytes. */
  keepBlock(found: Omit<FoundBlock, 'kind' | 'file'>): void {
    const { name, dir, notes, post } = this.#deps;
    const { hashHex, block } = found;
    let file = '';
    try {
      if (dir !== '') file = writeSolution(dir, hashHex, block);
    } catch (error) {
      // Post the block all the same: the node may accept it.
      notes.log('error', `${name}: block ${hashHex} cannot be written to ${dir}: ${(error as Error).message}`);
    }
    post({ kind: 'solution', ...found, file }, [block.buffer as ArrayBuffer]);
    if (file === '') return;
    syncSolution(file).catch((error: NodeJS.ErrnoException) => {
      // The file is gone if the block was accepted meanwhile.
      if (error.code !== 'ENOENT') notes.log('error', `${name}: block ${hashHex} in ${file} cannot be synced: ${error.message}`);
    });
  }
}
