// Found blocks of a process of fronts. Each is in a file until a node has answered, so that none is lost when the process
// dies. A block that no node could judge is submitted again after a while, and at the next start.
import fs from 'node:fs';
import path from 'node:path';
import type { Logger } from '../log/logger.js';
import type { FoundBlock, SolutionOutcome } from '../mining/index.js';
import { outcomeOf } from './front-sv2.js';

const RETRY_MS = 30_000;

export interface FrontBlocksDeps {
  /** Name of the miners' protocol, for the log. */
  readonly name: string;
  /** Folder of the files. */
  readonly dir: string;
  readonly log: Logger;
  /** Submits a block to every node. @returns the nodes' reject reason; null if a node accepted the block */
  readonly submit: (block: Uint8Array, user: string) => Promise<string | null>;
  /** Calls `run` once after this many milliseconds. The returned function cancels the call. */
  readonly after: (ms: number, run: () => void) => () => void;
}

export class FrontBlocks {
  readonly outcomes: Record<SolutionOutcome, number> = { accepted: 0, duplicate: 0, lost: 0, invalid: 0, fault: 0 };
  /** Folder for the serving thread; empty if it cannot be written to. */
  readonly dir: string;
  readonly #deps: FrontBlocksDeps;
  readonly #underWay = new Set<string>();
  #cancelRetry: (() => void) | null = null;

  /** Makes the folder. */
  constructor(deps: FrontBlocksDeps) {
    this.#deps = deps;
    let { dir } = deps;
    try {
      fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
    } catch (error) {
      deps.log.warn(`${deps.name}: found blocks are not kept on disk: ${(error as Error).message}`);
      dir = '';
    }
    this.dir = dir;
  }

  /** Submits a found block to every node. Never rejects. */
  async submitBlock({ hashHex, block, file, finder }: Pick<FoundBlock, 'hashHex' | 'block' | 'file' | 'finder'>): Promise<void> {
    const { name, log, submit, after } = this.#deps;
    if (this.#underWay.has(hashHex)) return;
    this.#underWay.add(hashHex);
    log.info(`${name}: block ${hashHex} from ${finder}`);
    const verdict = await submit(block, `${name} ${finder}`).catch((error: Error) => `HTTP: ${error.message}`);
    this.#underWay.delete(hashHex);
    const outcome = outcomeOf(verdict);
    this.outcomes[outcome]++;
    log.info(`${name}: block ${hashHex}: ${verdict ?? 'accepted'}`);
    if (outcome === 'fault' && file !== '') this.#cancelRetry ??= after(RETRY_MS, () => this.resubmit());
    if (outcome === 'fault' || file === '') return;
    try {
      if (outcome === 'accepted' || outcome === 'duplicate') fs.rmSync(file, { force: true });
      else fs.renameSync(file, file.replace(/\.(blk|new)$/, `.${outcome}`));
    } catch (error) {
      log.warn(`${name}: ${file}: ${(error as Error).message}`);
    }
  }

  /** Submits the blocks that are still in files. A node refuses a file that is not a whole block. */
  resubmit(): void {
    this.#cancelRetry = null;
    if (this.dir === '') return;
    for (const entry of fs.readdirSync(this.dir)) {
      const hashHex = /^([0-9a-f]{64})\.(?:blk|new)$/.exec(entry)?.[1];
      if (hashHex === undefined) continue;
      const file = path.join(this.dir, entry);
      const block = new Uint8Array(fs.readFileSync(file));
      void this.submitBlock({ hashHex, block, file, finder: 'of an earlier run' });
    }
  }

  close(): void {
    this.#cancelRetry?.();
  }
}
