// Keeps found blocks: writes each block to a file before the node thread gets it. The file is synced to disk while the block
// is checked and sent to peers. A block whose file is lost by a power cut in these milliseconds is on its way to peers.
import type { FoundBlock, LogLine } from '../messages.js';
import type { ServeLog } from './serve-log.js';
import { syncSolution, writeSolution } from './solution-file.js';

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
