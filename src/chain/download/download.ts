// Accepts blocks of the initial block download: stores them when they arrive, and connects them later in time slices. So
// the scripts of one block, the coins of the next and the bytes of a third are processed at the same time.

import type { BlockView } from '../../consensus/block/block-view.js';
import { checkBlock } from '../../consensus/rules/check-block.js';
import { contextualCheckBlock } from '../../consensus/rules/contextual-check-block.js';
import { yieldToLoop } from '../../lib/time-slice.js';
import type { BlockPosition } from '../../storage/block-records.js';
import { isLarge } from '../connect/large-block.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { ChainParts } from '../parts.js';
import { type HeaderNode, NodeStatus } from '../tree/header-node.js';
import type { BlockJob } from './block-job.js';
import type { EngineProgress } from './download-engine.js';

/**
 * Limits on the number and bytes of blocks that are not connected yet. Above them, callers must wait before they pass
 * more blocks.
 */
const MAX_WAITING_BLOCKS = 512;
const MAX_WAITING_BYTES = 24 << 20;
/** Time slice for connecting in milliseconds. It ends earlier if another change waits for the chain. */
const SLICE_MS = 50;

/** An accepted block. */
export interface AcceptedBlock {
  /**
   * Resolves when the kernel has the block's bytes, or the block was refused. True if the block was new. Rejects with
   * ChainFault.
   */
  readonly stored: Promise<boolean>;
  /** Resolves when the next block may be accepted; undefined if it may be accepted now. */
  readonly next: Promise<void> | undefined;
}

export class Download {
  /** Checked blocks that the next event-loop tick writes together. */
  #write: { readonly jobs: BlockJob[]; readonly done: Promise<ReadonlySet<BlockJob>> } | null = null;
  #connecting = false;
  /** Resolvers of callers that wait for the end of a time slice. */
  #waiters: (() => void)[] = [];
  readonly #ws: ChainWorkspace;
  readonly #parts: ChainParts;

  constructor(ws: ChainWorkspace, parts: ChainParts) {
    this.#ws = ws;
    this.#parts = parts;
  }

  /**
   * Stores a requested block of the initial block download. The block is connected later, in time slices, while more
   * blocks arrive (Core's ProcessNewBlock without its ActivateBestChain). If the header is unknown or invalid, or the
   * block breaks a rule, this method passes it to BlockSubmitter.submitBlock instead.
   * @param block if it is large, its ids must be computed (see ChainCommands.identify)
   */
  accept(block: BlockView): AcceptedBlock {
    const stored = this.#accept(block);
    return { stored, next: this.#full ? this.#waitUntilNotFull() : undefined };
  }

  async #accept(block: BlockView): Promise<boolean> {
    const { index, jobs } = this.#ws;
    const node = index.get(block.hash);
    const fits = node !== undefined && !node.failed && !node.has(NodeStatus.HAVE_DATA) && jobs.find(node)?.storing !== true;
    const isNew = fits ? await this.#parts.changes.storeConcurrently(() => this.#store(jobs.receive(node, block))) : null;
    this.#parts.snapshot.history?.resumeConnecting();
    return isNew ?? (await this.#parts.submitter.submitBlock(block)).isNew;
  }

  /** @returns whether the block was new, once the kernel has its bytes; null if it breaks a rule */
  async #store(job: BlockJob): Promise<boolean | null> {
    const { crypto, jobs, params, versionBits } = this.#ws;
    const { block, node } = job;
    try {
      if (checkBlock(block, params, crypto) !== null) return this.#refuse(job);
      if (isLarge(block)) await yieldToLoop();
      if (contextualCheckBlock(block, node.prev, params, versionBits) !== null) return this.#refuse(job);
      job.moveTo({ kind: 'identified' });
      return (await this.#writeWithOthers(job)).has(job);
    } finally {
      if (job.storing) jobs.end(job, 'dropped');
      this.#connectSoon();
    }
  }

  #refuse(job: BlockJob): null {
    this.#ws.jobs.end(job, 'invalid');
    return null;
  }

  /** Writes the blocks that arrive in the same event-loop tick together. @returns the blocks that were new */
  #writeWithOthers(job: BlockJob): Promise<ReadonlySet<BlockJob>> {
    if (this.#write === null) {
      const jobs: BlockJob[] = [];
      this.#write = { jobs, done: yieldToLoop().then(() => this.#writeJobs(jobs)) };
    }
    this.#write.jobs.push(job);
    return this.#write.done;
  }

  async #writeJobs(written: readonly BlockJob[]): Promise<ReadonlySet<BlockJob>> {
    const { active, blocks, index, jobs } = this.#ws;
    const { changes, importer } = this.#parts;
    this.#write = null;
    const positions = await blocks.appendAll(written.map(({ block }) => block));
    const added = new Set<BlockJob>();
    await changes.changeWhole(async () => {
      for (const [i, job] of written.entries()) {
        const { node, block } = job;
        // Skip a block that submitBlock stored during the wait, or whose parent was found invalid.
        if (node.has(NodeStatus.HAVE_DATA) || node.failed) continue;
        let at = positions[i] as BlockPosition;
        // The file may have been pruned since the block was appended. Append the block again.
        if (!blocks.files.hasFile(at.file)) at = await blocks.append(block);
        index.receivedTransactions(node, block.txs.length, at.file, at.pos);
        jobs.store(job, active.height);
        added.add(job);
      }
      // From the same tick on, settled() waits for the tip instead of the write.
      this.#connectSoon();
      await importer.writeSomeRows();
    });
    return added;
  }

  get #full(): boolean {
    const { storing, stored } = this.#ws.jobs;
    if (storing.blocks >= MAX_WAITING_BLOCKS || storing.bytes >= MAX_WAITING_BYTES) return true;
    // While no block is being connected, all stored blocks lack a parent. Do not count them: waiting for them would
    // never end.
    if (!this.#connecting) return false;
    return stored.blocks + storing.blocks >= MAX_WAITING_BLOCKS || stored.bytes + storing.bytes >= MAX_WAITING_BYTES;
  }

  async #waitUntilNotFull(): Promise<void> {
    while (this.#full) await this.#nextSlice();
  }

  /**
   * Resolves when the chain has tried to connect an accepted block, or when no stored block is left to connect.
   */
  async settled(hash: Uint8Array): Promise<void> {
    const { active, index, jobs } = this.#ws;
    const node = index.get(hash);
    if (node === undefined) return;
    while (jobs.find(node)?.storing === true || (this.#connecting && active.height < node.height)) await this.#nextSlice();
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
    if (this.#parts.engine.running || this.#parts.importer.storedAhead > 0) this.#connectSoon();
  }

  /** Figures of the download engine; null while it is not running. */
  get engine(): EngineProgress | null {
    return this.#parts.engine.progress;
  }

  /**
   * Passes the bytes of a requested block to the download engine.
   * @returns null if the block must be accepted with `accept`. Otherwise `stored` resolves with false if it must be then
   */
  takeBytes(node: HeaderNode, bytes: Uint8Array, sender: object): AcceptedBlock | null {
    return this.#parts.engine.takeBytes(node, bytes, sender);
  }

  #connectSoon(): void {
    this.#releaseWaiters();
    const { engine } = this.#parts;
    void engine.consider();
    engine.wake();
    if (engine.running) return;
    if (this.#connecting || this.#ws.stopping() || this.#parts.importer.storedAhead === 0) return;
    this.#connecting = true;
    this.#connectInSlices().catch((error: unknown) => this.#parts.changes.reportFailure(error));
  }

  async #connectInSlices(): Promise<void> {
    const ws = this.#ws;
    const { activator, changes, importer } = this.#parts;
    try {
      do {
        await changes.changeWhole(async () => {
          const begin = ws.clock.monotonicMs();
          let blocks = 0;
          // Connect at least one block per slice, so that other changes cannot stop the progress.
          await activator.activate(null, () => blocks++ > 0 && (changes.crowded || ws.clock.monotonicMs() - begin >= SLICE_MS));
        });
        this.#releaseWaiters();
      } while (!this.#parts.engine.running && importer.storedAhead > 0 && !ws.stopping());
    } finally {
      this.#connecting = false;
      this.#releaseWaiters();
    }
  }
}
