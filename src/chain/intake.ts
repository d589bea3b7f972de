// Stores blocks of the initial block download when they arrive, and connects them later in time slices. So the scripts
// of one block, the coins of the next and the bytes of a third are processed at the same time.

import type { BlockView } from '../consensus/block/block-view.js';
import { checkBlock } from '../consensus/rules/check-block.js';
import { contextualCheckBlock } from '../consensus/rules/contextual-check-block.js';
import { yieldToLoop } from '../lib/time-slice.js';
import type { BlockPosition } from '../storage/block-records.js';
import { identify, isLarge } from './connect/large-block.js';
import type { ChainWorkspace } from './connect/workspace.js';
import { type HeaderNode, NodeStatus } from './tree/header-node.js';

/**
 * Limits on the number and bytes of blocks that are not connected yet. Above them, callers must wait before they pass
 * more blocks.
 */
const MAX_WAITING_BLOCKS = 512;
const MAX_WAITING_BYTES = 24 << 20;
/** Time slice for connecting in milliseconds. It ends earlier if another change waits for the chain. */
const SLICE_MS = 50;

export interface IntakeDeps {
  /** Queues a change of the chain. */
  change(job: () => Promise<void>): Promise<void>;
  /** Connects stored blocks until `enough` returns true. Calls it before each block. */
  activate(enough: () => boolean): Promise<void>;
  /** Returns whether other changes are queued. */
  crowded(): boolean;
  /** Writes index rows if there are many unwritten ones. No caller needs to wait for these rows. */
  writeSomeRows(): Promise<void>;
  /** Number of stored blocks that are not connected yet. */
  storedAhead(): number;
  /** Runs a write concurrently with the queue of changes. */
  storeConcurrently<T>(work: () => Promise<T>): Promise<T>;
  /** Starts to connect stored blocks of the history below a snapshot. */
  resumeHistory(): void;
  /** Submits a block that cannot be stored here. @returns whether the block was new */
  submit(block: BlockView): Promise<boolean>;
  failed(error: unknown): void;
}

export class Intake {
  /** Blocks that are being checked or written. */
  readonly #storing = new Set<HeaderNode>();
  #storingBytes = 0;
  /** Checked blocks that the next event-loop tick writes together. */
  #batch: { readonly block: BlockView; readonly node: HeaderNode; isNew: boolean }[] = [];
  #stored: Promise<void> = Promise.resolve();
  #connecting = false;
  /** Resolvers of callers that wait for the end of a time slice. */
  #waiters: (() => void)[] = [];
  readonly #ws: ChainWorkspace;
  readonly #deps: IntakeDeps;

  constructor(ws: ChainWorkspace, deps: IntakeDeps) {
    this.#ws = ws;
    this.#deps = deps;
  }

  /**
   * Stores a requested block of the initial block download. The block is connected later, in time slices, while more
   * blocks arrive (Core's ProcessNewBlock without its ActivateBestChain). A block whose header is unknown or invalid,
   * or that breaks a rule, is passed to submitBlock instead.
   * @returns whether the block was new, once it is stored
   * @throws ChainFault
   */
  async takeBlock(block: BlockView): Promise<boolean> {
    const node = this.#ws.index.get(block.hash);
    const fits = node !== undefined && !node.failed && !node.has(NodeStatus.HAVE_DATA) && !this.#storing.has(node);
    const isNew = fits ? await this.#deps.storeConcurrently(() => this.#storeBlock(block, node)) : null;
    this.#deps.resumeHistory();
    return isNew ?? this.#deps.submit(block);
  }

  /**
   * Checks and stores a block. A later time slice connects it.
   * @returns whether the block was new, once the kernel has its bytes; null if it breaks a rule
   */
  async #storeBlock(block: BlockView, node: HeaderNode): Promise<boolean | null> {
    const ws = this.#ws;
    this.#storing.add(node);
    this.#storingBytes += block.totalSize;
    try {
      if (isLarge(block)) await identify(block, ws.blockHasher);
      if (checkBlock(block, ws.params, ws.crypto) !== null) return null;
      if (isLarge(block)) await yieldToLoop();
      if (contextualCheckBlock(block, node.prev, ws.params, ws.versionBits) !== null) return null;
      // Blocks that arrive in the same event-loop tick are written together.
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
        // Skip a block that submitBlock stored during the wait, or whose parent was found invalid.
        if (node.has(NodeStatus.HAVE_DATA) || node.failed) continue;
        let at = positions[i] as BlockPosition;
        // The file may have been pruned since the block was appended. Append the block again.
        if (!ws.blocks.files.hasFile(at.file)) at = await ws.blocks.append(block);
        ws.index.receivedTransactions(node, block.txs.length, at.file, at.pos);
        ws.blocks.addWaiting(node, block, ws.active.height);
        entry.isNew = true;
      }
      await deps.writeSomeRows();
    });
  }

  /** Returns a promise that resolves when another block may be stored; undefined if one may be stored now. */
  waitForCapacity(): Promise<void> | undefined {
    return this.#full ? this.#waitUntilNotFull() : undefined;
  }

  async #waitUntilNotFull(): Promise<void> {
    while (this.#full) await this.#nextSlice();
  }

  get #full(): boolean {
    if (this.#storing.size >= MAX_WAITING_BLOCKS || this.#storingBytes >= MAX_WAITING_BYTES) return true;
    // While no block is being connected, all stored blocks lack a parent. Do not count them: waiting for them would
    // never end.
    if (!this.#connecting) return false;
    const { blocks, bytes } = this.#ws.blocks.waitingFigures;
    return blocks + this.#storing.size >= MAX_WAITING_BLOCKS || bytes + this.#storingBytes >= MAX_WAITING_BYTES;
  }

  /**
   * Resolves when the chain has tried to connect a block from takeBlock, or when no stored block is left to connect.
   */
  async waitUntilConnected(hash: Uint8Array): Promise<void> {
    const node = this.#ws.index.get(hash);
    if (node === undefined) return;
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

  /** Starts to connect stored blocks in time slices, unless that is running already. */
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
          // Connect at least one block per slice, so that other changes cannot stop the progress.
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
