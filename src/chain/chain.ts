// The chain as the rest of the node sees it: the header tree, the active branch and its coins, and every way to change
// them. All changes go through one queue, one at a time: gather (async), apply and notify (sync), answer, write.
// Each step has its own file; this one orders them. Longer than most files because all ways to change the chain meet
// here.

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

/** A block on its way in. */
interface Submission {
  readonly view: BlockView;
  readonly early: EarlyConnection | null;
  /** It was asked for: stored even when it has less work than the tip. */
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
  /** Settled once the large blocks that came have their ids. */
  #lastIdentified: Promise<void> = Promise.resolve();
  readonly #headerListeners: Listeners<[HeaderNode]>;
  readonly #storedListeners: Listeners<[HeaderNode, BlockView]>;
  readonly #assumedHash: Uint8Array | null;
  #announcedHeader: HeaderNode;
  #closing: Promise<void> | null = null;
  #known: CheckedTransactions | null = null;

  /**
   * Opens what the store holds, repairs what a crash left, and connects blocks that are stored but not connected yet.
   */
  static async open(options: Partial<ChainOptions>, deps: ChainDeps): Promise<Chain> {
    const { ws, history } = await openWorkspace(options, deps);
    const chain = new Chain(ws, deps);
    if (history !== null) chain.#snapshot.beginHistory(history);
    // The other guards are not registered yet: until they are, every block may be needed.
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

  /** Set once storage failed; every change is refused from then on. */
  get fault(): ChainFault | null {
    return this.#changes.fault;
  }
  /** True until the tip was once recent and had enough work. */
  isInitialBlockDownload(): boolean {
    return this.#download.active(this.tip, this.#importer.running);
  }

  /** What a block's transactions may be known from. */
  useCheckedTransactions(known: CheckedTransactions): void {
    this.#known = known;
  }

  /** Takes over what is known of a block's transactions, and makes the ids of the others where that takes long. */
  async identify(block: BlockView): Promise<void> {
    await recognise(block, this.#known);
    if (isLarge(block)) await identify(block, this.ws.blockHasher);
  }

  /**
   * Checks, stores and activates a block (Core's ProcessNewBlock). Its bytes are in the files when this resolves, where
   * a start finds them also without the block's row.
   * @param options.force it was asked for: store it even when it has less work than the tip; default true
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
   * Large blocks go on in the order in which they came, however long each takes: a child that overtook its parent would
   * be refused.
   */
  #inOrder(making: Promise<void>): Promise<void> {
    const before = this.#lastIdentified;
    const made = making.then(() => before);
    this.#lastIdentified = made.catch(() => undefined);
    return made;
  }

  async #processBlock({ view, early, requested }: Submission, reply: (outcome: BlockOutcome) => void): Promise<void> {
    // A rival of a tip that is not written yet: if the process died now, the order of the two would be lost.
    if (!equalBytes(view.header.prevHash, this.tip.hash)) await this.#activator.writeTipChanges();
    const { verdict, node, isNew } = await acceptBlock(this.ws, view, requested);
    if (verdict !== null) this.#activator.onChecked.call(view.hash, view, verdict);
    // The answer does not wait for the database, which may hold a write up for seconds.
    this.#persister.beginRows();
    this.#announceHeader();
    if (verdict !== null || node === null) {
      await this.#persister.rowsBegun;
      reply({ kind: 'invalid', reject: verdict, isNew: false, node });
      return;
    }
    // The listeners may begin with it while its scripts run.
    if (isNew && node.prev === this.tip && !this.isInitialBlockDownload()) this.#storedListeners.call(node, view);
    // By the node, not by the hash: a copy that fails meanwhile has the hash too.
    let seen: { reject: Reject | null } | undefined;
    // In initial download hundreds of others may wait before it: for a block that was not asked for they are not all
    // connected in one go.
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
   * Takes a block of the initial download that was asked for: it is stored at once and connected in turns, while others
   * come (Core's ProcessNewBlock without its ActivateBestChain). A block whose header is unknown or bad, or that breaks
   * a rule, goes the usual way.
   * @returns whether it was new, once it is stored
   * @throws ChainFault
   */
  async takeBlock(block: BlockView): Promise<boolean> {
    const node = this.ws.index.get(block.hash);
    const fits = node !== undefined && !node.failed && !node.has(NodeStatus.HAVE_DATA) && !this.#intake.isStoring(node);
    const isNew = fits ? await this.#changes.storeConcurrently(() => this.#intake.storeBlock(block, node)) : null;
    this.#snapshot.history?.resumeConnecting();
    return isNew ?? (await this.submitBlock(block)).isNew;
  }

  /** Resolves when the turn of a block from takeBlock is over, or when nothing is left to be connected. */
  async waitUntilConnected(hash: Uint8Array): Promise<void> {
    const node = this.ws.index.get(hash);
    if (node !== undefined) await this.#intake.waitUntilConnected(node);
  }

  /** Resolves when takeBlock has room for another one; undefined when it has. */
  waitForCapacity(): Promise<void> | undefined {
    return this.#intake.waitForCapacity();
  }

  /** Checks and stores a header. null: accepted, or known as good. @throws DecodeError under 80 bytes; ChainFault */
  async submitHeader(header: Uint8Array): Promise<Verdict> {
    return (await this.submitHeaders([header])).verdict;
  }

  /** Checks and stores headers in order, until one fails. @throws DecodeError; ChainFault */
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
   * Connects a block onto the tip without keeping anything. On another parent the verdict's reason is
   * 'inconclusive-not-best-prevblk'.
   */
  async testBlockValidity(block: BlockView, options: ValidityOptions): Promise<Verdict> {
    this.#changes.refuseAfterFault();
    return this.#changes.readConcurrently(() => testValidity(this.ws, block, options));
  }

  /**
   * Whether a block of transactions that the mempool holds is valid on the tip, but for its proof of work; see
   * known-block.ts.
   */
  async isKnownValid(header: HeaderView, coinbase: TxView, known: KnownTransactions): Promise<boolean> {
    this.#changes.refuseAfterFault();
    return this.#changes.readConcurrently(() => isKnownValid(this.ws, header, coinbase, known));
  }

  /** Marks a block as invalid and leaves it. Always null; genesis is left alone. */
  invalidateBlock(node: HeaderNode): Promise<Verdict> {
    return this.#changes.change(async (reply) => {
      await invalidate(this.ws, this.#activator, node);
      await this.#activator.activate();
      await this.#writeBefore(reply);
    });
  }

  /** Takes marks of invalidity from a block and its family, and activates what is best then. */
  reconsiderBlock(node: HeaderNode): Promise<Verdict> {
    return this.#changes.change(async (reply) => {
      reconsider(this.ws, node);
      await this.#activator.activate();
      await this.#writeBefore(reply);
    });
  }

  /** Treats a block as if received before all others of its work. */
  preciousBlock(node: HeaderNode): Promise<Verdict> {
    return this.#changes.change(async (reply) => {
      if (this.ws.index.makePrecious(node)) await this.#activator.activate();
      await this.#writeBefore(reply);
    });
  }

  /** For marks set by hand: they must be on the disk when the answer goes out. */
  async #writeBefore(reply: (verdict: Verdict) => void): Promise<void> {
    await this.#activator.writeTipChanges();
    await this.#persister.writeRows();
    await this.#persister.syncAll();
    this.#announceHeader();
    reply(null);
  }

  /** The tip of the last run was marked invalid but not left yet when the process died. */
  async #leaveFailedTip(): Promise<void> {
    let target = this.tip;
    while (target.failed && target.prev !== null) target = target.prev;
    if (target === this.tip) return;
    this.ws.log.info(`Leaving a tip that is marked invalid, down to height ${target.height}`);
    await this.#activator.disconnectTo(target, () => undefined);
    this.ws.index.refillCandidates();
  }

  /** An unspent output at the tip. @param outpoint 36 bytes */
  async coin(outpoint: Uint8Array): Promise<Coin | undefined> {
    return (await this.coinsAt([outpoint]))[0];
  }

  /**
   * Unspent outputs at the tip, in order.
   * @param outpoints 36 bytes each; a few hundred at most, as they are looked up in one turn
   */
  async coinsAt(outpoints: readonly Uint8Array[]): Promise<(Coin | undefined)[]> {
    return (await this.coinsAtTip(outpoints)).coins;
  }

  /** The same, with the tip at which they were looked up. */
  coinsAtTip(outpoints: readonly Uint8Array[]): Promise<{ tip: HeaderNode; coins: (Coin | undefined)[] }> {
    return this.#changes.readConcurrently(async () => {
      await this.coins.prefetch(outpoints);
      return { tip: this.tip, coins: outpoints.map((outpoint) => this.coins.get(outpoint)) };
    });
  }

  /** Any unspent output of a transaction; what is not written yet is written first. @param txid internal order */
  async anyCoinOf(txid: Uint8Array): Promise<Coin | undefined> {
    await this.flush();
    for await (const [key] of this.ws.store.iterate(this.ws.space.ofTx(txid))) {
      const coin = await this.coin(outpointOfCoinKey(key));
      if (coin !== undefined) return coin;
    }
    return undefined;
  }

  /** Figures of all coins, by a walk in slices while the chain goes on. */
  coinsStats(options: { hashSerialized: 2 | 3 | null; muhash?: boolean }): Promise<CoinsStats> {
    return this.#walks.stats(options);
  }

  /**
   * Writes all coins to a file that does not exist, while the chain goes on.
   * @param form of the file, by the release that has it
   * @returns the block they stood at and how many there are, null while another dump is written
   * @throws DumpStoppedError when the node stops meanwhile, or the system's error
   */
  dumpCoins(path: string, form: DumpForm['form']): Promise<({ tip: HeaderNode } & DumpedCoins) | null> {
    return this.#walks.dump(path, form);
  }

  /**
   * Shows a visitor the coins with its scripts, while the chain goes on.
   * @returns the block they stood at, and whether all were gone over
   */
  walkCoins(visitor: CoinVisitor): Promise<{ tip: HeaderNode; complete: boolean }> {
    return this.#walks.walk(visitor);
  }

  /** Core's verifychain. @param level 0..4 @param blocks 0 = all */
  verifyChain(level: number, blocks: number): Promise<boolean> {
    return this.verifyStored(level, blocks).then((wrong) => wrong === null);
  }

  /** Checks stored blocks as verifychain does. @returns what is wrong, null when all is well */
  verifyStored(level: number, blocks: number): Promise<string | null> {
    return this.#changes.change(async (reply) => reply(await verifyBlocks(this.ws, level, blocks)));
  }

  /** Reads a blk file, bootstrap.dat or a file of hex lines, with full validation. @returns blocks accepted as new */
  loadBlockFile(path: string, onProgress?: (progress: ImportProgress) => void): Promise<number> {
    return this.loadBlockFiles([path], onProgress);
  }

  /**
   * The same over several files, among which blocks may lie in any order: a whole blocks folder. Only read, never
   * changed.
   */
  loadBlockFiles(paths: readonly string[], onProgress?: (progress: ImportProgress) => void): Promise<number> {
    return this.#importer.load(paths, onProgress);
  }

  /**
   * Takes the blocks that lie in the node's own files into an empty tree, without connecting them (-reindex).
   * @returns how many
   */
  adoptStored(onProgress?: (progress: ImportProgress) => void): Promise<number> {
    return this.#importer.adoptStored(onProgress);
  }

  /** Stored blocks that wait to be put on top of the tip; 0 when the tip is the best there is. */
  get storedAhead(): number {
    return this.#importer.storedAhead;
  }

  /**
   * Connects stored blocks until the tip is the best there is, in turns, so that others get at the chain in between.
   */
  connectStored(onProgress?: (progress: ConnectProgress) => void): Promise<void> {
    return this.#importer.connectStored(onProgress);
  }

  /** The block of the snapshot that the chain was begun with in this run or before, while that matters. */
  get snapshot(): { readonly base: HeaderNode; readonly validated: boolean } | null {
    const { base, history } = this.#snapshot;
    return base && { base, validated: history === null };
  }

  /** The blocks below a snapshot that are validated in the background, null when there are none. */
  get history(): Pick<History, 'tip' | 'from' | 'base' | 'wants' | 'coinsCacheBytes'> | null {
    return this.#snapshot.history;
  }

  override get validTip(): HeaderNode {
    return this.#snapshot.history?.tip ?? this.tip;
  }

  /**
   * Puts the chain on the coins of a snapshot, once they are loaded and their hash is that of the network's parameters;
   * what was the chain goes on in the background as the history below it (Core's ActivateSnapshot).
   * @param poolSize transactions that would be judged by other coins than before: there must be none
   * @returns the block that the chain stands at then
   * @throws SnapshotError when it is refused; ChainFault
   */
  loadSnapshot(file: SnapshotFile, head: SnapshotHead, poolSize: () => number): Promise<HeaderNode> {
    return this.#snapshot.load(file, head, poolSize);
  }

  /** Writes the coins of the chain, and of the history below a snapshot. */
  async #flushAll(): Promise<void> {
    await this.#persister.flush();
    await this.#snapshot.history?.persister.flush();
  }

  /** Called when the history below a snapshot has moved, or is validated. @returns takes the listener off again */
  onHistory(listener: () => void, name?: string): () => void {
    return this.#snapshot.onHistory(listener, name);
  }

  /** Registers a follower, whose state must match the tip. If the follower throws, the node stops. */
  addFollower(follower: TipFollower): void {
    this.#activator.followers.push(follower);
  }

  /**
   * Registers a listener. Listeners are called in the order of registration. The guard logs an exception of a listener and
   * counts it under the listener's name.
   * @returns unsubscribe
   */
  onTip(listener: TipListener, name?: string): () => void {
    return this.#activator.onTip.add(listener, name);
  }

  /**
   * Where an operator takes blocks off and more moves follow at once, the next one waits for this.
   * @param settled resolves when those who bring back what was in these blocks are through with it
   */
  waitForMempool(settled: () => Promise<void>): void {
    this.#activator.mempoolSettled = settled;
  }

  /**
   * Called when the last change of the tip said that more follows, and the next block turned out bad.
   * @returns takes the listener off again
   */
  onNoMoreFollows(listener: () => void, name?: string): () => void {
    return this.#activator.onNoMoreFollows.add(listener, name);
  }
  onHeader(listener: HeaderListener, name?: string): () => void {
    return this.#headerListeners.add(listener, name);
  }
  /**
   * Hears of new blocks on the tip that passed every check without coins, before they are connected (Core's
   * NewPoWValidBlock).
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

  /** Writes everything to the store; near the tip this is already so. */
  flush(): Promise<void> {
    return this.#changes.changeWhole(async () => {
      await this.#activator.writeTipChanges();
      await this.#flushAll();
    });
  }

  /** The same, and waits until the disk has it. */
  sync(): Promise<void> {
    return this.#changes.changeWhole(async () => {
      await this.#activator.writeTipChanges();
      await this.#flushAll();
      await this.#persister.syncAll();
      await this.#snapshot.history?.persister.syncAll();
    });
  }

  /**
   * Removes what -prune has no room for.
   * @returns what resolves once the files are gone; they do not count any more before
   */
  async pruneToTarget(): Promise<{ removed: Promise<void> }> {
    await this.#changes.changeWhole(async () => {
      await this.#activator.writeTipChanges();
      await this.#pruner.pruneToTarget();
    });
    return { removed: this.#pruner.waitForRemovals() };
  }

  /**
   * Removes files whose every block is at a height or below it, and far enough below the tip. Resolves once they are
   * gone.
   */
  async pruneUpTo(height: number): Promise<void> {
    await this.#changes.changeWhole(async () => {
      await this.#activator.writeTipChanges();
      await this.#pruner.pruneUpTo(height);
    });
    await this.#pruner.waitForRemovals();
  }

  /**
   * Keeps blocks that an index or a wallet has yet to read from being pruned.
   * @param guard asked before every pruning
   * @returns how to end that
   */
  guardBlocks(guard: PruneGuard): () => void {
    return this.#pruner.addGuard(guard);
  }

  /** The lowest block from which on all blocks up to the tip are stored. */
  get lowestStored(): HeaderNode {
    return this.#pruner.lowestStored();
  }

  /**
   * Resolves once the next start would know this block and its undo data, and have the bytes of both even after a loss of
   * power: indexes promise nothing about blocks before that. Their rows may reach the disk with a later write of
   * anything.
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
   * Resolves when every change asked for so far is over: a block that was stored is connected, refused or left aside by
   * then.
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

  /**
   * Finishes the change under way, writes everything, closes the block files. The store stays open: its owner closes
   * it.
   */
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

/** Blocks near the tip are kept for a while: bytes that live in memory shared with other threads are copied first. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof ArrayBuffer ? bytes : new Uint8Array(bytes);
}
