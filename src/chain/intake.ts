// Blocks of the initial download: stored as they come, whatever runs meanwhile, and connected in turns of their own, so
// that one block's scripts, the next one's coins and a third one's bytes are under way at the same time.

import type { BlockView } from '../consensus/block/block-view.js';
import { checkBlock } from '../consensus/rules/check-block.js';
import { contextualCheckBlock } from '../consensus/rules/contextual-check-block.js';
import { yieldToLoop } from '../lib/time-slice.js';
import type { BlockPosition } from '../storage/block-records.js';
import { identify, isLarge } from './connect/large-block.js';
import type { ChainWorkspace } from './connect/workspace.js';
import { type HeaderNode, NodeStatus } from './tree/header-node.js';

/** Blocks and bytes that may wait for their turn before callers with more blocks have to wait as well. */
const MAX_WAITING_BLOCKS = 512;
const MAX_WAITING_BYTES = 24 << 20;
/** Milliseconds of one turn, when no other change waits for the chain. */
const SLICE_MS = 50;

export interface IntakeDeps {
  /** Runs a change of the chain in its turn. */
  change(job: () => Promise<void>): Promise<void>;
  /** Connects stored blocks until told that it is enough; asked before each block. */
  activate(enough: () => boolean): Promise<void>;
  /** Other changes wait. */
  crowded(): boolean;
  /** Writes rows of the tree once there are many: no caller was told yet that these blocks are stored. */
  writeSomeRows(): Promise<void>;
  /** Stored blocks that wait to be put on top of the tip. */
  storedAhead(): number;
  failed(error: unknown): void;
}

export class Intake {
  /** On their way to the files. */
  readonly #storing = new Set<HeaderNode>();
  #storingBytes = 0;
  /** Checked, and written with the next turn of the event loop. */
  #batch: { readonly block: BlockView; readonly node: HeaderNode; isNew: boolean }[] = [];
  #stored: Promise<void> = Promise.resolve();
  #connecting = false;
  /** Told after each turn. */
  #waiters: (() => void)[] = [];
  readonly #ws: ChainWorkspace;
  readonly #deps: IntakeDeps;

  constructor(ws: ChainWorkspace, deps: IntakeDeps) {
    this.#ws = ws;
    this.#deps = deps;
  }

  /** Whether a block is on its way to the files. */
  isStoring(node: HeaderNode): boolean {
    return this.#storing.has(node);
  }

  /**
   * Checks and stores a block; it is connected when its turn comes.
   * @returns whether it was new, once its bytes are with the kernel; null when it breaks a rule
   */
  async storeBlock(block: BlockView, node: HeaderNode): Promise<boolean | null> {
    const ws = this.#ws;
    this.#storing.add(node);
    this.#storingBytes += block.totalSize;
    try {
      if (isLarge(block)) await identify(block, ws.blockHasher);
      if (checkBlock(block, ws.params, ws.crypto) !== null) return null;
      if (isLarge(block)) await yieldToLoop();
      if (contextualCheckBlock(block, node.prev, ws.params, ws.versionBits) !== null) return null;
      // What comes in the same turn of the event loop is written in one go.
      if (this.#batch.length === 0) this.#stored = yieldToLoop().then(() => this.#store());
      const entry = { block, node, isNew: false };
      this.#batch.push(entry);
      await this.#stored;
      return entry.isNew;
    } finally {
      this.#storing.delete(node);
      this.#storingBytes -= block.totalSize;
      this.#connectSoon();
    }
  }

  async #store(): Promise<void> {
    const ws = this.#ws;
    const deps = this.#deps;
    const batch = this.#batch;
    this.#batch = [];
    const positions = await ws.blocks.appendAll(batch.map(({ block }) => block));
    await deps.change(async () => {
      for (const [i, entry] of batch.entries()) {
        const { node, block } = entry;
        // Another road, or a verdict about its parents, may have been quicker.
        if (node.has(NodeStatus.HAVE_DATA) || node.failed) continue;
        let at = positions[i] as BlockPosition;
        // Its file may have been pruned since the block was appended.
        if (!ws.blocks.files.hasFile(at.file)) at = await ws.blocks.append(block);
        ws.index.receivedTransactions(node, block.txs.length, at.file, at.pos);
        ws.blocks.addWaiting(node, block, ws.active.height);
        entry.isNew = true;
      }
      await deps.writeSomeRows();
    });
  }

  /** Resolves when there is room for another block; undefined when there is. */
  waitForCapacity(): Promise<void> | undefined {
    return this.#full ? this.#waitUntilNotFull() : undefined;
  }

  async #waitUntilNotFull(): Promise<void> {
    while (this.#full) await this.#nextSlice();
  }

  get #full(): boolean {
    if (this.#storing.size >= MAX_WAITING_BLOCKS || this.#storingBytes >= MAX_WAITING_BYTES) return true;
    // What waits for a parent that is not here yet would wait in vain.
    if (!this.#connecting) return false;
    const { blocks, bytes } = this.#ws.blocks.waitingFigures;
    return blocks + this.#storing.size >= MAX_WAITING_BLOCKS || bytes + this.#storingBytes >= MAX_WAITING_BYTES;
  }

  /** Resolves when a block's turn is over, or when nothing is left to be connected. */
  async waitUntilConnected(node: HeaderNode): Promise<void> {
    while (this.#storing.has(node) || (this.#connecting && this.#ws.active.height < node.height)) await this.#nextSlice();
  }

  #nextSlice(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  #releaseWaiters(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }

  /** Connects what waits, in turns of its own; nothing when that goes on already. */
  resumeConnecting(): void {
    if (this.#deps.storedAhead() > 0) this.#connectSoon();
  }

  #connectSoon(): void {
    this.#releaseWaiters();
    if (this.#connecting || this.#ws.stopping() || this.#deps.storedAhead() === 0) return;
    this.#connecting = true;
    this.#connectInSlices().catch((error: unknown) => this.#deps.failed(error));
  }

  async #connectInSlices(): Promise<void> {
    const ws = this.#ws;
    const deps = this.#deps;
    try {
      do {
        await deps.change(async () => {
          const begin = ws.clock.monotonicMs();
          let blocks = 0;
          // One block at least, or nothing would move while others come and go.
          await deps.activate(() => blocks++ > 0 && (deps.crowded() || ws.clock.monotonicMs() - begin >= SLICE_MS));
        });
        this.#releaseWaiters();
      } while (deps.storedAhead() > 0 && !ws.stopping());
    } finally {
      this.#connecting = false;
      this.#releaseWaiters();
    }
  }
}
