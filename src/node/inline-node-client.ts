// Implements wallet/node-client.ts on the node thread: for wallets on this thread, and for the node's end of the link
// to the wallets' thread.

import { type Chain, type HeaderNode, lastCommonAncestor, type TipChange } from '../chain/index.js';
import { hashKey } from '../consensus/bytes/hex.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import { rejectText } from '../consensus/state.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import type { BlockToScan, FoundTx } from '../jobs/scan-blocks.js';
import type { SignJob, SignJobResult } from '../jobs/sign.js';
import { findOutputs, type Mempool, type MempoolEntry, type RemovalReason } from '../mempool/index.js';
import type { BlockScanner, ScanTargets } from '../parallel/block-scanner.js';
import type { WorkPool } from '../parallel/pool.js';
import { signalsReplacement } from '../policy/replaceable.js';
import { firstBlockSince } from '../rpc/node/first-block-since.js';
import {
  type BlockFacts,
  type Fork,
  type KnownBlock,
  MempoolTx,
  type NodeClient,
  type NodeConstants,
  type NodeEvent,
  type NodeRates,
  type Relatives,
  type StoredBlocks,
} from '../wallet/node-face.js';

export interface InlineClientDeps {
  readonly chain: Pick<Chain, 'view' | 'blocks' | 'coins' | 'commands'>;
  readonly mempool: Mempool;
  readonly crypto: Crypto;
  /** Scans past blocks on the pool's threads; null: blocks are read on this thread. */
  readonly scanner: BlockScanner | null;
  /** Threads that sign; null for none. */
  readonly signing: Pick<WorkPool, 'size' | 'run'> | null;
  /** Block filters (BIP-0158); null without the index. */
  readonly filters: { find(blockHash: Uint8Array): Promise<{ readonly filter: Uint8Array } | undefined> } | null;
  /** -limitancestorcount and -limitdescendantcount. Coins with more unconfirmed relatives are not selected. */
  readonly mostRelatives: { readonly ancestors: number; readonly descendants: number };
}

export class InlineNodeClient implements NodeClient {
  readonly #deps: InlineClientDeps;
  readonly #listeners = new Set<(event: NodeEvent) => void>();
  readonly #followers = new Set<(event: NodeEvent) => void>();
  #tip: { readonly node: HeaderNode; readonly facts: BlockFacts } | null = null;
  readonly genesis: BlockFacts;
  #neededFrom = Number.POSITIVE_INFINITY;
  /** Number of jumps of the tip, and lowest block over which it jumped that no wallet has had time to ask for. */
  #jumps = 0;
  #jumpedFrom = Number.POSITIVE_INFINITY;

  constructor(deps: InlineClientDeps) {
    this.#deps = deps;
    const { chain } = deps;
    this.genesis = this.#facts(chain.view.atHeight(0)!);
    chain.commands.guardBlocks(() => Math.min(this.#neededFrom, this.#jumpedFrom));
  }

  // -- events

  /** Called after a tip change. */
  onTip(tip: HeaderNode, { disconnected, connected, jumpedFrom }: TipChange): void {
    if (this.#listeners.size + this.#followers.size === 0) return;
    if (disconnected.length + connected.length === 0) this.#emitChainEvent({ kind: 'jumped', ...this.#placed(tip) });
    if (jumpedFrom !== undefined) {
      this.#jumps++;
      if (this.#listeners.size > 0) this.#jumpedFrom = Math.min(this.#jumpedFrom, jumpedFrom.height + 1);
      // All skipped blocks are stored, so the wallets scan them now.
      this.#emitChainEvent(this.historyEvent);
    }
    for (const { node, block } of disconnected) {
      const { node: before, locator } = this.#placed(node.prev!);
      this.#emitChainEvent({ kind: 'disconnected', node: this.#facts(node), block, before, locator });
    }
    for (const { node, block } of connected) this.#emitChainEvent({ kind: 'connected', ...this.#placed(node), block });
  }

  /** Called when the history below a snapshot has advanced or is validated. */
  onHistory(): void {
    if (this.#deps.chain.view.history === null) this.#emitChainEvent(this.historyEvent);
  }
  get historyEvent(): Extract<NodeEvent, { kind: 'history' }> {
    return { kind: 'history', jumps: this.#jumps };
  }

  /** Called when a transaction entered the mempool. */
  onEntered({ tx }: MempoolEntry): void {
    if (this.#listeners.size > 0) this.#emitEvent({ kind: 'entered', tx });
  }

  /**
   * Called when a transaction left the mempool. For a mined one nothing is emitted or read: the block's event covers
   * it, as in Core.
   */
  onLeft(entry: MempoolEntry, reason: RemovalReason): void {
    if (reason !== 'block' && this.#listeners.size > 0) this.#emitEvent({ kind: 'left', tx: entry.tx, conflict: reason === 'conflict' });
  }

  async listen(listener: (event: NodeEvent) => void): Promise<() => void> {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#jumpedFrom = Number.POSITIVE_INFINITY;
    };
  }
  /**
   * Registers a follower of block events. Followers get them even while no listener is registered.
   * @returns unsubscribe
   */
  followChain(listener: (event: NodeEvent) => void): () => void {
    this.#followers.add(listener);
    return () => this.#followers.delete(listener);
  }
  #emitEvent(event: NodeEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
  #emitChainEvent(event: NodeEvent): void {
    for (const follower of this.#followers) follower(event);
    this.#emitEvent(event);
  }
  /** Does nothing: every event was emitted when it happened. */
  sync(): void {}
  async readMempool(listener: (event: NodeEvent) => void): Promise<void> {
    listener({ kind: 'pool', txs: this.pool() });
  }
  /**
   * Returns all transactions, parents first, because a payment that spends a whole coin is recognised by that coin
   * alone.
   */
  pool(): MempoolTx[] {
    const { mempool, crypto } = this.#deps;
    const byAncestors: MempoolTx[][] = [];
    for (const { txid, bytes, ancestorCount } of mempool.entries()) {
      (byAncestors[ancestorCount] ??= []).push(new MempoolTx(txid, bytes, crypto));
    }
    return byAncestors.flat();
  }
  mempoolSettled(): Promise<void> | undefined {
    const { mempool } = this.#deps;
    return mempool.returning ? mempool.settled() : undefined;
  }
  setPruneGuard(height: number): void {
    this.#neededFrom = height;
  }
  confirmJump(jumps: number): void {
    if (jumps === this.#jumps) this.#jumpedFrom = Number.POSITIVE_INFINITY;
  }

  // -- chain

  get tip(): BlockFacts {
    const { tip } = this.#deps.chain.view;
    if (this.#tip?.node !== tip) this.#tip = { node: tip, facts: this.#facts(tip) };
    return this.#tip.facts;
  }
  contains({ hash }: BlockFacts): boolean {
    const { chain } = this.#deps;
    const node = chain.view.node(hash);
    return node !== undefined && chain.view.contains(node);
  }
  block(hash: Uint8Array): KnownBlock | null {
    const { chain } = this.#deps;
    const node = chain.view.node(hash);
    return node ? { block: this.#facts(node), inChain: chain.view.contains(node), txCount: node.txCount } : null;
  }
  blocks(from: number, count: number): BlockFacts[] {
    const found: BlockFacts[] = [];
    for (let height = from; height < from + count; height++) {
      const node = this.#deps.chain.view.atHeight(height);
      if (node === undefined) break;
      found.push(this.#facts(node));
    }
    return found;
  }
  heights(hashes: readonly Uint8Array[]): number[] {
    const { chain } = this.#deps;
    return hashes.map((hash) => {
      const node = chain.view.node(hash);
      return node && chain.view.contains(node) ? node.height : -1;
    });
  }
  fork(hash: Uint8Array, other: Uint8Array): Fork | null {
    const { chain } = this.#deps;
    const [node, end] = [chain.view.node(hash), chain.view.node(other)];
    return node && end ? { block: this.#facts(node), shared: this.#facts(lastCommonAncestor(node, end)) } : null;
  }
  ancestor(hash: Uint8Array, height: number): BlockFacts | null {
    const node = this.#deps.chain.view.node(hash)?.ancestor(height);
    return node ? this.#facts(node) : null;
  }
  firstBlockSince(seconds: number): BlockFacts | null {
    const node = firstBlockSince(this.#deps.chain.view, seconds);
    return node && this.#facts(node);
  }
  locator(hash: Uint8Array): Uint8Array {
    const node = this.#deps.chain.view.node(hash);
    return node ? locatorOf(node) : new Uint8Array(0);
  }
  async readBlock(hash: Uint8Array): Promise<Uint8Array> {
    const { chain } = this.#deps;
    const node = chain.view.node(hash);
    if (!node || !chain.blocks.hasBlock(node)) throw new Error('the block is not stored');
    return (await chain.blocks.readBlock(node)).bytes;
  }
  stored(): StoredBlocks {
    const { chain } = this.#deps;
    const historyMissing = chain.view.history !== null;
    return {
      havePruned: chain.blocks.havePruned,
      historyMissing,
      lowest: chain.blocks.havePruned || historyMissing ? chain.blocks.lowestStored.height : 0,
    };
  }
  hasBlocks(first: number, last: number): boolean {
    const { chain } = this.#deps;
    if ((!chain.blocks.havePruned && chain.view.history === null) || chain.blocks.lowestStored.height <= first) return true;
    for (let height = last; height >= first; height--) {
      const node = chain.view.atHeight(height);
      if (node === undefined || !chain.blocks.hasBlock(node)) return false;
    }
    return true;
  }
  async scan(hashes: readonly Uint8Array[], targets: ScanTargets | null): Promise<(readonly FoundTx[] | null)[]> {
    const { chain, scanner, filters } = this.#deps;
    const nodes = hashes.map((hash) => chain.view.node(hash));
    const stored: BlockToScan[] = [];
    const isStored: boolean[] = [];
    for (const node of nodes) {
      const place = scanner && targets && node ? chain.blocks.placeOf(node) : null;
      isStored.push(place !== null);
      if (node === undefined || place === null) continue;
      const row = filters && targets?.scripts ? await filters.find(node.hash) : undefined;
      stored.push({ hash: node.hash.slice(), ...place, filter: row?.filter ?? null });
    }
    const found = stored.length > 0 && scanner && targets ? await scanner.scan(stored, targets) : [];
    const result: (readonly FoundTx[] | null)[] = [];
    let next = 0;
    for (const [i, node] of nodes.entries()) {
      if (isStored[i]) {
        result.push(found[next++]);
        continue;
      }
      // The undo data of a block near the tip may not be written yet. The caller scans such a block itself.
      const block = node && (await chain.blocks.readBlock(node).catch(() => null));
      result.push(block?.txs.map(({ bytes }, position) => ({ bytes, position })) ?? null);
    }
    return result;
  }
  sign(job: SignJob): Promise<SignJobResult> {
    const { signing } = this.#deps;
    return signing ? signing.run('transaction', 'sign', job) : Promise.reject(new Error('there are no threads that sign'));
  }

  get constants(): NodeConstants {
    const { signing, scanner, filters, mempool, mostRelatives } = this.#deps;
    return {
      scanDepth: scanner?.depth ?? 0,
      signers: signing?.size ?? 0,
      hasFilters: filters !== null,
      longestTarget: mempool.fees.highestTarget('long'),
      maxAncestors: mostRelatives.ancestors,
      maxDescendants: mostRelatives.descendants,
    };
  }

  // -- mempool

  isInitialBlockDownload(): boolean {
    return this.#deps.chain.view.isInitialBlockDownload();
  }
  isReady(): boolean {
    return this.#deps.mempool.loaded && !this.#deps.chain.view.isInitialBlockDownload();
  }
  estimate(target: number, conservative: boolean): { readonly feeRate: number; readonly reason: string } {
    const { feeRate, reason } = this.#deps.mempool.fees.smart(target, conservative);
    return { feeRate, reason };
  }
  rates(): NodeRates {
    const { mempool } = this.#deps;
    const { minFeeRate, minRelayFeeRate, incrementalFeeRate } = mempool.stats();
    return {
      mempoolMinimum: minFeeRate > minRelayFeeRate ? minFeeRate : 0,
      relayMinimum: minRelayFeeRate,
      incremental: incrementalFeeRate,
      dust: mempool.options.policy.dustFeeRate,
    };
  }
  relatives(txids: readonly Uint8Array[]): (Relatives | null)[] {
    const { mempool } = this.#deps;
    return txids.map((txid) => {
      const entry = mempool.get(txid);
      if (entry === undefined) return null;
      const ancestors = entry.ancestorCount > 1 ? mempool.ancestors(entry) : [];
      return {
        ancestors: entry.ancestorCount,
        ancestorSize: entry.ancestorSize,
        ancestorFees: entry.ancestorFees,
        descendants: mostDescendants(entry, ancestors),
        cluster: mempool.clusterCount(entry),
        hasDescendants: entry.descendantCount > 1,
        replaceableAncestor: ancestors.some(({ tx }) => signalsReplacement(tx)),
      };
    });
  }
  bumpFees(outpoints: readonly Uint8Array[], feeRate: number) {
    return this.#deps.mempool.bumpFees(outpoints, feeRate);
  }
  outputs(outpoints: readonly Uint8Array[]): Promise<(SpentOutput | null)[]> {
    const { chain, mempool } = this.#deps;
    return findOutputs({ coins: chain.coins, mempool }, outpoints);
  }
  fitsChainLimits(bytes: Uint8Array): boolean {
    const tx = parseTx(bytes, this.#deps.crypto);
    return fitsChainLimits(this.#deps.mempool, tx) && this.#deps.mempool.fitsCluster(tx);
  }
  async broadcast(bytes: Uint8Array, maxFeeSats: number, relay: boolean): Promise<string | null> {
    const { mempool, crypto } = this.#deps;
    const tx = parseTx(bytes, crypto);
    if (mempool.get(tx.txid) === undefined) {
      const { reject, fee } = await mempool.accept(tx, { maxFeeSats });
      if (reject !== null) return rejectText(reject);
      if (fee > maxFeeSats) return 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)';
    }
    if (relay) mempool.addUnbroadcast(tx.txid);
    return null;
  }

  #facts(node: HeaderNode): BlockFacts {
    const { hashHex, prev, height, time, maxTime } = node;
    const hash = new Uint8Array(node.hash);
    const progress = this.#deps.chain.view.verificationProgress(node);
    return {
      hash,
      hashHex,
      prevHash: prev && new Uint8Array(prev.hash),
      height,
      time,
      maxTime,
      medianTime: node.medianTimePast(),
      progress,
    };
  }
  #placed(node: HeaderNode): { readonly node: BlockFacts; readonly locator: Uint8Array } {
    return { node: this.#facts(node), locator: locatorOf(node) };
  }
}

/** Returns a block locator: hashes of a block and of increasingly sparse ancestors, genesis last. */
export function locatorOf(from: HeaderNode): Uint8Array {
  const hashes: Uint8Array[] = [];
  let step = 1;
  for (let node: HeaderNode | null = from; node !== null; ) {
    hashes.push(node.hash);
    if (node.height === 0) break;
    if (hashes.length > 10) step *= 2;
    node = node.ancestor(Math.max(0, node.height - step));
  }
  return new Uint8Array(Buffer.concat(hashes));
}

/** Returns the largest descendant count of the ancestors without unconfirmed parents; without ancestors, the transaction's own. */
function mostDescendants(entry: MempoolEntry, ancestors: readonly MempoolEntry[]): number {
  if (ancestors.length === 0) return entry.descendantCount;
  const tops = ancestors.filter(({ ancestorCount }) => ancestorCount === 1);
  return Math.max(...tops.map(({ descendantCount }) => descendantCount));
}

/** Returns whether a new transaction stays within the limits on relatives, ignoring replacement and the carve-out. */
function fitsChainLimits(mempool: Mempool, tx: TxView): boolean {
  const { limitAncestorCount, limitAncestorSize, limitDescendantCount, limitDescendantSize } = mempool.options;
  const found = new Map<string, MempoolEntry>();
  for (let i = 0; i < tx.inputCount; i++) {
    const parent = mempool.get(tx.prevHash(i));
    if (parent === undefined) continue;
    for (const entry of [parent, ...mempool.ancestors(parent)]) found.set(hashKey(entry.txid), entry);
    if (found.size + 1 > limitAncestorCount) return false;
  }
  let size = tx.vsize;
  for (const entry of found.values()) {
    size += entry.size;
    if (entry.descendantCount + 1 > limitDescendantCount || entry.descendantSize + tx.vsize > limitDescendantSize) return false;
  }
  return size <= limitAncestorSize;
}
