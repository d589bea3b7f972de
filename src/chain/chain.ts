// The chain as other modules see it: the block tree, the active chain, its coins, and every way to change them. All
// changes run one at a time in one queue. A change prepares its result (async), applies it and notifies listeners
// (sync), answers its caller, and then writes to the database. Each step has its own file; this file orders the steps.
// The file is longer than most because all ways to change the chain meet in this class.

import { type BlockView, parseBlock } from '../consensus/block/block-view.js';
import { type HeaderView, parseHeader } from '../consensus/block/header-view.js';
import { equalBytes, hashFromHex } from '../consensus/bytes/hex.js';
import type { Coin } from '../consensus/coin.js';
import { checkBlock } from '../consensus/rules/check-block.js';
import type { Reject, Verdict } from '../consensus/state.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import { Listeners } from '../lib/listeners.js';
import { outpointOfCoinKey } from '../storage/layout.js';
import type { ChainFault } from './chain-fault.js';
import { ChainReader } from './chain-reader.js';
import { Changes } from './changes.js';
import type { DumpedCoins, DumpForm } from './coins/coins-dump.js';
import { PinnedCoins } from './coins/pinned-coins.js';
import type { CoinVisitor } from './coins/walk-coins.js';
import { acceptBlock, acceptHeader } from './connect/accept.js';
import { Activator } from './connect/activator.js';
import type { ConnectProgress } from './connect/connect-progress.js';
import { type EarlyConnection, EarlyConnections } from './connect/early-connection.js';
import { invalidate, reconsider } from './connect/invalidate.js';
import { isKnownValid, type KnownTransactions } from './connect/known-block.js';
import { type CheckedTransactions, identify, isLarge, recognise } from './connect/large-block.js';
import { openWorkspace } from './connect/open-workspace.js';
import type { BlockOutcome, ChainStats, CoinsStats } from './connect/outcome.js';
import { assumedHashHex } from './connect/scripts-needed.js';
import { verifyBlocks } from './connect/verify-chain.js';
import type { ChainWorkspace } from './connect/workspace.js';
import type { CheckedListener, HeaderListener, TipFollower, TipListener } from './events.js';
import { adoptBehind } from './files/adopt-behind.js';
import type { ImportProgress } from './files/import-blocks.js';
import { Persister } from './files/persister.js';
import { type PruneGuard, Pruner } from './files/pruner.js';
import { CONNECT_SLICE_MS, Importer } from './importer.js';
import { InitialDownload } from './initial-download.js';
import { Intake } from './intake.js';
import type { ChainDeps, ChainOptions } from './options.js';
import type { History } from './snapshot/history.js';
import { SnapshotChain } from './snapshot/snapshot-chain.js';
import type { SnapshotFile, SnapshotHead } from './snapshot/snapshot-file.js';
import { testValidity, type ValidityOptions } from './tree/block-validity.js';
import { type HeaderNode, NodeStatus } from './tree/header-node.js';
import { Upkeep } from './upkeep.js';

/** A submitted block, with its early connection if one was started. */
interface Submission {
  readonly view: BlockView;
  readonly early: EarlyConnection | null;
  /** True if the node requested the block. Requested blocks are stored even if they have less work than the tip. */
  readonly requested: boolean;
}

export class Chain extends ChainReader {
  readonly #changes: Changes;
  readonly #activator: Activator;
  readonly #persister: Persister;
  readonly #pruner: Pruner;
  readonly #upkeep: Upkeep;
  readonly #download: InitialDownload;
  readonly #intake: Intake;
  readonly #importer: Importer;
  readonly #snapshot: SnapshotChain;
  readonly #walks: PinnedCoins;
  readonly #early: EarlyConnections;
  /** Resolves when the ids of all large blocks received so far are computed. */
  #lastIdentified: Promise<void> = Promise.resolve();
  readonly #headerListeners: Listeners<[HeaderNode]>;
  readonly #storedListeners: Listeners<[HeaderNode, BlockView]>;
  readonly #assumedHash: Uint8Array | null;
  #announcedHeader: HeaderNode;
  #closing: Promise<void> | null = null;
  #known: CheckedTransactions | null = null;

  /**
   * Opens the stored chain, repairs what a crash left, and connects stored blocks up to options.connectAtOpen
   * transactions.
   */
  static async open(options: Partial<ChainOptions>, deps: ChainDeps): Promise<Chain> {
    const { ws, history } = await openWorkspace(options, deps);
    const chain = new Chain(ws, deps);
    if (history !== null) chain.#snapshot.beginHistory(history);
    // Indexes and wallets register their prune guards later. Until then keep every block.
    const keepAll = chain.guardBlocks(() => 0);
    try {
      await chain.#pruner.finishRemovals();
      if (ws.options.adoptAtOpen) await adoptBehind(ws, (block, at) => chain.#importer.importBlock(block, at));
      await chain.#changes.changeWhole(async () => {
        await chain.#leaveFailedTip();
        if (chain.#importer.transactionsAhead <= ws.options.connectAtOpen) await chain.#activator.activate();
      });
      await chain.#changes.idle();
      chain.#changes.refuseAfterFault();
    } catch (error) {
      chain.#upkeep.stop();
      await ws.blocks.files.close().catch(() => undefined);
      throw error;
    }
    keepAll();
    chain.#snapshot.history?.resumeConnecting();
    return chain;
  }

  private constructor(ws: ChainWorkspace, deps: ChainDeps) {
    super(ws);
    this.#headerListeners = new Listeners(ws.guard);
    this.#storedListeners = new Listeners(ws.guard);
    this.#changes = new Changes(
      ws.log,
      (fault) => deps.onFault?.(fault),
      () => this.#upkeep.afterChange(),
    );
    const changes = this.#changes;
    this.#download = new InitialDownload({ minimumChainWork: this.minimumChainWork, maxTipAge: ws.options.maxTipAge }, ws.clock, () => {
      ws.log.info('Leaving InitialBlockDownload (latching to false)');
    });
    const assumed = assumedHashHex(ws);
    this.#assumedHash = assumed === null ? null : hashFromHex(assumed);
    this.#persister = new Persister(ws, this.tip);
    this.#activator = new Activator(
      ws,
      this.#persister,
      () => this.#assumedValid(),
      () => !this.isInitialBlockDownload(),
    );
    this.#pruner = new Pruner(
      ws,
      () => this.#flushAll(),
      () => this.isInitialBlockDownload(),
    );
    const parts = { changes, activator: this.#activator, persister: this.#persister, pruner: this.#pruner };
    this.#upkeep = new Upkeep(ws, parts);
    this.#importer = new Importer(ws, { ...parts, announceHeader: () => this.#announceHeader(), flush: () => this.flush() });
    this.#snapshot = new SnapshotChain(ws, { ...parts, assumedValid: () => this.#assumedValid() });
    this.#walks = new PinnedCoins(ws, changes, this.#persister, deps.coinScanner);
    this.#early = new EarlyConnections(ws);
    this.#intake = new Intake(ws, {
      change: (job) => changes.changeWhole(job),
      activate: (enough) => this.#activator.activate(null, enough),
      crowded: () => changes.crowded,
      writeSomeRows: () => this.#importer.writeSomeRows(),
      storedAhead: () => this.storedAhead,
      failed: (error) => changes.reportFailure(error),
    });
    this.#announcedHeader = ws.index.bestHeader;
  }

  #assumedValid(): HeaderNode | undefined {
    return this.#assumedHash === null ? undefined : this.ws.index.get(this.#assumedHash);
  }

  /** Error after which the chain refuses every change; null while there is no such error. */
  get fault(): ChainFault | null {
    return this.#changes.fault;
  }
  /** Returns true until the tip was recent and had enough work once (Core's IsInitialBlockDownload). */
  isInitialBlockDownload(): boolean {
    return this.#download.active(this.tip, this.#importer.running);
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
    await recognise(block, this.#known);
    if (isLarge(block)) await identify(block, this.ws.blockHasher);
  }

  /**
   * Checks, stores and activates a block (Core's ProcessNewBlock). When the promise resolves, the kernel has the
   * block's bytes. The next start finds the bytes in the files even if the block's index row was not written.
   * @param options.force true if the block was requested: it is stored even if it has less work than the tip (default
   *   true)
   * @throws DecodeError; ChainFault
   */
  async submitBlock(block: Uint8Array | BlockView, options: { force?: boolean } = {}): Promise<BlockOutcome> {
    const view = block instanceof Uint8Array ? parseBlock(ownBytes(block), this.ws.crypto) : block;
    const recognised = recognise(view, this.#known);
    const identified = isLarge(view) ? this.#inOrder(recognised.then(() => identify(view, this.ws.blockHasher))) : undefined;
    await recognised;
    const refused = this.#closing !== null || this.fault !== null;
    const early = refused || this.isInitialBlockDownload() ? null : this.#early.beginConnection(view, identified);
    try {
      if (identified !== undefined) await identified;
      const wrong = checkBlock(view, this.params, this.ws.crypto);
      if (wrong !== null) {
        this.#activator.onChecked.call(view.hash, view, wrong);
        return { kind: 'invalid', reject: wrong, isNew: false, node: this.ws.index.get(view.hash) ?? null };
      }
      return await this.#changes.change((reply) => this.#processBlock({ view, early, requested: options.force ?? true }, reply));
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
    if (!equalBytes(view.header.prevHash, this.tip.hash)) await this.#activator.writeTipChanges();
    const { verdict, node, isNew } = await acceptBlock(this.ws, view, requested);
    if (verdict !== null) this.#activator.onChecked.call(view.hash, view, verdict);
    // Begin writing the index rows, but do not wait for the database before the answer: it may delay a write for
    // seconds.
    this.#persister.beginRows();
    this.#announceHeader();
    if (verdict !== null || node === null) {
      await this.#persister.rowsBegun;
      reply({ kind: 'invalid', reject: verdict, isNew: false, node });
      return;
    }
    // Listeners (relay) may send the block to peers while its scripts run.
    if (isNew && node.prev === this.tip && !this.isInitialBlockDownload()) this.#storedListeners.call(node, view);
    // Compare nodes, not hashes: a mutated copy that fails during the activation has the same hash.
    let seen: { reject: Reject | null } | undefined;
    // In the initial download, hundreds of stored blocks may have to be connected before this one. An unrequested block
    // must not connect all of them in one go, so stop after a time slice.
    const begin = this.ws.clock.monotonicMs();
    const enough = (): boolean => this.isInitialBlockDownload() && this.ws.clock.monotonicMs() - begin >= CONNECT_SLICE_MS;
    await this.#activator.activate(
      isNew ? { node, block: view, early } : null,
      requested && isNew ? undefined : enough,
      (judged, reject) => {
        if (judged === node) seen = { reject };
      },
    );
    this.#intake.resumeConnecting();
    this.#snapshot.history?.resumeConnecting();
    if (seen?.reject != null) reply({ kind: 'invalid', reject: seen.reject, isNew, node });
    else if (!isNew && node.has(NodeStatus.HAVE_DATA)) reply({ kind: 'duplicate', reject: null, isNew, node });
    else reply({ kind: seen === undefined ? 'inconclusive' : 'accepted', reject: null, isNew, node });
    await this.#persister.rowsBegun;
  }

  /**
   * Stores a requested block of the initial block download. The block is connected later, in time slices, while more
   * blocks arrive (Core's ProcessNewBlock without its ActivateBestChain). A block whose header is unknown or invalid,
   * or that breaks a rule, is passed to submitBlock instead.
   * @returns whether the block was new, once it is stored
   * @throws ChainFault
   */
  async takeBlock(block: BlockView): Promise<boolean> {
    const node = this.ws.index.get(block.hash);
    const fits = node !== undefined && !node.failed && !node.has(NodeStatus.HAVE_DATA) && !this.#intake.isStoring(node);
    const isNew = fits ? await this.#changes.storeConcurrently(() => this.#intake.storeBlock(block, node)) : null;
    this.#snapshot.history?.resumeConnecting();
    return isNew ?? (await this.submitBlock(block)).isNew;
  }

  /**
   * Resolves when the chain has tried to connect a block from takeBlock, or when no stored block is left to connect.
   */
  async waitUntilConnected(hash: Uint8Array): Promise<void> {
    const node = this.ws.index.get(hash);
    if (node !== undefined) await this.#intake.waitUntilConnected(node);
  }

  /** Returns a promise that resolves when takeBlock may be called again; undefined if it may be called now. */
  waitForCapacity(): Promise<void> | undefined {
    return this.#intake.waitForCapacity();
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
    const views = headers.map((bytes) => parseHeader(bytes, this.ws.crypto));
    return this.#changes.change(async (reply) => {
      let last: HeaderNode | null = null;
      let verdict: Verdict = null;
      for (const view of views) {
        const result = acceptHeader(this.ws, view);
        verdict = result.verdict;
        if (verdict !== null) break;
        last = result.node;
      }
      await this.#persister.writeRows();
      this.#announceHeader();
      reply({ verdict, last });
    });
  }

  /**
   * Checks whether a block is valid on the tip, without storing it (Core's TestBlockValidity). If its parent is not the
   * tip, the reason is 'inconclusive-not-best-prevblk'.
   */
  async testBlockValidity(block: BlockView, options: ValidityOptions): Promise<Verdict> {
    this.#changes.refuseAfterFault();
    return this.#changes.readConcurrently(() => testValidity(this.ws, block, options));
  }

  /**
   * Returns whether a block whose transactions are all in the mempool is valid on the tip, except for its proof of
   * work. False means unknown; see known-block.ts.
   */
  async isKnownValid(header: HeaderView, coinbase: TxView, known: KnownTransactions): Promise<boolean> {
    this.#changes.refuseAfterFault();
    return this.#changes.readConcurrently(() => isKnownValid(this.ws, header, coinbase, known));
  }

  /** Marks a block as invalid and disconnects it. Always resolves with null. Genesis cannot be invalidated. */
  invalidateBlock(node: HeaderNode): Promise<Verdict> {
    return this.#changes.change(async (reply) => {
      await invalidate(this.ws, this.#activator, node);
      await this.#activator.activate();
      await this.#writeBefore(reply);
    });
  }

  /** Removes the invalid marks of a block, its ancestors and its descendants, then activates the best branch. */
  reconsiderBlock(node: HeaderNode): Promise<Verdict> {
    return this.#changes.change(async (reply) => {
      reconsider(this.ws, node);
      await this.#activator.activate();
      await this.#writeBefore(reply);
    });
  }

  /** Ranks a block as if it had been received before all other blocks of equal work. */
  preciousBlock(node: HeaderNode): Promise<Verdict> {
    return this.#changes.change(async (reply) => {
      if (this.ws.index.makePrecious(node)) await this.#activator.activate();
      await this.#writeBefore(reply);
    });
  }

  /**
   * Writes and syncs everything, then resolves the caller's promise with null: an operator's marks must be on the disk
   * when the answer is sent.
   */
  async #writeBefore(reply: (verdict: Verdict) => void): Promise<void> {
    await this.#activator.writeTipChanges();
    await this.#persister.writeRows();
    await this.#persister.syncAll();
    this.#announceHeader();
    reply(null);
  }

  /** Disconnects blocks that the last run marked as invalid but did not disconnect before the process died. */
  async #leaveFailedTip(): Promise<void> {
    let target = this.tip;
    while (target.failed && target.prev !== null) target = target.prev;
    if (target === this.tip) return;
    this.ws.log.info(`The tip is marked invalid. Disconnecting blocks down to height ${target.height}`);
    await this.#activator.disconnectTo(target, () => undefined);
    this.ws.index.refillCandidates();
  }

  /**
   * Returns an unspent output at the tip.
   * @param outpoint 36 bytes: txid, then vout little-endian
   */
  async coin(outpoint: Uint8Array): Promise<Coin | undefined> {
    return (await this.coinsAt([outpoint]))[0];
  }

  /**
   * Returns unspent outputs at the tip, in the order of the outpoints.
   * @param outpoints 36 bytes each; a few hundred at most, because they are looked up without a pause
   */
  async coinsAt(outpoints: readonly Uint8Array[]): Promise<(Coin | undefined)[]> {
    return (await this.coinsAtTip(outpoints)).coins;
  }

  /** Returns unspent outputs at the tip together with that tip. */
  coinsAtTip(outpoints: readonly Uint8Array[]): Promise<{ tip: HeaderNode; coins: (Coin | undefined)[] }> {
    return this.#changes.readConcurrently(async () => {
      await this.coins.prefetch(outpoints);
      return { tip: this.tip, coins: outpoints.map((outpoint) => this.coins.get(outpoint)) };
    });
  }

  /**
   * Returns any unspent output of a transaction. Writes pending coins first.
   * @param txid internal order
   */
  async anyCoinOf(txid: Uint8Array): Promise<Coin | undefined> {
    await this.flush();
    for await (const [key] of this.ws.store.iterate(this.ws.space.ofTx(txid))) {
      const coin = await this.coin(outpointOfCoinKey(key));
      if (coin !== undefined) return coin;
    }
    return undefined;
  }

  /**
   * Computes the figures of gettxoutsetinfo over all coins at the current tip, in time slices. Later changes of the
   * chain do not affect the result.
   */
  coinsStats(options: { hashSerialized: 2 | 3 | null; muhash?: boolean }): Promise<CoinsStats> {
    return this.#walks.stats(options);
  }

  /**
   * Writes all coins at the current tip to a new file (dumptxoutset). The chain may change during the dump without
   * affecting the file.
   * @param form file format, named by the release of Core that introduced it
   * @returns the block of these coins and their number; null if another dump is running
   * @throws DumpStoppedError if the node stops; otherwise the system's error
   */
  dumpCoins(path: string, form: DumpForm['form']): Promise<({ tip: HeaderNode } & DumpedCoins) | null> {
    return this.#walks.dump(path, form);
  }

  /**
   * Calls a visitor for every coin at the current tip that has one of the visitor's scripts. Later changes of the chain
   * do not affect the walk.
   * @returns the block of these coins, and whether all coins were visited
   */
  walkCoins(visitor: CoinVisitor): Promise<{ tip: HeaderNode; complete: boolean }> {
    return this.#walks.walk(visitor);
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
    return this.#changes.change(async (reply) => reply(await verifyBlocks(this.ws, level, blocks)));
  }

  /**
   * Imports a blk file, bootstrap.dat or a file of hex lines, with full validation.
   * @returns number of blocks accepted as new
   */
  loadBlockFile(path: string, onProgress?: (progress: ImportProgress) => void): Promise<number> {
    return this.loadBlockFiles([path], onProgress);
  }

  /**
   * Imports several files, for example all files of a blocks folder. Blocks may be in any order. The files are not
   * changed.
   */
  loadBlockFiles(paths: readonly string[], onProgress?: (progress: ImportProgress) => void): Promise<number> {
    return this.#importer.load(paths, onProgress);
  }

  /**
   * Adds the blocks of the node's own files to an empty tree, without connecting them (-reindex).
   * @returns number of added blocks
   */
  adoptStored(onProgress?: (progress: ImportProgress) => void): Promise<number> {
    return this.#importer.adoptStored(onProgress);
  }

  /** Number of stored blocks on the best branch that are not connected yet; 0 if the tip is the best block. */
  get storedAhead(): number {
    return this.#importer.storedAhead;
  }

  /**
   * Connects stored blocks until the tip is the best block. Works in time slices, so that other changes run in between.
   */
  connectStored(onProgress?: (progress: ConnectProgress) => void): Promise<void> {
    return this.#importer.connectStored(onProgress);
  }

  /**
   * The snapshot block, if the chain's coins come from a snapshot or came from one earlier in this run; otherwise null.
   * `validated` is true once the blocks below the snapshot block are validated.
   */
  get snapshot(): { readonly base: HeaderNode; readonly validated: boolean } | null {
    const { base, history } = this.#snapshot;
    return base && { base, validated: history === null };
  }

  /** Validation of the blocks below a snapshot, which runs in the background; null if there is none. */
  get history(): Pick<History, 'tip' | 'from' | 'base' | 'wants' | 'coinsCacheBytes'> | null {
    return this.#snapshot.history;
  }

  override get validTip(): HeaderNode {
    return this.#snapshot.history?.tip ?? this.tip;
  }

  /**
   * Loads the coins of a snapshot, compares their hash with the network's parameters, and makes the snapshot block the
   * tip. The former chain continues in the background as the history below it (Core's ActivateSnapshot).
   * @param poolSize number of transactions in the mempool. It must be 0, because they were checked against other coins
   * @returns the tip after loading
   * @throws SnapshotError if the snapshot is refused; ChainFault
   */
  loadSnapshot(file: SnapshotFile, head: SnapshotHead, poolSize: () => number): Promise<HeaderNode> {
    return this.#snapshot.load(file, head, poolSize);
  }

  /** Writes the coins of the active chain, and those of the history below a snapshot. */
  async #flushAll(): Promise<void> {
    await this.#persister.flush();
    await this.#snapshot.history?.persister.flush();
  }

  /**
   * Registers a listener that is called when the history below a snapshot has advanced or is validated.
   * @returns unsubscribe
   */
  onHistory(listener: () => void, name?: string): () => void {
    return this.#snapshot.onHistory(listener, name);
  }

  /** Registers a follower: its state must match the tip, so the node stops if the follower throws. */
  addFollower(follower: TipFollower): void {
    this.#activator.followers.push(follower);
  }

  /**
   * Registers a listener. Listeners are called in the order of registration. The guard logs an exception of a listener
   * and counts it under the listener's name.
   * @returns function that removes the listener
   */
  onTip(listener: TipListener, name?: string): () => void {
    return this.#activator.onTip.add(listener, name);
  }

  /**
   * Sets the promise that the chain awaits between two tip changes while an operator disconnects blocks.
   * @param settled returns a promise that resolves when the mempool has accepted the transactions of the disconnected
   *   blocks again
   */
  waitForMempool(settled: () => Promise<void>): void {
    this.#activator.mempoolSettled = settled;
  }

  /**
   * Registers a listener that is called when TipChange.moreFollows was true but the next block turned out to be
   * invalid.
   * @returns unsubscribe
   */
  onNoMoreFollows(listener: () => void, name?: string): () => void {
    return this.#activator.onNoMoreFollows.add(listener, name);
  }
  onHeader(listener: HeaderListener, name?: string): () => void {
    return this.#headerListeners.add(listener, name);
  }
  /**
   * Registers a listener for new blocks on the tip that passed every check that needs no coins. The listener is called
   * before the block is connected (Core's NewPoWValidBlock).
   */
  onStored(listener: (node: HeaderNode, block: BlockView) => void, name?: string): () => void {
    return this.#storedListeners.add(listener, name);
  }
  onChecked(listener: CheckedListener, name?: string): () => void {
    return this.#activator.onChecked.add(listener, name);
  }

  #announceHeader(): void {
    const best = this.ws.index.bestHeader;
    if (best === this.#announcedHeader) return;
    this.#announcedHeader = best;
    this.#headerListeners.call(best);
  }

  /** Writes all pending changes to the database. Near the tip this usually has happened already. */
  flush(): Promise<void> {
    return this.#changes.changeWhole(async () => {
      await this.#activator.writeTipChanges();
      await this.#flushAll();
    });
  }

  /** Writes all pending changes to the database and waits for fsync. */
  sync(): Promise<void> {
    return this.#changes.changeWhole(async () => {
      await this.#activator.writeTipChanges();
      await this.#flushAll();
      await this.#persister.syncAll();
      await this.#snapshot.history?.persister.syncAll();
    });
  }

  /**
   * Prunes until the block files fit into the target of -prune.
   * @returns once the files no longer count in sizeOnDisk; `removed` resolves when the files are deleted
   */
  async pruneToTarget(): Promise<{ removed: Promise<void> }> {
    await this.#changes.changeWhole(async () => {
      await this.#activator.writeTipChanges();
      await this.#pruner.pruneToTarget();
    });
    return { removed: this.#pruner.waitForRemovals() };
  }

  /**
   * Prunes files whose blocks are all at or below a height and at least 288 below the tip. Resolves when the files are
   * deleted.
   */
  async pruneUpTo(height: number): Promise<void> {
    await this.#changes.changeWhole(async () => {
      await this.#activator.writeTipChanges();
      await this.#pruner.pruneUpTo(height);
    });
    await this.#pruner.waitForRemovals();
  }

  /**
   * Registers a guard that protects blocks from pruning until an index or a wallet has read them.
   * @param guard called before each pruning
   * @returns function that removes the guard
   */
  guardBlocks(guard: PruneGuard): () => void {
    return this.#pruner.addGuard(guard);
  }

  /** Lowest block from which all blocks up to the tip are stored. */
  get lowestStored(): HeaderNode {
    return this.#pruner.lowestStored();
  }

  /**
   * Resolves when the index has this block and its undo data, and the bytes of both would survive a power failure.
   * Indexes wait for this before they write their rows.
   */
  async recorded(node: HeaderNode): Promise<void> {
    const { dirty } = this.ws.index;
    if (dirty.has(node) || (node.prev !== null && !node.has(NodeStatus.HAVE_UNDO))) {
      await this.#changes.changeWhole(async () => {
        await this.#persister.writeUndo();
        await this.#snapshot.history?.persister.writeUndo();
        await this.#persister.writeRows();
      });
    }
    await this.ws.blocks.files.sync();
  }

  /**
   * Resolves when all changes queued so far are finished. A block that was stored before is then connected, rejected or
   * skipped.
   */
  settled(): Promise<void> {
    return this.#changes.idle();
  }

  stats(): ChainStats {
    const { connected, disconnected, rejected, reorganizations } = this.#activator.counts;
    return {
      height: this.tip.height,
      headers: this.bestHeader.height,
      blocksConnected: connected,
      blocksDisconnected: disconnected,
      blocksRejected: rejected,
      reorgs: reorganizations,
      candidates: this.ws.index.candidates.size,
      coinsCacheBytes: this.coins.stats().usedBytes,
      databaseBytes: this.ws.store.memoryBytes(),
      queued: this.#changes.size,
    };
  }

  /** Finishes the current change, writes everything and closes the block files. The caller closes the store. */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    this.#upkeep.stop();
    await this.#changes.close(async () => {
      await this.#activator.prefetcher.close();
      await this.#early.close();
      await this.#snapshot.history?.close();
      try {
        if (this.#changes.fault === null) {
          await this.#flushAll();
          await this.#persister.syncAll({ alone: true });
          await this.#snapshot.history?.persister.syncAll({ alone: true });
        }
      } catch (error) {
        this.#changes.fail(error);
      } finally {
        await this.#pruner.waitForRemovals();
        await this.ws.blocks.files.close().catch((error) => this.#changes.fail(error));
      }
    });
  }
}

/**
 * Copies bytes if they are in memory shared with other threads, because blocks near the tip stay in memory for a while.
 */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof ArrayBuffer ? bytes : new Uint8Array(bytes);
}
