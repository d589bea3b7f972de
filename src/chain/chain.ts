// The chain as the rest of the node sees it: the header tree, the active branch and its coins, and every way to change
// them. All changes go through one queue, one at a time: gather (async), apply (sync, everyone told), answer, write.
// Each step has its own file; this one orders them and turns a failing store into a chain that refuses further changes.
// Longer than most files because all ways to change the chain meet here.

import { type BlockView, parseBlock } from '../consensus/block/block-view.js';
import { type HeaderView, parseHeader } from '../consensus/block/header-view.js';
import { equalBytes, hashFromHex, hashToHex } from '../consensus/bytes/hex.js';
import type { Coin } from '../consensus/coin.js';
import type { AssumedCoins } from '../consensus/params/chain-params.js';
import { checkBlock } from '../consensus/rules/check-block.js';
import type { Reject, Verdict } from '../consensus/state.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import { SerialQueue } from '../lib/serial-queue.js';
import { InlineCoinScanner } from '../parallel/coin-scanner.js';
import { VerifierFaultError } from '../parallel/verifier.js';
import type { BlockPosition } from '../storage/block-records.js';
import { coinSetsOp } from '../storage/codec/coin-sets.js';
import { type CoinSpace, outpointOfCoinKey } from '../storage/layout.js';
import type { StoreCursor } from '../storage/store.js';
import { StoreError } from '../storage/store-error.js';
import { ChainFault } from './chain-fault.js';
import { ChainReader } from './chain-reader.js';
import { type DumpedCoins, type DumpForm, dumpCoins } from './coins/coins-dump.js';
import { sumCoins } from './coins/coins-stats.js';
import { type CoinVisitor, walkCoins } from './coins/walk-coins.js';
import { acceptBlock, acceptHeader } from './connect/accept.js';
import { Activator } from './connect/activator.js';
import { ConnectMeter, type ConnectProgress } from './connect/connect-progress.js';
import { invalidate, reconsider } from './connect/invalidate.js';
import { isKnownValid, type KnownTransactions } from './connect/known-block.js';
import { hashIds, isLarge } from './connect/large-block.js';
import { historyOf, openWorkspace } from './connect/open-workspace.js';
import type { BlockOutcome, ChainStats, CoinsStats } from './connect/outcome.js';
import { assumedHashHex } from './connect/scripts-needed.js';
import { verifyBlocks } from './connect/verify-chain.js';
import type { ChainWorkspace } from './connect/workspace.js';
import type { CheckedListener, HeaderListener, TipListener } from './events.js';
import { adoptBehind } from './files/adopt-behind.js';
import { type BlockSource, type ImportProgress, type ImportSink, importBlocks } from './files/import-blocks.js';
import { Persister } from './files/persister.js';
import { type PruneGuard, Pruner } from './files/pruner.js';
import { InitialDownload } from './initial-download.js';
import { Intake } from './intake.js';
import { Listeners } from './listeners.js';
import type { ChainDeps, ChainOptions } from './options.js';
import { History } from './snapshot/history.js';
import { assumedCoinsOf, clearOther, loadCoins } from './snapshot/load-snapshot.js';
import { SnapshotError, type SnapshotFile, type SnapshotHead } from './snapshot/snapshot-file.js';
import { testValidity, type ValidityOptions } from './tree/block-validity.js';
import { compareCandidates } from './tree/candidates.js';
import { type HeaderNode, NodeStatus } from './tree/header-node.js';

/**
 * Milliseconds between looks at the coins cache: what the mempool asks for between blocks must not grow it without end.
 */
const TIDY_MS = 1_000;
/**
 * Milliseconds that writing coins waits for a new template to leave; blocks themselves are written before the answer.
 */
const SETTLE_DELAY_MS = 20;
/** Milliseconds that connectStored keeps the chain to itself; one block may take longer. */
const CONNECT_TURN_MS = 50;
/** Unwritten rows of the header tree that an import lets gather. */
const IMPORT_DIRTY_ROWS = 2_000;

export class Chain extends ChainReader {
  readonly #queue = new SerialQueue();
  readonly #activator: Activator;
  readonly #persister: Persister;
  readonly #pruner: Pruner;
  readonly #download: InitialDownload;
  readonly #intake: Intake;
  readonly #headerListeners = new Listeners<[HeaderNode]>();
  readonly #storedListeners = new Listeners<[HeaderNode, BlockView]>();
  readonly #assumedHash: Uint8Array | null;
  #announcedHeader: HeaderNode;
  #faultError: ChainFault | null = null;
  #importing = 0;
  #dumping = false;
  #loading = false;
  /** The blocks below a snapshot, while they are not validated. */
  #history: History | null = null;
  #snapshotBase: HeaderNode | null = null;
  readonly #historyListeners = new Listeners<[]>();
  #closing: Promise<void> | null = null;
  readonly #tidy: NodeJS.Timeout;
  #settleTimer: NodeJS.Timeout | null = null;
  /** Files grew, and nobody looked yet whether some have to go. */
  #pruneDue = false;

  /**
   * Opens what the store holds, repairs what a crash left, and connects blocks that are stored but not connected yet.
   */
  static async open(options: Partial<ChainOptions>, deps: ChainDeps): Promise<Chain> {
    const { ws, history } = await openWorkspace(options, deps);
    const chain = new Chain(ws, deps);
    if (history !== null) chain.#follow(history);
    // Nobody could say yet which blocks are still needed.
    const keepAll = chain.guardBlocks(() => 0);
    try {
      await chain.#pruner.finish();
      if (ws.options.adoptAtOpen) await adoptBehind(ws, (block, at) => chain.#importBlock(block, at));
      await chain.#change<void>(async (reply) => {
        await chain.#leaveFailedTip();
        if (chain.#transactionsAhead <= ws.options.connectAtOpen) await chain.#activator.activate();
        reply();
      });
      await chain.#queue.idle();
      if (chain.#faultError !== null) throw chain.#faultError;
    } catch (error) {
      clearInterval(chain.#tidy);
      await ws.blocks.files.close().catch(() => undefined);
      throw error;
    }
    keepAll();
    chain.#history?.goOn();
    return chain;
  }
  readonly #deps: ChainDeps;

  private constructor(ws: ChainWorkspace, deps: ChainDeps) {
    super(ws);
    this.#deps = deps;
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
    this.#intake = new Intake(ws, {
      change: (job) =>
        this.#change<void>(async (reply) => {
          await job();
          reply();
        }),
      activate: (enough) => this.#activator.activate(null, enough),
      crowded: () => this.#queue.size > 1,
      writeSomeRows: () => this.#writeSomeRows(),
      storedAhead: () => this.storedAhead,
      failed: (error) => {
        // A chain that closes refuses changes; a storage that failed has said so in its own turn.
        if (this.#closing === null) this.#fail(error);
      },
    });
    this.#announcedHeader = ws.index.bestHeader;
    this.#tidy = setInterval(() => this.#tidyUp(), TIDY_MS);
    this.#tidy.unref();
  }

  #assumedValid(): HeaderNode | undefined {
    return this.#assumedHash === null ? undefined : this.ws.index.get(this.#assumedHash);
  }

  #tidyUp(): void {
    const { coins } = this;
    if (coins.usedBytes <= coins.budgetBytes || this.#queue.size > 0 || this.#faultError !== null) return;
    // In the queue, since a change under way counts on what it fetched.
    this.#queue.run(async () => coins.evict()).catch((error: unknown) => this.#fail(error));
  }

  /** Set once storage failed; every change is refused from then on. */
  get fault(): ChainFault | null {
    return this.#faultError;
  }
  /** True until the tip was once recent and had enough work. */
  isInitialBlockDownload(): boolean {
    return this.#download.active(this.tip, this.#importing > 0);
  }

  /**
   * Checks, stores and activates a block (Core's ProcessNewBlock). Its bytes and row are written when this resolves.
   * @param options.force it was asked for: store it even when it has less work than the tip; default true
   * @throws DecodeError; ChainFault
   */
  async submitBlock(block: Uint8Array | BlockView, options: { force?: boolean } = {}): Promise<BlockOutcome> {
    const view = block instanceof Uint8Array ? parseBlock(ownBytes(block), this.ws.crypto) : block;
    if (isLarge(view)) await hashIds(view);
    const early = checkBlock(view, this.params, this.ws.crypto);
    if (early !== null) {
      this.#activator.onChecked.call(view.hash, view, early);
      return { kind: 'invalid', reject: early, isNew: false, node: this.ws.index.get(view.hash) ?? null };
    }
    return this.#change((reply) => this.#processBlock(view, options.force ?? true, reply));
  }

  async #processBlock(view: BlockView, requested: boolean, reply: (outcome: BlockOutcome) => void): Promise<void> {
    // A rival of a tip that is not written yet: if the process died now, nobody would know which of the two came first.
    if (!equalBytes(view.header.prevHash, this.tip.hash)) await this.#activator.settle();
    const { verdict, node, isNew } = await acceptBlock(this.ws, view, requested);
    if (verdict !== null) this.#activator.onChecked.call(view.hash, view, verdict);
    await this.#persister.writeRows();
    this.#announceHeader();
    if (verdict !== null || node === null) {
      reply({ kind: 'invalid', reject: verdict, isNew: false, node });
      return;
    }
    // Everybody downstream may begin with it while its scripts run.
    if (isNew && node.prev === this.tip && !this.isInitialBlockDownload()) this.#storedListeners.call(node, view);
    // By the node, not by the hash: a copy that fails meanwhile has the hash too.
    let seen: { reject: Reject | null } | undefined;
    // In initial download hundreds of others may wait before it: for a block that was not asked for they are not all
    // connected in one go.
    const begin = this.ws.clock.monotonicMs();
    const enough = (): boolean => this.isInitialBlockDownload() && this.ws.clock.monotonicMs() - begin >= CONNECT_TURN_MS;
    await this.#activator.activate(isNew ? { node, block: view } : null, requested && isNew ? undefined : enough, (judged, reject) => {
      if (judged === node) seen = { reject };
    });
    this.#intake.goOn();
    this.#history?.goOn();
    if (seen?.reject != null) reply({ kind: 'invalid', reject: seen.reject, isNew, node });
    else if (!isNew && node.has(NodeStatus.HAVE_DATA)) reply({ kind: 'duplicate', reject: null, isNew, node });
    else reply({ kind: seen === undefined ? 'inconclusive' : 'accepted', reject: null, isNew, node });
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
    const isNew = fits ? await this.#storing(() => this.#intake.take(block, node)) : null;
    this.#history?.goOn();
    return isNew ?? (await this.submitBlock(block)).isNew;
  }

  /** Resolves when the turn of a block from takeBlock is over, or when nothing is left to be connected. */
  async turnOver(hash: Uint8Array): Promise<void> {
    const node = this.ws.index.get(hash);
    if (node !== undefined) await this.#intake.connected(node);
  }

  /** Resolves when takeBlock has room for another one; undefined when it has. */
  room(): Promise<void> | undefined {
    return this.#intake.room();
  }

  /** Checks and stores a header. null: accepted, or known as good. @throws DecodeError under 80 bytes; ChainFault */
  async submitHeader(header: Uint8Array): Promise<Verdict> {
    return (await this.submitHeaders([header])).verdict;
  }

  /** Checks and stores headers in order, until one fails. @throws DecodeError; ChainFault */
  async submitHeaders(headers: readonly Uint8Array[]): Promise<{ verdict: Verdict; last: HeaderNode | null }> {
    const views = headers.map((bytes) => parseHeader(bytes, this.ws.crypto));
    return this.#change(async (reply) => {
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
    this.#refuseAfterFault();
    return this.#reading(() => testValidity(this.ws, block, options));
  }

  /**
   * Whether a block of transactions that the mempool holds is valid on the tip, but for its proof of work; see
   * known-block.ts.
   */
  async isKnownValid(header: HeaderView, coinbase: TxView, known: KnownTransactions): Promise<boolean> {
    this.#refuseAfterFault();
    return this.#reading(() => isKnownValid(this.ws, header, coinbase, known));
  }

  /** Marks a block as invalid and leaves it. Always null; genesis is left alone. */
  invalidateBlock(node: HeaderNode): Promise<Verdict> {
    return this.#change(async (reply) => {
      await invalidate(this.ws, this.#activator, node);
      await this.#activator.activate();
      await this.#settleBefore(reply);
    });
  }

  /** Takes marks of invalidity from a block and its family, and activates what is best then. */
  reconsiderBlock(node: HeaderNode): Promise<Verdict> {
    return this.#change(async (reply) => {
      reconsider(this.ws, node);
      await this.#activator.activate();
      await this.#settleBefore(reply);
    });
  }

  /** Treats a block as if received before all others of its work. */
  preciousBlock(node: HeaderNode): Promise<Verdict> {
    return this.#change(async (reply) => {
      if (this.ws.index.makePrecious(node)) await this.#activator.activate();
      await this.#settleBefore(reply);
    });
  }

  /** For marks set by hand: they must be written when the answer goes out. */
  async #settleBefore(reply: (verdict: Verdict) => void): Promise<void> {
    await this.#activator.settle();
    await this.#persister.writeRows();
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
    return this.#reading(async () => {
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

  /** Writes everything, then opens a view of exactly the coins at the tip, which others may move on from. */
  #pinCoins(): Promise<{ cursor: StoreCursor; tip: HeaderNode }> {
    return this.#change(async (reply) => {
      await this.#persister.flush();
      // Opened before anything else can change.
      reply({ cursor: this.ws.store.cursor(this.ws.space.coins), tip: this.tip });
    });
  }

  /** Figures of all coins, by a walk in slices while the chain goes on. */
  async coinsStats(options: { hashSerialized: boolean; muhash?: boolean }): Promise<CoinsStats> {
    const { gte, lt } = this.ws.space.coins;
    const { cursor, tip } = await this.#pinCoins();
    const diskSize = await this.ws.store.approximateSize(gte, lt);
    const hashing = { hashes: this.ws.crypto, serialized: options.hashSerialized, muhash: options.muhash === true };
    return sumCoins(cursor, tip, hashing, diskSize);
  }

  /**
   * Writes all coins to a file that does not exist, while the chain goes on.
   * @param form of the file, by the release that has it
   * @returns the block they stood at and how many there are, null while another dump is written
   * @throws DumpStoppedError when the node stops meanwhile, or the system's error
   */
  async dumpCoins(path: string, form: DumpForm['form']): Promise<({ tip: HeaderNode } & DumpedCoins) | null> {
    if (this.#dumping) return null;
    this.#dumping = true;
    try {
      const { cursor, tip } = await this.#pinCoins();
      const { params, crypto: hashes } = this.ws;
      const whole: DumpForm = form === '28' ? { form, magic: params.magic, hashes } : { form };
      return { tip, ...(await dumpCoins(cursor, tip, path, whole, () => this.ws.stopping())) };
    } finally {
      this.#dumping = false;
    }
  }

  /**
   * Shows a visitor the coins with its scripts, while the chain goes on.
   * @returns the block they stood at, and whether all were gone over
   */
  async walkCoins(visitor: CoinVisitor): Promise<{ tip: HeaderNode; complete: boolean }> {
    const { cursor, tip } = await this.#pinCoins();
    return { tip, complete: await this.#reading(() => walkCoins(cursor, visitor, this.#deps.coinScanner ?? new InlineCoinScanner())) };
  }

  /** Core's verifychain. @param level 0..4 @param blocks 0 = all */
  verifyChain(level: number, blocks: number): Promise<boolean> {
    return this.verifyStored(level, blocks).then((wrong) => wrong === null);
  }

  /** Checks stored blocks as verifychain does. @returns what is wrong, null when all is well */
  verifyStored(level: number, blocks: number): Promise<string | null> {
    return this.#change(async (reply) => reply(await verifyBlocks(this.ws, level, blocks)));
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
    return this.#import(paths, (block) => this.#importBlock(block, null), onProgress);
  }

  /**
   * Takes the blocks that lie in the node's own files into an empty tree, without connecting them (-reindex).
   * @returns how many
   */
  async adoptStored(onProgress?: (progress: ImportProgress) => void): Promise<number> {
    const files = new Map(this.ws.blocks.files.files().map(({ file, path }) => [path, file]));
    const adopt = (block: BlockView, { path, pos }: BlockSource) => this.#importBlock(block, { file: files.get(path) as number, pos });
    // What lies in a file is not known before all of it was read.
    const keepAll = this.guardBlocks(() => 0);
    return this.#import([...files.keys()], adopt, onProgress).finally(keepAll);
  }

  async #import(paths: readonly string[], accept: ImportSink['accept'], onProgress?: (progress: ImportProgress) => void): Promise<number> {
    this.#refuseAfterFault();
    const { crypto, clock, log, params, options } = this.ws;
    this.#importing++;
    try {
      const sink = {
        hashes: crypto,
        clock,
        log,
        magic: params.magic,
        orphanBytes: options.orphanBytes,
        has: (hash: Uint8Array) => this.ws.index.get(hash) !== undefined,
        stored: (hash: Uint8Array) => this.ws.index.get(hash)?.has(NodeStatus.HAVE_DATA) === true,
        accept,
        height: () => this.tip.height,
        stopping: () => this.ws.stopping() || this.#faultError !== null,
      };
      return await importBlocks(paths, sink, onProgress);
    } finally {
      this.#importing--;
      if (this.#faultError === null) await this.flush();
    }
  }

  /**
   * One block of an import: nobody was promised anything yet, so rows are written in groups.
   * @param stored where its bytes are already; such a block is not connected yet
   */
  async #importBlock(block: BlockView, stored: BlockPosition | null): Promise<boolean> {
    const known = this.ws.index.get(block.hash);
    if (known?.has(NodeStatus.HAVE_DATA)) return false;
    const early = checkBlock(block, this.params, this.ws.crypto);
    if (early !== null) {
      this.ws.log.warn(`Block ${hashToHex(block.hash)} of the import: ${early.reason}`);
      return false;
    }
    return this.#change(async (reply) => {
      const { verdict, node, isNew } = await acceptBlock(this.ws, block, true, stored ?? undefined);
      if (verdict !== null) this.ws.log.warn(`Block ${hashToHex(block.hash)} of the import: ${verdict.reason}`);
      if (verdict === null && node !== null && stored === null) await this.#activator.activate(isNew ? { node, block } : null);
      this.#announceHeader();
      await this.#activator.settle();
      await this.#writeSomeRows();
      reply(isNew);
    });
  }

  async #writeSomeRows(): Promise<void> {
    if (this.ws.index.dirty.size >= IMPORT_DIRTY_ROWS) await this.#persister.writeRows();
  }

  /** Stored blocks that wait to be put on top of the tip; 0 when the tip is the best there is. */
  get storedAhead(): number {
    const best = this.ws.index.findMostWork();
    return best === undefined || best === this.tip ? 0 : Math.max(1, best.height - this.tip.height);
  }

  /** Transactions in those blocks. */
  get #transactionsAhead(): number {
    return Math.max(0, (this.ws.index.findMostWork() ?? this.tip).chainTxCount - this.tip.chainTxCount);
  }

  /**
   * Connects stored blocks until the tip is the best there is, in turns, so that others get at the chain in between.
   */
  async connectStored(onProgress?: (progress: ConnectProgress) => void): Promise<void> {
    this.#refuseAfterFault();
    if (this.storedAhead === 0) return;
    const { clock } = this.ws;
    const now = (): number => clock.monotonicMs();
    const meter = new ConnectMeter(now, this.tip);
    this.#importing++;
    try {
      while (this.storedAhead > 0 && !this.ws.stopping()) {
        await this.#change<void>(async (reply) => {
          const begin = now();
          await this.#activator.activate(null, () => now() - begin >= CONNECT_TURN_MS);
          reply();
        });
        if (meter.due() || this.storedAhead === 0) onProgress?.(meter.at(this.tip, this.ws.index.findMostWork() ?? this.tip));
      }
    } finally {
      this.#importing--;
      if (this.#faultError === null) await this.flush();
    }
  }

  /** The block of the snapshot that the chain was begun with in this run or before, while that matters. */
  get snapshot(): { readonly base: HeaderNode; readonly validated: boolean } | null {
    return this.#snapshotBase === null ? null : { base: this.#snapshotBase, validated: this.#history === null };
  }

  /** The blocks below a snapshot that are validated in the background, null when there are none. */
  get history(): Pick<History, 'tip' | 'from' | 'base' | 'wants' | 'coinsCacheBytes'> | null {
    return this.#history;
  }

  override get validTip(): HeaderNode {
    return this.#history?.tip ?? this.tip;
  }

  /**
   * Puts the chain on the coins of a snapshot, once they are loaded and their hash is that of the network's parameters;
   * what was the chain goes on in the background as the history below it (Core's ActivateSnapshot).
   * @param poolSize transactions that would be judged by other coins than before: there must be none
   * @returns the block that the chain stands at then
   * @throws SnapshotError when it is refused; ChainFault
   */
  async loadSnapshot(file: SnapshotFile, head: SnapshotHead, poolSize: () => number): Promise<HeaderNode> {
    this.#refuseAfterFault();
    const expected = this.#refuseSnapshot(head, poolSize);
    const base = this.ws.index.get(head.base) as HeaderNode;
    if (compareCandidates(this.tip, base) >= 0) throw new SnapshotError('coins', 'Work does not exceed active chainstate.');
    this.#loading = true;
    try {
      const space = await this.#reading(() => loadCoins(this.ws, file, head, expected));
      return await this.#activateSnapshot(space, head, expected, poolSize);
    } finally {
      this.#loading = false;
    }
  }

  /** What may be said before the coins are read, in Core's words. @returns what the parameters know of them */
  #refuseSnapshot(head: SnapshotHead, poolSize: () => number): AssumedCoins {
    const { index, params } = this.ws;
    const refuse = (why: string): never => {
      throw new SnapshotError('use', why);
    };
    if (this.#snapshotBase !== null) refuse("Can't activate a snapshot-based chainstate more than once");
    if (this.#loading) refuse('Another snapshot is being loaded');
    const hex = hashToHex(head.base);
    const expected = assumedCoinsOf(this.ws, head.base);
    if (expected === undefined) {
      const heights = params.assumedCoins.map(({ height }) => height).join(', ');
      return refuse(
        `assumeutxo block hash in snapshot metadata not recognized (hash: ${hex}). The following snapshot heights are available: ${heights}`,
      );
    }
    const base = index.get(head.base);
    if (base === undefined) {
      return refuse(
        `The base block header (${hex}) must appear in the headers chain. Make sure all headers are syncing, and call loadtxoutset again`,
      );
    }
    if (base.failed) refuse(`The base block header (${hex}) is part of an invalid chain`);
    if (!index.bestHeader.descendsFrom(base)) {
      refuse(
        'A forked headers-chain with more work than the chain with the snapshot base block header exists. Please proceed to sync without AssumeUtxo.',
      );
    }
    if (poolSize() > 0) refuse("Can't activate a snapshot when mempool not empty");
    return expected;
  }

  async #activateSnapshot(space: CoinSpace, head: SnapshotHead, expected: AssumedCoins, poolSize: () => number): Promise<HeaderNode> {
    const { ws } = this;
    const base = ws.index.get(head.base) as HeaderNode;
    // What may have changed while the coins were read is a refusal like any other, and no fault.
    const refused = await this.#change<SnapshotError | null>(async (reply) => {
      await this.#activator.settle();
      await this.#activator.ahead.close();
      await this.#persister.flush();
      await this.#persister.syncAll();
      const late = this.#lateRefusal(base, poolSize);
      if (late !== null) {
        await clearOther(ws);
        return reply(late);
      }
      // In the turn of the last look at the mempool. A process that dies before the write has loaded nothing.
      this.#standOn(space, base, expected);
      await ws.store.batch(
        [{ type: 'put', key: space.tipKey, value: base.hash }, coinSetsOp({ active: space, other: 'history', base: base.hash })],
        { sync: true },
      );
      await this.#activator.activate();
      await this.#persister.writeRows();
      reply(null);
    });
    if (refused !== null) throw refused;
    this.#history?.goOn();
    return base;
  }

  #lateRefusal(base: HeaderNode, poolSize: () => number): SnapshotError | null {
    if (compareCandidates(this.tip, base) >= 0) return new SnapshotError('use', 'work does not exceed active chainstate');
    if (base.failed) return new SnapshotError('use', `The base block header (${base.hashHex}) is part of an invalid chain`);
    if (poolSize() > 0) return new SnapshotError('use', "Can't activate a snapshot when mempool not empty");
    return null;
  }

  /** From one moment to the next: the chain is the snapshot's, and what it was is the history. */
  #standOn(space: CoinSpace, base: HeaderNode, { chainTxCount }: AssumedCoins): void {
    const { ws } = this;
    const history = historyOf(ws, ws.space);
    history.active.setTip(this.tip);
    ws.space = space;
    ws.coins.moveTo(space);
    ws.active.setTip(base);
    ws.index.assume(base, chainTxCount);
    this.#persister.movedTo(base);
    this.#follow(history);
    ws.log.info(`[snapshot] successfully activated snapshot ${base.hashHex}`);
    const error = this.#activator.onTip.call(base, { connected: [], disconnected: [] });
    if (error !== undefined) throw new ChainFault('A listener failed while the tip changed', error);
  }

  /** Begins with the history below a snapshot. @param ws its chain and coins */
  #follow(ws: ChainWorkspace): void {
    const base = this.ws.index.assumed as HeaderNode;
    const expected = assumedCoinsOf(ws, base.hash) as AssumedCoins;
    this.#snapshotBase = base;
    const release = this.guardBlocks(() => (this.#history === null ? Number.POSITIVE_INFINITY : this.#history.tip.height));
    this.#history = new History(ws, base, expected, {
      change: (job) =>
        this.#change<void>(async (reply) => {
          await this.#activator.settle();
          await job();
          reply();
        }),
      crowded: () => this.#queue.size > 1,
      assumedValid: () => this.#assumedValid(),
      moved: () => this.#historyListeners.call(),
      connected: (block) => this.#activator.onChecked.call(block.hash, block, null),
      validated: async () => {
        release();
        await this.#endHistory();
      },
      refuted: () => this.#dropSnapshot(ws),
      failed: (error) => {
        if (this.#closing === null) this.#fail(error);
      },
    });
  }

  /** The coins of the blocks are those of the snapshot: from here on the chain is one like all others. */
  async #endHistory(): Promise<void> {
    const { ws } = this;
    await this.#flushAll();
    await ws.store.batch([coinSetsOp({ active: ws.space, other: 'rubbish' })], { sync: true });
    this.#history = null;
    ws.coins.budgetBytes = ws.options.coinsCacheBytes;
    ws.index.endAssumed();
    ws.log.info(`[snapshot] snapshot beginning at ${this.#snapshotBase?.hashHex} has been fully validated`);
    await this.#activator.activate();
    this.#historyListeners.call();
    await clearOther(ws);
  }

  /** The node stops; the next start goes on with the blocks alone. @throws ChainFault in Core's words */
  async #dropSnapshot(history: ChainWorkspace): Promise<void> {
    const { ws } = this;
    const height = history.active.height;
    await this.#history?.persister.flush();
    await ws.store.batch([coinSetsOp({ active: history.space, other: 'rubbish' })], { sync: true });
    throw new ChainFault(refutedText(ws.active.height, height), undefined);
  }

  /** Writes the coins of the chain, and of the history below a snapshot. */
  async #flushAll(): Promise<void> {
    await this.#persister.flush();
    await this.#history?.persister.flush();
  }

  /** Called when the history below a snapshot has moved, or is validated. @returns takes the listener off again */
  onHistory(listener: () => void): () => void {
    return this.#historyListeners.add(listener);
  }

  /** Registers a listener; those registered first are called first. @returns unsubscribe */
  onTip(listener: TipListener): () => void {
    return this.#activator.onTip.add(listener);
  }

  /**
   * Called when the last change of the tip said that more follows, and the next block turned out bad.
   * @returns takes the listener off again
   */
  onRest(listener: () => void): () => void {
    return this.#activator.onRest.add(listener);
  }
  onHeader(listener: HeaderListener): () => void {
    return this.#headerListeners.add(listener);
  }
  /**
   * Hears of new blocks on the tip that passed every check without coins, before they are connected (Core's
   * NewPoWValidBlock).
   */
  onStored(listener: (node: HeaderNode, block: BlockView) => void): () => void {
    return this.#storedListeners.add(listener);
  }
  onChecked(listener: CheckedListener): () => void {
    return this.#activator.onChecked.add(listener);
  }

  #announceHeader(): void {
    const best = this.ws.index.bestHeader;
    if (best === this.#announcedHeader) return;
    this.#announcedHeader = best;
    this.#headerListeners.call(best);
  }

  /** Writes everything to the store; near the tip this is already so. */
  flush(): Promise<void> {
    return this.#change(async (reply) => {
      await this.#activator.settle();
      await this.#flushAll();
      reply();
    });
  }

  /** The same, and waits until the disk has it. */
  sync(): Promise<void> {
    return this.#change(async (reply) => {
      await this.#activator.settle();
      await this.#flushAll();
      await this.#persister.syncAll();
      await this.#history?.persister.syncAll();
      reply();
    });
  }

  /**
   * Removes what -prune has no room for.
   * @returns what resolves once the files are gone; they do not count any more before
   */
  async pruneToTarget(): Promise<{ removed: Promise<void> }> {
    await this.#change<void>(async (reply) => {
      await this.#activator.settle();
      await this.#pruner.toTarget();
      reply();
    });
    return { removed: this.#pruner.removed() };
  }

  /**
   * Removes files whose every block is at a height or below it, and far enough below the tip. Resolves once they are
   * gone.
   */
  async pruneUpTo(height: number): Promise<void> {
    await this.#change<void>(async (reply) => {
      await this.#activator.settle();
      await this.#pruner.upTo(height);
      reply();
    });
    await this.#pruner.removed();
  }

  /**
   * Keeps blocks from being pruned that somebody has to read.
   * @param guard asked before every pruning
   * @returns how to end that
   */
  guardBlocks(guard: PruneGuard): () => void {
    return this.#pruner.guard(guard);
  }

  /** The lowest block from which on all blocks up to the tip are stored. */
  get lowestStored(): HeaderNode {
    return this.#pruner.lowestStored();
  }

  /**
   * Resolves once the next start would know this block and its undo data: indexes promise nothing about blocks before
   * that.
   */
  async recorded(node: HeaderNode): Promise<void> {
    const { dirty } = this.ws.index;
    if (!dirty.has(node) && (node.prev === null || node.has(NodeStatus.HAVE_UNDO))) return;
    await this.#change<void>(async (reply) => {
      await this.#persister.writeUndo();
      await this.#history?.persister.writeUndo();
      await this.#persister.writeRows();
      reply();
    });
  }

  /**
   * Resolves when every change asked for so far is over: a block that was stored is connected, refused or left aside by
   * then.
   */
  settled(): Promise<void> {
    return this.#queue.idle();
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
      queued: this.#queue.size,
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
    clearInterval(this.#tidy);
    if (this.#settleTimer !== null) clearTimeout(this.#settleTimer);
    await this.#queue.run(async () => {
      await this.#activator.ahead.close();
      await this.#history?.close();
      try {
        if (this.#faultError === null) {
          await this.#flushAll();
          await this.#persister.syncAll();
          await this.#history?.persister.syncAll();
        }
      } catch (error) {
        this.#fail(error);
      } finally {
        await this.#pruner.removed();
        await this.ws.blocks.files.close().catch((error) => this.#fail(error));
      }
    });
  }

  /**
   * Runs a change in its turn. The job answers by `reply`, and may go on writing afterwards; the next change waits for
   * all of it. Whatever it throws means that memory and disk may differ: the chain refuses everything from then on.
   */
  #change<T>(job: (reply: (value: T) => void) => Promise<void>): Promise<T> {
    if (this.#closing !== null) return Promise.reject(new ChainFault('The chain is closed', undefined));
    return new Promise<T>((resolve, reject) => {
      const run = async (): Promise<void> => {
        this.#refuseAfterFault();
        await job(resolve);
        this.#settleSoon();
      };
      this.#queue.run(run).catch((error: unknown) => reject(this.#fail(error)));
    });
  }

  /**
   * Whoever was answered goes first: the reply and the next template leave before coins are written, which holds the
   * thread for some 10 ms after a full block. A change that comes earlier writes them itself before it moves the tip.
   */
  #settleSoon(): void {
    if (this.#pruner.takeDue()) this.#pruneDue = true;
    if (!(this.#activator.needsSettling || this.#pruneDue) || this.#settleTimer !== null) return;
    this.#settleTimer = setTimeout(() => {
      this.#settleTimer = null;
      // Asked in its turn: the change before may be the one whose writing failed.
      const settle = async (): Promise<void> => {
        if (this.#faultError !== null) return;
        await this.#activator.settle();
        if (!this.#pruner.takeDue() && !this.#pruneDue) return;
        this.#pruneDue = false;
        await this.#pruner.toTarget();
      };
      this.#queue.run(settle).catch((error: unknown) => this.#fail(error));
    }, SETTLE_DELAY_MS);
  }

  /** Writes beside the queue: whatever fails ends the chain, unless it is about to close and takes nothing more in. */
  async #storing<T>(work: () => Promise<T>): Promise<T> {
    this.#refuseAfterFault();
    try {
      return await work();
    } catch (error) {
      throw this.#closing === null ? this.#fail(error) : error;
    }
  }

  /** Reads beside the queue: a failing store ends the chain here too. */
  async #reading<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof StoreError || error instanceof VerifierFaultError ? this.#fail(error) : error;
    }
  }

  #refuseAfterFault(): void {
    if (this.#faultError !== null) throw this.#faultError;
  }

  /** Enters the state of fault, once. */
  #fail(error: unknown): ChainFault {
    if (this.#faultError === null) {
      const message = error instanceof Error ? error.message : String(error);
      this.#faultError = error instanceof ChainFault ? error : new ChainFault(`The chain stopped: ${message}`, error);
      this.ws.log.error(this.#faultError.message);
      this.#deps.onFault?.(this.#faultError);
    }
    return this.#faultError;
  }
}

/** Core's words when a snapshot turned out wrong. @param height of the tip on it @param left of the blocks alone */
function refutedText(height: number, left: number): string {
  return (
    'adit failed to validate the -assumeutxo snapshot state. This indicates a hardware problem, or a bug in the software, or a bad software modification that allowed an invalid snapshot to be loaded. ' +
    `As a result of this, the node will shut down and stop using any state that was built on the snapshot, resetting the chain height from ${height} to ${left}. ` +
    `On the next restart, the node will resume syncing from ${left} without using any snapshot data. ` +
    'Please report this incident, including how you obtained the snapshot.'
  );
}

/** Blocks near the tip are kept for a while: bytes that live in memory shared with other threads are copied first. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof ArrayBuffer ? bytes : new Uint8Array(bytes);
}
