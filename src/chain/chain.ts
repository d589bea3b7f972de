// The chain: the block tree, the active chain and its coins. Other modules use its faces. All changes run one at a time
// in one queue. A change prepares its result (async), applies it and notifies listeners (sync), answers its caller, and
// then writes to the database. Each step has its own file; this file creates the parts and opens and closes the chain.

import { hashFromHex } from '../consensus/bytes/hex.js';
import { BlockReader } from './block-reader.js';
import { BlockSubmitter } from './block-submitter.js';
import { ChainCommands } from './chain-commands.js';
import { type ChainEventSource, ChainEvents } from './chain-events.js';
import type { ChainFault } from './chain-fault.js';
import { ChainView } from './chain-view.js';
import { Changes } from './changes.js';
import { CoinReader } from './coins/coin-reader.js';
import { Activator } from './connect/activator.js';
import { openWorkspace } from './connect/open-workspace.js';
import type { ChainStats } from './connect/outcome.js';
import { assumedHashHex } from './connect/scripts-needed.js';
import { type ChainWorkspace, minimumChainWork } from './connect/workspace.js';
import { Download } from './download/download.js';
import { DownloadEngine } from './download/download-engine.js';
import { adoptBehind } from './files/adopt-behind.js';
import { Persister } from './files/persister.js';
import { Pruner } from './files/pruner.js';
import { HEAD_BYTES, Importer } from './importer.js';
import { InitialDownload } from './initial-download.js';
import type { ChainDeps, ChainOptions } from './options.js';
import type { ChainParts } from './parts.js';
import { SnapshotChain } from './snapshot/snapshot-chain.js';
import type { HeaderNode } from './tree/header-node.js';
import { Upkeep } from './upkeep.js';

export class Chain {
  /** The header tree and the active chain. */
  readonly view: ChainView;
  /** Stored blocks. */
  readonly blocks: BlockReader;
  /** Coins at the tip. */
  readonly coins: CoinReader;
  /** Every way to change the chain. */
  readonly commands: ChainCommands;
  /** Blocks of the initial block download. */
  readonly download: Download;
  readonly events: ChainEventSource;
  private readonly ws: ChainWorkspace;
  readonly #parts: ChainParts;
  readonly #upkeep: Upkeep;
  #closing: Promise<void> | null = null;

  /**
   * Opens the stored chain, repairs what a crash left, and connects stored blocks up to options.connectAtOpen
   * transactions.
   */
  static async open(options: Partial<ChainOptions>, deps: ChainDeps): Promise<Chain> {
    const { ws, history } = await openWorkspace(options, deps);
    const chain = new Chain(ws, deps);
    if (history !== null) chain.#parts.snapshot.beginHistory(history);
    // Indexes and wallets register their prune guards later. Until then keep every block.
    const keepAll = chain.commands.guardBlocks(() => 0);
    try {
      await chain.#parts.pruner.finishRemovals();
      if (ws.options.adoptAtOpen) await adoptBehind(ws, HEAD_BYTES, (head, at) => chain.#parts.importer.adoptBlock(head, at));
      await chain.#parts.changes.changeWhole(async () => {
        await chain.#leaveFailedTip();
        if (chain.#parts.importer.transactionsAhead <= ws.options.connectAtOpen) await chain.#parts.activator.activate();
      });
      await chain.#parts.changes.idle();
      chain.#parts.changes.refuseAfterFault();
    } catch (error) {
      chain.#upkeep.stop();
      await ws.blocks.files.close().catch(() => undefined);
      throw error;
    }
    keepAll();
    chain.#parts.snapshot.history?.resumeConnecting();
    return chain;
  }

  private constructor(ws: ChainWorkspace, deps: ChainDeps) {
    this.ws = ws;
    const { index, options } = ws;
    const changes = new Changes(
      ws.log,
      (fault) => deps.onFault?.(fault),
      () => this.#upkeep.afterChange(),
    );
    const events = new ChainEvents(ws.guard, index.bestHeader);
    const initialDownload = new InitialDownload({ minimumChainWork: minimumChainWork(ws), maxTipAge: options.maxTipAge }, ws.clock, () => {
      ws.log.info('Leaving InitialBlockDownload (latching to false)');
    });
    const isInitialBlockDownload = (): boolean => this.view.isInitialBlockDownload();
    const assumedHex = assumedHashHex(ws);
    const assumedHash = assumedHex === null ? null : hashFromHex(assumedHex);
    const assumedValid = (): HeaderNode | undefined => (assumedHash === null ? undefined : index.get(assumedHash));
    const persister = new Persister(ws, ws.active.tip as HeaderNode);
    const suspended = (): boolean => this.#parts.engine.running;
    const activator = new Activator(ws, events, persister, assumedValid, () => !isInitialBlockDownload(), suspended);
    const pruner = new Pruner(ws, events, () => this.#flushAll(), isInitialBlockDownload);
    const shared = { changes, events, activator, persister, pruner };
    const engine: DownloadEngine = new DownloadEngine(ws, {
      ...{ ...shared, start: deps.startEngine, assumedValid, isInitialBlockDownload },
      writeSomeRows: () => importer.writeSomeRows(),
      resumeConnecting: () => resumeConnecting(),
    });
    const importer = new Importer(ws, { ...shared, engine, flush: () => this.commands.flush() });
    const snapshot = new SnapshotChain(ws, { ...shared, engine, assumedValid });
    const resumeConnecting = (): void => {
      this.download.resumeConnecting();
      snapshot.history?.resumeConnecting();
    };
    const submitter = new BlockSubmitter(ws, { ...shared, isInitialBlockDownload, resumeConnecting });
    const parts = { ...shared, importer, snapshot, submitter, initialDownload, engine };
    this.#parts = parts;
    this.#upkeep = new Upkeep(ws, parts);
    this.events = events;
    this.view = new ChainView(ws, parts);
    this.blocks = new BlockReader(ws, pruner);
    this.coins = new CoinReader(ws, parts);
    this.commands = new ChainCommands(ws, parts);
    this.download = new Download(ws, parts);
  }

  /** Error after which the chain refuses every change; null while there is no such error. */
  get fault(): ChainFault | null {
    return this.#parts.changes.fault;
  }

  /** Disconnects blocks that the last run marked as invalid but did not disconnect before the process died. */
  async #leaveFailedTip(): Promise<void> {
    const tip = this.ws.active.tip as HeaderNode;
    let target = tip;
    while (target.failed && target.prev !== null) target = target.prev;
    if (target === tip) return;
    this.ws.log.info(`The tip is marked invalid. Disconnecting blocks down to height ${target.height}`);
    await this.#parts.activator.disconnectTo(target, () => undefined);
    this.ws.index.refillCandidates();
  }

  /** Writes the coins of the active chain, and those of the history below a snapshot. */
  async #flushAll(): Promise<void> {
    await this.#parts.persister.flush();
    await this.#parts.snapshot.history?.persister.flush();
  }

  stats(): ChainStats {
    const { connected, disconnected, rejected, reorganizations } = this.#parts.activator.counts;
    return {
      height: this.view.tip.height,
      headers: this.view.bestHeader.height,
      blocksConnected: connected,
      blocksDisconnected: disconnected,
      blocksRejected: rejected,
      reorgs: reorganizations,
      candidates: this.ws.index.candidates.size,
      coinsCacheBytes: this.ws.coins.stats().usedBytes,
      databaseBytes: this.ws.store.memoryBytes(),
      queued: this.#parts.changes.size,
    };
  }

  /** Finishes the current change, writes everything and closes the block files. The caller closes the store. */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    this.#upkeep.stop();
    await this.#parts.changes.close(async () => {
      await this.#parts.submitter.close();
      try {
        await this.#parts.engine.endInQueue();
        if (this.#parts.changes.fault === null) {
          await this.#flushAll();
          await this.#parts.persister.syncAll({ alone: true });
          await this.#parts.snapshot.history?.persister.syncAll({ alone: true });
        }
      } catch (error) {
        this.#parts.changes.fail(error);
      } finally {
        await this.#parts.pruner.waitForRemovals();
        await this.ws.blocks.files.close().catch((error) => this.#parts.changes.fail(error));
      }
    });
  }
}
