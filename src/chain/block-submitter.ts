// Submits single blocks: checks, stores and activates a block (Core's ProcessNewBlock).

import { type BlockView, parseBlock } from '../consensus/block/block-view.js';
import { equalBytes } from '../consensus/bytes/hex.js';
import { checkBlock } from '../consensus/rules/check-block.js';
import type { Reject } from '../consensus/state.js';
import type { ChainEvents } from './chain-events.js';
import type { Changes } from './changes.js';
import { acceptBlock } from './connect/accept.js';
import type { Activator } from './connect/activator.js';
import { type EarlyConnection, EarlyConnections } from './connect/early-connection.js';
import { type CheckedTransactions, identify, isLarge, recognise } from './connect/large-block.js';
import type { BlockOutcome } from './connect/outcome.js';
import type { ChainWorkspace } from './connect/workspace.js';
import type { Persister } from './files/persister.js';
import { CONNECT_SLICE_MS } from './importer.js';
import { type HeaderNode, NodeStatus } from './tree/header-node.js';

export interface SubmitterDeps {
  readonly changes: Changes;
  readonly events: ChainEvents;
  readonly activator: Activator;
  readonly persister: Persister;
  readonly isInitialBlockDownload: () => boolean;
  /** Starts to connect stored blocks in time slices, unless that is running already. */
  readonly resumeConnecting: () => void;
}

/** A submitted block, with its early connection if one was started. */
interface Submission {
  readonly view: BlockView;
  readonly early: EarlyConnection | null;
  /** True if the node requested the block. Requested blocks are stored even if they have less work than the tip. */
  readonly requested: boolean;
}

interface Identification {
  /** Resolves when the ids and facts of transactions that the mempool knows are set. */
  readonly recognised: Promise<void>;
  /** Resolves when, after that, all ids of a large block are computed; undefined for other blocks. */
  readonly identified: Promise<void> | undefined;
}

export class BlockSubmitter {
  readonly #ws: ChainWorkspace;
  readonly #deps: SubmitterDeps;
  readonly #early: EarlyConnections;
  /** Resolves when the ids of all large blocks received so far are computed. */
  #lastIdentified: Promise<void> = Promise.resolve();
  #known: CheckedTransactions | null = null;
  /** Identification of the blocks that are in memory. */
  readonly #identifications = new WeakMap<BlockView, Identification>();

  constructor(ws: ChainWorkspace, deps: SubmitterDeps) {
    this.#ws = ws;
    this.#deps = deps;
    this.#early = new EarlyConnections(ws);
  }

  /** Sets the source of transactions that were checked before a block contains them (the mempool). */
  useCheckedTransactions(known: CheckedTransactions): void {
    this.#known = known;
  }

  /**
   * Sets the ids and facts of a block's transactions that the mempool knows. If the block is large, also computes the
   * ids of the other transactions.
   */
  async identify(block: BlockView): Promise<void> {
    const { recognised, identified } = this.#beginIdentification(block);
    await (identified ?? recognised);
  }

  /** Begins to identify a block, or returns the identification that has begun. */
  #beginIdentification(block: BlockView): Identification {
    let identification = this.#identifications.get(block);
    if (identification === undefined) {
      const recognised = recognise(block, this.#known);
      const identified = isLarge(block) ? recognised.then(() => identify(block, this.#ws.blockHasher)) : undefined;
      identification = { recognised, identified };
      this.#identifications.set(block, identification);
    }
    return identification;
  }

  /**
   * Checks, stores and activates a block (Core's ProcessNewBlock). When the promise resolves, the kernel has the
   * block's bytes. The next start finds the bytes in the files even if the block's index row was not written.
   * @param options.force true if the block was requested: it is stored even if it has less work than the tip (default
   *   true)
   * @throws DecodeError; ChainFault
   */
  async submitBlock(block: Uint8Array | BlockView, options: { force?: boolean } = {}): Promise<BlockOutcome> {
    const view = block instanceof Uint8Array ? parseBlock(ownBytes(block), this.#ws.crypto) : block;
    const identification = this.#beginIdentification(view);
    const identified = identification.identified && this.#inOrder(identification.identified);
    await identification.recognised;
    const early = this.#deps.changes.refusing || this.#deps.isInitialBlockDownload() ? null : this.#early.beginConnection(view, identified);
    try {
      if (identified !== undefined) await identified;
      const wrong = checkBlock(view, this.#ws.params, this.#ws.crypto);
      if (wrong !== null) {
        this.#deps.events.checked.call(view.hash, view, wrong);
        return { kind: 'invalid', reject: wrong, isNew: false, node: this.#ws.index.get(view.hash) ?? null };
      }
      return await this.#deps.changes.change((reply) => this.#processBlock({ view, early, requested: options.force ?? true }, reply));
    } finally {
      await early?.cancelConnection();
    }
  }

  /**
   * Waits until `making` has resolved, and the ids of all large blocks that arrived earlier are computed. Otherwise a
   * child could overtake its parent and be refused.
   */
  #inOrder(making: Promise<void>): Promise<void> {
    const before = this.#lastIdentified;
    const made = making.then(() => before);
    this.#lastIdentified = made.catch(() => undefined);
    return made;
  }

  async #processBlock({ view, early, requested }: Submission, reply: (outcome: BlockOutcome) => void): Promise<void> {
    // The block competes with a tip that is not written yet, so write the tip first. If the process died in between,
    // the next start could not tell which of the two blocks came first.
    if (!equalBytes(view.header.prevHash, (this.#ws.active.tip as HeaderNode).hash)) await this.#deps.activator.writeTipChanges();
    const { verdict, node, isNew } = await acceptBlock(this.#ws, view, requested);
    if (verdict !== null) this.#deps.events.checked.call(view.hash, view, verdict);
    // Begin writing the index rows, but do not wait for the database before the answer: it may delay a write for
    // seconds.
    this.#deps.persister.beginRows();
    this.#deps.events.announceHeader(this.#ws.index.bestHeader);
    if (verdict !== null || node === null) {
      // The download engine may have waited for this block.
      this.#deps.resumeConnecting();
      await this.#deps.persister.rowsBegun;
      reply({ kind: 'invalid', reject: verdict, isNew: false, node });
      return;
    }
    // Listeners (relay) may send the block to peers while its scripts run.
    if (isNew && node.prev === this.#ws.active.tip && !this.#deps.isInitialBlockDownload()) this.#deps.events.stored.call(node, view);
    // Compare nodes, not hashes: a mutated copy that fails during the activation has the same hash.
    let seen: { reject: Reject | null } | undefined;
    // In the initial download, hundreds of stored blocks may be ready to be connected. Stop after a time slice, and connect
    // the others later.
    const begin = this.#ws.clock.monotonicMs();
    let steps = 0;
    const enough = (): boolean =>
      steps++ > 0 && this.#deps.isInitialBlockDownload() && this.#ws.clock.monotonicMs() - begin >= CONNECT_SLICE_MS;
    await this.#deps.activator.activate(isNew ? { node, block: view, early } : null, enough, (judged, reject) => {
      if (judged === node) seen = { reject };
    });
    this.#deps.resumeConnecting();
    if (seen?.reject != null) reply({ kind: 'invalid', reject: seen.reject, isNew, node });
    else if (!isNew && node.has(NodeStatus.HAVE_DATA)) reply({ kind: 'duplicate', reject: null, isNew, node });
    else reply({ kind: seen === undefined ? 'inconclusive' : 'accepted', reject: null, isNew, node });
    await this.#deps.persister.rowsBegun;
  }

  /** Stops the running early connection, if any. */
  close(): Promise<void> {
    return this.#early.close();
  }
}

/**
 * Copies bytes if they are in memory shared with other threads, because blocks near the tip stay in memory for a while.
 */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof ArrayBuffer ? bytes : new Uint8Array(bytes);
}
