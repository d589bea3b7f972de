// Every way to change the chain. All changes run one at a time in the queue of changes.ts.

import type { BlockView } from '../consensus/block/block-view.js';
import { parseHeader } from '../consensus/block/header-view.js';
import type { Verdict } from '../consensus/state.js';
import { acceptHeader } from './connect/accept.js';
import type { ConnectProgress } from './connect/connect-progress.js';
import { invalidate, reconsider } from './connect/invalidate.js';
import type { CheckedTransactions } from './connect/large-block.js';
import type { BlockOutcome } from './connect/outcome.js';
import { verifyBlocks } from './connect/verify-chain.js';
import type { ChainWorkspace } from './connect/workspace.js';
import type { ImportProgress } from './files/import-blocks.js';
import type { PruneGuard } from './files/pruner.js';
import type { ChainParts } from './parts.js';
import type { SnapshotFile, SnapshotHead } from './snapshot/snapshot-file.js';
import { type HeaderNode, NodeStatus } from './tree/header-node.js';

export class ChainCommands {
  readonly #ws: ChainWorkspace;
  readonly #parts: ChainParts;

  constructor(ws: ChainWorkspace, parts: ChainParts) {
    this.#ws = ws;
    this.#parts = parts;
  }

  /** Sets the source of transactions that were checked before a block contains them (the mempool). */
  useCheckedTransactions(known: CheckedTransactions): void {
    this.#parts.submitter.useCheckedTransactions(known);
  }

  /**
   * Sets the ids and facts of a block's transactions that the mempool knows. If the block is large, also computes the
   * ids of the other transactions.
   */
  identify(block: BlockView): Promise<void> {
    return this.#parts.submitter.identify(block);
  }

  /**
   * Checks, stores and activates a block (Core's ProcessNewBlock). When the promise resolves, the kernel has the
   * block's bytes. The next start finds the bytes in the files even if the block's index row was not written.
   * @param options.force true if the block was requested: it is stored even if it has less work than the tip (default
   *   true)
   * @throws DecodeError; ChainFault
   */
  submitBlock(block: Uint8Array | BlockView, options: { force?: boolean } = {}): Promise<BlockOutcome> {
    return this.#parts.submitter.submitBlock(block, options);
  }

  /**
   * Checks and stores a header. Returns null if the header was accepted, or was known as valid before.
   * @throws DecodeError if it has less than 80 bytes; ChainFault
   */
  async submitHeader(header: Uint8Array): Promise<Verdict> {
    return (await this.submitHeaders([header])).verdict;
  }

  /**
   * Checks and stores headers in order, until one fails.
   * @throws DecodeError; ChainFault
   */
  async submitHeaders(headers: readonly Uint8Array[]): Promise<{ verdict: Verdict; last: HeaderNode | null }> {
    const views = headers.map((bytes) => parseHeader(bytes, this.#ws.crypto));
    return this.#parts.changes.change(async (reply) => {
      let last: HeaderNode | null = null;
      let verdict: Verdict = null;
      for (const view of views) {
        const result = acceptHeader(this.#ws, view);
        verdict = result.verdict;
        if (verdict !== null) break;
        last = result.node;
      }
      await this.#parts.persister.writeRows();
      this.#parts.events.announceHeader(this.#ws.index.bestHeader);
      void this.#parts.engine.consider();
      reply({ verdict, last });
    });
  }

  /** Marks a block as invalid and disconnects it. Always resolves with null. Genesis cannot be invalidated. */
  invalidateBlock(node: HeaderNode): Promise<Verdict> {
    return this.#parts.changes.change(async (reply) => {
      await this.#parts.engine.endInQueue();
      await invalidate(this.#ws, this.#parts.activator, node);
      await this.#parts.activator.activate();
      await this.#writeBefore(reply);
    });
  }

  /** Removes the invalid marks of a block, its ancestors and its descendants, then activates the best branch. */
  reconsiderBlock(node: HeaderNode): Promise<Verdict> {
    return this.#parts.changes.change(async (reply) => {
      await this.#parts.engine.endInQueue();
      reconsider(this.#ws, node);
      await this.#parts.activator.activate();
      await this.#writeBefore(reply);
    });
  }

  /** Ranks a block as if it had been received before all other blocks of equal work. */
  preciousBlock(node: HeaderNode): Promise<Verdict> {
    return this.#parts.changes.change(async (reply) => {
      await this.#parts.engine.endInQueue();
      if (this.#ws.index.makePrecious(node)) await this.#parts.activator.activate();
      await this.#writeBefore(reply);
    });
  }

  /**
   * Writes and syncs everything, then resolves the caller's promise with null: an operator's marks must be on the disk
   * when the answer is sent.
   */
  async #writeBefore(reply: (verdict: Verdict) => void): Promise<void> {
    await this.#parts.activator.writeTipChanges();
    await this.#parts.persister.writeRows();
    await this.#parts.persister.syncAll();
    this.#parts.events.announceHeader(this.#ws.index.bestHeader);
    reply(null);
  }

  /**
   * Checks stored blocks (Core's verifychain).
   * @param level 0 to 4
   * @param blocks number of blocks; 0 for all
   */
  verifyChain(level: number, blocks: number): Promise<boolean> {
    return this.verifyStored(level, blocks).then((wrong) => wrong === null);
  }

  /**
   * Checks stored blocks as verifychain does.
   * @returns a description of the error; null if there is none
   */
  verifyStored(level: number, blocks: number): Promise<string | null> {
    return this.#parts.changes.change(async (reply) => reply(await verifyBlocks(this.#ws, level, blocks)));
  }

  /**
   * Imports several files, for example all files of a blocks folder. Blocks may be in any order. The files are not
   * changed.
   */
  loadBlockFiles(paths: readonly string[], onProgress?: (progress: ImportProgress) => void): Promise<number> {
    return this.#parts.importer.load(paths, onProgress);
  }

  /**
   * Adds the blocks of the node's own files to an empty tree, without connecting them (-reindex).
   * @returns number of added blocks
   */
  adoptStored(onProgress?: (progress: ImportProgress) => void): Promise<number> {
    return this.#parts.importer.adoptStored(onProgress);
  }

  /**
   * Connects stored blocks until the tip is the best block. Works in time slices, so that other changes run in between.
   */
  connectStored(onProgress?: (progress: ConnectProgress) => void): Promise<void> {
    return this.#parts.importer.connectStored(onProgress);
  }

  /**
   * Loads the coins of a snapshot, compares their hash with the network's parameters, and makes the snapshot block the
   * tip. The former chain continues in the background as the history below it (Core's ActivateSnapshot).
   * @param poolSize number of transactions in the mempool. It must be 0, because they were checked against other coins
   * @returns the tip after loading
   * @throws SnapshotError if the snapshot is refused; ChainFault
   */
  loadSnapshot(file: SnapshotFile, head: SnapshotHead, poolSize: () => number): Promise<HeaderNode> {
    return this.#parts.snapshot.load(file, head, poolSize);
  }

  /** Writes all pending changes to the database. Near the tip this usually has happened already. */
  flush(): Promise<void> {
    const { activator, changes, persister, snapshot } = this.#parts;
    return changes.changeWhole(async () => {
      await activator.writeTipChanges();
      await persister.flush();
      await snapshot.history?.persister.flush();
    });
  }

  /** Writes all pending changes to the database and waits for fsync. */
  sync(): Promise<void> {
    return this.#parts.changes.changeWhole(async () => {
      await this.#parts.activator.writeTipChanges();
      await this.#parts.persister.flush();
      await this.#parts.snapshot.history?.persister.flush();
      await this.#parts.persister.syncAll();
      await this.#parts.snapshot.history?.persister.syncAll();
    });
  }

  /**
   * Prunes until the block files fit into the target of -prune. Resolves when sizeOnDisk no longer includes the pruned
   * files. `removed` resolves when these files are deleted.
   */
  async pruneToTarget(): Promise<{ removed: Promise<void> }> {
    await this.#parts.changes.changeWhole(async () => {
      await this.#parts.activator.writeTipChanges();
      await this.#parts.pruner.pruneToTarget();
    });
    return { removed: this.#parts.pruner.waitForRemovals() };
  }

  /**
   * Prunes files whose blocks are all at or below a height and at least 288 below the tip. Resolves when the files are
   * deleted.
   */
  async pruneUpTo(height: number): Promise<void> {
    await this.#parts.changes.changeWhole(async () => {
      await this.#parts.activator.writeTipChanges();
      await this.#parts.pruner.pruneUpTo(height);
    });
    await this.#parts.pruner.waitForRemovals();
  }

  /**
   * Registers a guard that protects blocks from pruning until an index or a wallet has read them.
   * @param guard called before each pruning
   * @returns function that removes the guard
   */
  guardBlocks(guard: PruneGuard): () => void {
    return this.#parts.pruner.addGuard(guard);
  }

  /**
   * Resolves when the index has this block and its undo data, and the bytes of both would survive a power failure.
   * Indexes wait for this before they write their rows.
   */
  async recorded(node: HeaderNode): Promise<void> {
    const { dirty } = this.#ws.index;
    if (dirty.has(node) || (node.prev !== null && !node.has(NodeStatus.HAVE_UNDO))) {
      await this.#parts.changes.changeWhole(async () => {
        await this.#parts.persister.writeUndo();
        await this.#parts.snapshot.history?.persister.writeUndo();
        await this.#parts.persister.writeRows();
      });
    }
    await this.#ws.blocks.files.sync();
  }

  /**
   * Resolves when all changes queued so far are finished. A block that was stored before is then connected, rejected or
   * skipped.
   */
  settled(): Promise<void> {
    return this.#parts.changes.idle();
  }
}
