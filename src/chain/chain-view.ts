// The chain as other modules read it: the header tree, the active chain, and checks that change nothing.

import type { BlockView } from '../consensus/block/block-view.js';
import type { HeaderView } from '../consensus/block/header-view.js';
import { equalBytes, hashFromHex } from '../consensus/bytes/hex.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import { blockScriptFlags } from '../consensus/rules/block-script-flags.js';
import { checkBlock } from '../consensus/rules/check-block.js';
import { checkHeaderContext } from '../consensus/rules/check-header-context.js';
import { contextualCheckBlock } from '../consensus/rules/contextual-check-block.js';
import type { VersionBitsCache } from '../consensus/rules/versionbits.js';
import type { Reject, Verdict } from '../consensus/state.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { VerifyClass } from '../parallel/verifier.js';
import type { CoinsCache } from './coins/coins-cache.js';
import { lastCheckpointHeight } from './connect/accept.js';
import { tryConnect } from './connect/connect-block.js';
import { isKnownValid, type KnownTransactions } from './connect/known-block.js';
import type { BlockState, KnownBlock } from './connect/outcome.js';
import { withReservedValue } from './connect/witness-reserved.js';
import { type ChainWorkspace, minimumChainWork } from './connect/workspace.js';
import type { ChainParts } from './parts.js';
import type { History } from './snapshot/history.js';
import { type HeaderNode, NodeStatus } from './tree/header-node.js';
import { verificationProgress } from './tree/verification-progress.js';

// Checks a block on the tip without storing it (Core's TestBlockValidity): for proposals, generateblock and
// -checktemplates. Runs concurrently with the chain's queue, because the check changes nothing. If the tip changes
// during the check, the verdict is inconclusive-not-best-prevblk.

/** Options of a validity check. */
interface ValidityOptions {
  /** Check proof of work and, on signet, the block signature. */
  readonly checkPow: boolean;
  readonly checkMerkle: boolean;
  /** Class of the script jobs, which decides their priority; 'proposal' by default. */
  readonly klass?: VerifyClass;
}

/** Verdict for a block whose parent is not the tip (BIP-0022). */
const NOT_BEST: Reject = { category: 'invalid-prev', reason: 'inconclusive-not-best-prevblk', debug: '' };

/**
 * Runs the checks in Core's order: block alone, header in context, block in context, coins and scripts. Before release
 * 30 the header in context came first.
 */
async function testValidity(ws: ChainWorkspace, block: BlockView, options: ValidityOptions): Promise<Verdict> {
  const tip = ws.active.tip as HeaderNode;
  if (!equalBytes(block.header.prevHash, tip.hash)) return NOT_BEST;
  const { params } = ws;
  const header = (): Verdict =>
    checkHeaderContext(block.header, tip, params, ws.clock.nowSeconds(), lastCheckpointHeight(ws), ws.versionBits);
  const early =
    (ws.options.triedHeaderFirst ? header() : null) ??
    checkBlock(block, params, ws.crypto, { checkPow: options.checkPow, checkMerkle: options.checkMerkle }) ??
    (ws.options.triedHeaderFirst ? null : header()) ??
    contextualCheckBlock(block, tip, params, ws.versionBits);
  if (early !== null) return early;
  const klass = options.klass ?? 'proposal';
  const stillValid = () => ws.active.tip === tip;
  const result = await tryConnect(ws, block, tip, { klass, scripts: true, overlay: null, stillValid });
  return result === null ? NOT_BEST : result.verdict;
}

export class ChainView {
  readonly #ws: ChainWorkspace;
  readonly #parts: ChainParts;

  constructor(ws: ChainWorkspace, parts: ChainParts) {
    this.#ws = ws;
    this.#parts = parts;
  }

  get params(): ChainParams {
    return this.#ws.params;
  }
  /**
   * Coins at the tip. Call `prefetch`, then `get` without an await in between. Only the chain may change these coins.
   */
  get coins(): CoinsCache {
    return this.#ws.coins;
  }
  /** Deployment states by branch, shared by all readers of this tree. */
  get versionBits(): VersionBitsCache {
    return this.#ws.versionBits;
  }
  get tip(): HeaderNode {
    return this.#ws.active.tip as HeaderNode;
  }
  get genesis(): HeaderNode {
    return this.#ws.active.at(0) as HeaderNode;
  }
  /**
   * Last block up to which this node validated everything itself. Differs from the tip only while the chain stands on a
   * snapshot whose history is not validated yet.
   */
  get validTip(): HeaderNode {
    return this.#parts.snapshot.history?.tip ?? this.tip;
  }
  /** Last block that is connected: by the download engine while it is running, otherwise the tip. */
  get reached(): HeaderNode {
    return this.#parts.engine.reached;
  }
  get bestHeader(): HeaderNode {
    return this.#ws.index.bestHeader;
  }

  /**
   * Minimum chain work: -minimumchainwork, or the value of the network. The node does not accept a chain with less work
   * as that of the network.
   */
  get minimumChainWork(): bigint {
    return minimumChainWork(this.#ws);
  }
  /** Returns true until the tip was recent and had enough work once (Core's IsInitialBlockDownload). */
  isInitialBlockDownload(): boolean {
    return this.#parts.initialDownload.active(this.tip, this.#parts.importer.running);
  }

  /**
   * Returns the node of a block.
   * @param hash 32 bytes in internal order, or 64 digits of display hex
   */
  node(hash: Uint8Array | string): HeaderNode | undefined {
    return this.#ws.index.get(typeof hash === 'string' ? hashFromHex(hash) : hash);
  }
  /** Returns the block of the active chain at a height. */
  atHeight(height: number): HeaderNode | undefined {
    return this.#ws.active.at(height);
  }
  contains(node: HeaderNode): boolean {
    return this.#ws.active.contains(node);
  }
  /** Returns the next block of the active chain after one of its blocks. */
  next(node: HeaderNode): HeaderNode | undefined {
    return this.#ws.active.next(node);
  }
  blockState(node: HeaderNode): BlockState {
    return {
      failed: node.failed,
      hasData: node.has(NodeStatus.HAVE_DATA),
      hasUndo: node.has(NodeStatus.HAVE_UNDO),
      valid: !node.failed && node.has(NodeStatus.SCRIPTS_VALID),
    };
  }
  /** Returns the ends of all branches and the tip, highest first. */
  tips(): HeaderNode[] {
    return [...new Set([this.tip, ...this.#ws.index.ends])].sort((a, b) => b.height - a.height);
  }
  /** Estimates which part of the network's transactions is verified up to a block, 0 to 1. */
  verificationProgress(node: HeaderNode): number {
    return verificationProgress(node, this.bestHeader.height, this.params, this.#ws.clock.nowSeconds());
  }
  /** Returns the script flags of the block after the tip. */
  nextBlockFlags(): number {
    return blockScriptFlags(this.tip, null, this.params, this.#ws.versionBits);
  }

  /** Returns the state of a block hash in the words of BIP-0022. submitblock and proposals check it first. */
  known(hash: Uint8Array): KnownBlock {
    const node = this.#ws.index.get(hash);
    if (node === undefined) return 'unknown';
    if (node.failed) return 'duplicate-invalid';
    // A valid block whose bytes were lost in a power failure is inconclusive, so that it can be received again.
    const there = node.hasData || this.#ws.index.isPruned(node);
    return there && node.has(NodeStatus.SCRIPTS_VALID) ? 'duplicate' : 'duplicate-inconclusive';
  }

  /**
   * Returns the block with the witness reserved value of BIP-0141. If segwit applies and the coinbase lacks this value,
   * returns a copy of the block with 32 zero bytes there.
   */
  withWitnessReserved(block: BlockView): BlockView {
    const prev = this.#ws.index.get(block.header.prevHash);
    if (prev === undefined || prev.height + 1 < this.params.segwitHeight) return block;
    return withReservedValue(block);
  }

  /**
   * Checks whether a block is valid on the tip, without storing it (Core's TestBlockValidity). If its parent is not the
   * tip, the reason is 'inconclusive-not-best-prevblk'.
   */
  async testBlockValidity(block: BlockView, options: ValidityOptions): Promise<Verdict> {
    this.#parts.changes.refuseAfterFault();
    return this.#parts.changes.readConcurrently(() => testValidity(this.#ws, block, options));
  }

  /**
   * Returns whether a block whose transactions are all in the mempool is valid on the tip, except for its proof of
   * work. False means unknown; see known-block.ts.
   */
  async isKnownValid(header: HeaderView, coinbase: TxView, known: KnownTransactions): Promise<boolean> {
    this.#parts.changes.refuseAfterFault();
    return this.#parts.changes.readConcurrently(() => isKnownValid(this.#ws, header, coinbase, known));
  }

  /** Number of stored blocks on the best branch that are not connected yet; 0 if the tip is the best block. */
  get storedAhead(): number {
    return this.#parts.importer.storedAhead;
  }

  /**
   * The snapshot block, if the chain's coins come from a snapshot or came from one earlier in this run; otherwise null.
   * `validated` is true once the blocks below the snapshot block are validated.
   */
  get snapshot(): { readonly base: HeaderNode; readonly validated: boolean } | null {
    const { base, history } = this.#parts.snapshot;
    return base && { base, validated: history === null };
  }

  /** Validation of the blocks below a snapshot, which runs in the background; null if there is none. */
  get history(): Pick<History, 'tip' | 'from' | 'base' | 'wants' | 'coinsCacheBytes'> | null {
    return this.#parts.snapshot.history;
  }
}
