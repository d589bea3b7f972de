// Imports blocks from files of other nodes (-loadblock) and from the node's own folder (-reindex), and connects stored
// blocks. The node stays in the initial block download while one of these runs.

import { type BlockView, parseBlock } from '../consensus/block/block-view.js';
import { HEADER_SIZE, parseHeader } from '../consensus/block/header-view.js';
import { hashToHex } from '../consensus/bytes/hex.js';
import { ByteReader, DecodeError } from '../consensus/bytes/reader.js';
import { MAX_BLOCK_TXS } from '../consensus/limits.js';
import { checkBlock } from '../consensus/rules/check-block.js';
import type { BlockPosition } from '../storage/block-records.js';
import type { ChainEvents } from './chain-events.js';
import type { Changes } from './changes.js';
import { acceptBlock, acceptHeader } from './connect/accept.js';
import type { Activator } from './connect/activator.js';
import { ConnectMeter, type ConnectProgress } from './connect/connect-progress.js';
import type { ChainWorkspace } from './connect/workspace.js';
import type { DownloadEngine } from './download/download-engine.js';
import { type BlockSource, type ImportProgress, type ImportSink, importBlocks } from './files/import-blocks.js';
import type { Persister } from './files/persister.js';
import type { Pruner } from './files/pruner.js';
import { type HeaderNode, NodeStatus } from './tree/header-node.js';

/** Time slice of connectStored in milliseconds. One block may take longer. */
export const CONNECT_SLICE_MS = 50;
/** Number of unwritten index rows above which an import writes them. */
const IMPORT_DIRTY_ROWS = 2_000;
/** Bytes of a block that adoptBlock reads: the header and the number of transactions. */
export const HEAD_BYTES: number = HEADER_SIZE + 9;

export interface ImporterDeps {
  readonly changes: Changes;
  readonly events: ChainEvents;
  readonly activator: Activator;
  readonly persister: Persister;
  readonly pruner: Pruner;
  readonly engine: DownloadEngine;
  /** Writes everything to the database. */
  readonly flush: () => Promise<void>;
}

export class Importer {
  readonly #ws: ChainWorkspace;
  readonly #deps: ImporterDeps;
  #running = 0;

  constructor(ws: ChainWorkspace, deps: ImporterDeps) {
    this.#ws = ws;
    this.#deps = deps;
  }

  /** True while an import is running. */
  get running(): boolean {
    return this.#running > 0;
  }

  get #tip(): HeaderNode {
    return this.#ws.active.tip as HeaderNode;
  }

  /** See ChainCommands.loadBlockFiles. */
  load(paths: readonly string[], onProgress?: (progress: ImportProgress) => void): Promise<number> {
    const stored = (hash: Uint8Array): boolean => this.#ws.index.get(hash)?.has(NodeStatus.HAVE_DATA) === true;
    return this.#import(paths, { stored, accept: (bytes, source) => this.#importBlock(bytes, source) }, onProgress);
  }

  /** See ChainCommands.adoptStored. */
  async adoptStored(onProgress?: (progress: ImportProgress) => void): Promise<number> {
    const files = new Map(this.#ws.blocks.files.files().map(({ file, path }) => [path, file]));
    const accept = (head: Uint8Array, { path, pos }: BlockSource) => this.adoptBlock(head, { file: files.get(path) as number, pos });
    // The heights of the blocks in a file are unknown until it has been read completely, so keep all blocks from being
    // pruned.
    const keepAll = this.#deps.pruner.addGuard(() => 0);
    const sink = { stored: () => false, accept, headBytes: HEAD_BYTES };
    return this.#import([...files.keys()], sink, onProgress).finally(keepAll);
  }

  async #import(
    paths: readonly string[],
    own: Pick<ImportSink, 'stored' | 'accept' | 'headBytes'>,
    onProgress?: (progress: ImportProgress) => void,
  ): Promise<number> {
    const { changes, engine, flush } = this.#deps;
    changes.refuseAfterFault();
    const { crypto, clock, log, params, options } = this.#ws;
    this.#running++;
    try {
      const sink = {
        hashes: crypto,
        clock,
        log,
        magic: params.magic,
        powLimit: params.powLimit,
        orphanBytes: options.orphanBytes,
        has: (hash: Uint8Array) => this.#ws.index.get(hash) !== undefined,
        ...own,
        height: () => engine.reached.height,
        stopping: () => this.#ws.stopping() || changes.fault !== null,
      };
      return await importBlocks(paths, sink, onProgress);
    } finally {
      this.#running--;
      if (changes.fault === null) {
        await changes.changeWhole(() => engine.endInQueue());
        await flush();
      }
    }
  }

  /** Imports one block: stores it and connects it. The caller does not wait for its index row, so rows are written in groups. */
  async #importBlock(bytes: Uint8Array, { path }: BlockSource): Promise<boolean> {
    const { changes, events, activator, engine } = this.#deps;
    const { index, params, crypto, log } = this.#ws;
    const block = this.#parse(bytes);
    if (block === null) {
      log.warn(`Skipped a record of ${bytes.length} bytes in ${path}: it is not a block`);
      return false;
    }
    if (index.get(block.hash)?.has(NodeStatus.HAVE_DATA)) return false;
    const early = checkBlock(block, params, crypto);
    if (early !== null) {
      log.warn(`Rejected block ${hashToHex(block.hash)} of a block file: ${early.reason}`);
      return false;
    }
    return changes.change(async (reply) => {
      const { verdict, node, isNew } = await acceptBlock(this.#ws, block, true);
      if (verdict !== null) log.warn(`Rejected block ${hashToHex(block.hash)} of a block file: ${verdict.reason}`);
      if (verdict === null && node !== null) await activator.activate(isNew ? { node, block } : null);
      events.announceHeader(index.bestHeader);
      await activator.writeTipChanges();
      await this.writeSomeRows();
      engine.wake();
      void engine.consider();
      reply(isNew);
    });
  }

  #parse(bytes: Uint8Array): BlockView | null {
    try {
      return parseBlock(bytes, this.#ws.crypto);
    } catch (error) {
      if (error instanceof DecodeError) return null;
      throw error;
    }
  }

  /**
   * Adds a block of the node's own files to the tree. Only its header is checked here. Whatever connects the block
   * checks the rest, and forgets a block whose bytes are damaged. Of several copies, the last one is used, because a
   * damaged one was downloaded again.
   * @param head the block's first HEAD_BYTES
   * @returns whether the block was not stored before
   */
  async adoptBlock(head: Uint8Array, at: BlockPosition): Promise<boolean> {
    const { changes, events, engine } = this.#deps;
    const { active, index, crypto, log } = this.#ws;
    const header = parseHeader(head, crypto);
    const txCount = countOf(head);
    if (txCount === null) {
      log.warn(`Skipped block ${hashToHex(header.hash)} of a block file: it is damaged`);
      return false;
    }
    return changes.change(async (reply) => {
      const { verdict, node } = acceptHeader(this.#ws, header);
      if (verdict !== null) log.warn(`Rejected block ${hashToHex(header.hash)} of a block file: ${verdict.reason}`);
      if (verdict !== null || node === null) return reply(false);
      const isNew = !node.hasData;
      if (!isNew) {
        const isLater = at.file > node.file || (at.file === node.file && at.pos > node.blockPos);
        // The engine may have the first copy in work, and would mark the checked block in the tree.
        if (!isLater || active.contains(node) || node.has(NodeStatus.HAVE_UNDO) || engine.running) return reply(false);
        if (node.txCount !== txCount) index.forgetData(node);
      }
      index.receivedTransactions(node, txCount, at.file, at.pos);
      events.announceHeader(index.bestHeader);
      await this.writeSomeRows();
      reply(isNew);
    });
  }

  /** Writes index rows if more than IMPORT_DIRTY_ROWS are unwritten. */
  async writeSomeRows(): Promise<void> {
    if (this.#ws.index.dirty.size >= IMPORT_DIRTY_ROWS) await this.#deps.persister.writeRows();
  }

  /** Number of stored blocks on the best branch that are not connected; 0 if the tip is the best block. */
  get storedAhead(): number {
    const best = this.#ws.index.findMostWork();
    return best === undefined || best === this.#tip ? 0 : Math.max(1, best.height - this.#tip.height);
  }

  /** Number of transactions in the stored blocks that are not connected. */
  get transactionsAhead(): number {
    return Math.max(0, (this.#ws.index.findMostWork() ?? this.#tip).chainTxCount - this.#tip.chainTxCount);
  }

  /** See ChainCommands.connectStored. */
  async connectStored(onProgress?: (progress: ConnectProgress) => void): Promise<void> {
    const { changes, activator, engine, flush } = this.#deps;
    changes.refuseAfterFault();
    if (this.storedAhead === 0) return;
    const { clock } = this.#ws;
    const now = (): number => clock.monotonicMs();
    const meter = new ConnectMeter(now, this.#tip);
    this.#running++;
    try {
      // An idle engine waits for a block of a peer.
      while (!engine.idle && (engine.running || this.storedAhead > 0) && !this.#ws.stopping()) {
        await engine.consider();
        if (engine.running) await engine.whenMoved();
        else {
          await changes.changeWhole(async () => {
            const begin = now();
            await activator.activate(null, () => now() - begin >= CONNECT_SLICE_MS);
          });
        }
        const goal = this.#ws.index.candidates.best ?? this.#tip;
        if (meter.isReportDue() || goal === this.#tip || engine.idle) onProgress?.(meter.at(engine.reached, goal));
      }
    } finally {
      this.#running--;
      if (changes.fault === null) await flush();
    }
  }
}

/** Returns the number of transactions of a block, given its first HEAD_BYTES; null if there is no such number. */
function countOf(head: Uint8Array): number | null {
  try {
    const count = new ByteReader(head, HEADER_SIZE).compactSize();
    return count >= 1 && count <= MAX_BLOCK_TXS ? count : null;
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}
