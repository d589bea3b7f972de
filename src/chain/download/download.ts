// Connects the blocks of the initial block download: passes them to the download engine, or connects stored blocks in time
// slices while other changes of the chain run in between.

import type { ChainWorkspace } from '../connect/workspace.js';
import type { ChainParts } from '../parts.js';
import type { HeaderNode } from '../tree/header-node.js';
import type { EngineProgress } from './download-engine.js';

/** Time slice for connecting in milliseconds. It ends earlier if another change waits for the chain. */
const SLICE_MS = 50;

/** A block whose bytes the download engine has taken. */
export interface TakenBlock {
  /** Resolves with whether the block was connected and stored; false: the caller must submit it. */
  readonly stored: Promise<boolean>;
  /** Resolves when the next block may be sent; undefined if it may be sent now. */
  readonly next: Promise<void> | undefined;
}

export class Download {
  #connecting = false;
  readonly #ws: ChainWorkspace;
  readonly #parts: ChainParts;

  constructor(ws: ChainWorkspace, parts: ChainParts) {
    this.#ws = ws;
    this.#parts = parts;
  }

  /** Figures of the download engine; null while it is not running. */
  get engine(): EngineProgress | null {
    return this.#parts.engine.progress;
  }

  /**
   * Passes the bytes of a requested block to the download engine.
   * @returns null if the block must be submitted instead
   */
  takeBytes(node: HeaderNode, bytes: Uint8Array, sender: object): TakenBlock | null {
    return this.#parts.engine.takeBytes(node, bytes, sender);
  }

  /** Lets the engine connect stored blocks, or starts to connect them in time slices, unless that is running already. */
  resumeConnecting(): void {
    const { changes, engine, importer } = this.#parts;
    void engine.consider();
    engine.wake();
    if (engine.running || this.#connecting || this.#ws.stopping() || importer.storedAhead === 0) return;
    this.#connecting = true;
    this.#connectInSlices()
      .catch((error: unknown) => changes.reportFailure(error))
      .finally(() => {
        this.#connecting = false;
      });
  }

  async #connectInSlices(): Promise<void> {
    const ws = this.#ws;
    const { activator, changes, engine, importer } = this.#parts;
    while (!engine.running && importer.storedAhead > 0 && !ws.stopping()) {
      await changes.changeWhole(async () => {
        const begin = ws.clock.monotonicMs();
        let blocks = 0;
        // Connect at least one block per slice, so that other changes cannot stop the progress.
        await activator.activate(null, () => blocks++ > 0 && (changes.crowded || ws.clock.monotonicMs() - begin >= SLICE_MS));
      });
    }
  }
}
