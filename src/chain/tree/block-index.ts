// The block tree: which blocks may become the tip, which wait for the bytes of an ancestor, and which failed. The
// semantics are those of Core 0.21's BlockManager. The code is synchronous and does not use the storage.

import { equalBytes, hashKey } from '../../consensus/bytes/hex.js';
import { blockProof } from '../../consensus/rules/bits.js';
import type { ActiveChain } from './active-chain.js';
import { Candidates, compareCandidates } from './candidates.js';
import { FAILED_MASK, type HeaderNode, HeaderSlabs, NodeStatus } from './header-node.js';

/** Sequence number of the first block received by this process. Blocks found at start have 0 (active chain) or 1. */
const FIRST_SEQUENCE_ID = 2;

export class BlockIndex {
  readonly candidates = new Candidates();
  /** Nodes whose database row is outdated. */
  readonly dirty = new Set<HeaderNode>();
  /** Header with the most work that is not known to be invalid. */
  bestHeader!: HeaderNode;
  /** Invalid block with the most work; null if no block is known to be invalid. */
  bestInvalid: HeaderNode | null = null;
  /** True once any block was pruned. From then on, a block with a transaction count may lack its bytes. */
  havePruned = false;
  /** Height of the highest block by file number, on any branch. */
  readonly lastHeights = new Map<number, number>();
  /**
   * Snapshot block from which the active chain's coins come, while the blocks below it are not validated; otherwise
   * null. Branches that leave the chain below the snapshot block cannot be activated.
   */
  assumed: HeaderNode | null = null;
  /** Incremented when bytes of blocks in the active chain are stored or dropped. A new tip alone does not change it. */
  storedVersion = 0;
  readonly #slabs = new HeaderSlabs();
  readonly #nodes = new Map<string, HeaderNode>();
  /** Nodes without children. */
  readonly #leaves = new Set<HeaderNode>();
  /** Stored blocks with an ancestor whose bytes are missing, by parent. */
  readonly #unlinked = new Map<HeaderNode, Set<HeaderNode>>();
  /** Blocks that broke a rule themselves. Headers on top of them are refused. */
  readonly #failedBlocks = new Set<HeaderNode>();
  #lastProof = { bits: 0, proof: 0n };
  #toAssume: { readonly hash: Uint8Array; readonly chainTxCount: number } | null = null;
  #nextSequenceId = FIRST_SEQUENCE_ID;
  /**
   * Chain work of the tip at the last makePrecious. The next field is the sequence number for the next makePrecious.
   */
  #lastPreciousWork = 0n;
  #reverseSequenceId = -1;
  readonly #active: ActiveChain;

  constructor(active: ActiveChain) {
    this.#active = active;
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** @param hash 32 bytes, internal order */
  get(hash: Uint8Array): HeaderNode | undefined {
    return this.#nodes.get(hashKey(hash));
  }

  /** Returns all nodes, in order of insertion. */
  all(): IterableIterator<HeaderNode> {
    return this.#nodes.values();
  }

  /** Ends of all branches. */
  get ends(): ReadonlySet<HeaderNode> {
    return this.#leaves;
  }

  /** Adds a header that passed the rules. The node is added to `dirty`. */
  addHeader(header: Uint8Array, hash: Uint8Array, prev: HeaderNode | null, proof: bigint): HeaderNode {
    const node = this.#insert(header, hash, prev, proof);
    node.status = NodeStatus.HEADER_VALID;
    this.dirty.add(node);
    if (this.bestHeader === undefined || this.bestHeader.chainWork < node.chainWork) this.bestHeader = node;
    return node;
  }

  #insert(header: Uint8Array, hash: Uint8Array, prev: HeaderNode | null, proof: bigint): HeaderNode {
    return this.#hang(this.#slabs.createNode(prev, proof, header, hash), hashKey(hash));
  }

  #hang(node: HeaderNode, key: string): HeaderNode {
    this.#nodes.set(key, node);
    if (node.prev !== null) this.#leaves.delete(node.prev);
    this.#leaves.add(node);
    return node;
  }

  /**
   * Stores the bytes of a header, whose node addLoaded creates later.
   * @returns number of the entry, for addLoaded
   */
  placeHeader(header: Uint8Array, hash: Uint8Array): number {
    return this.#slabs.putHeader(header, hash);
  }

  /** Called before rows are loaded, if the active chain's coins come from a snapshot of this block. */
  loadAssumed(hash: Uint8Array, chainTxCount: number): void {
    this.#toAssume = { hash, chainTxCount };
  }

  /**
   * Called when the active chain switches to a snapshot. Blocks above the snapshot block become candidates; branches
   * that leave the chain below it are no longer candidates.
   * @param base the snapshot block, which is the new tip
   * @param chainTxCount number of transactions up to `base`
   */
  assume(base: HeaderNode, chainTxCount: number): void {
    this.assumed = base;
    base.chainTxCount = chainTxCount;
    this.storedVersion++;
    this.#linkChildren(base);
    this.refillCandidates();
    this.candidates.pruneBelow(base);
  }

  /** Called when the blocks below the snapshot are validated. Afterwards the snapshot block is like any other block. */
  endAssumed(): void {
    this.assumed = null;
    this.refillCandidates();
  }

  /**
   * Creates the node of a stored header. Must be called for parents before children, and finishLoad after the last.
   * @returns null if the parent is missing, or its height is not one less
   */
  addLoaded(entry: number, height: number, status: number, txCount: number): HeaderNode | null {
    const prev = height === 0 ? null : (this.#nodes.get(hashKey(this.#slabs.hash32(entry, 4))) ?? null);
    if (prev === null ? height !== 0 : prev.height + 1 !== height) return null;
    const node = this.#hang(this.#slabs.node(entry, prev, this.#proofOf(this.#slabs.bits(entry))), hashKey(this.#slabs.hash32(entry, 80)));
    node.status = status;
    node.txCount = txCount;
    if (this.#toAssume !== null && equalBytes(node.hash, this.#toAssume.hash)) {
      this.assumed = node;
      node.chainTxCount = this.#toAssume.chainTxCount;
    } else if (txCount > 0) {
      if (prev === null) node.chainTxCount = txCount;
      else if (prev.chainTxCount > 0) node.chainTxCount = prev.chainTxCount + txCount;
      else this.#addUnlinked(prev, node);
    }
    if (prev?.failed && !node.failed) {
      node.status |= NodeStatus.FAILED_CHILD;
      this.dirty.add(node);
    }
    if (node.failed) {
      if ((node.status & NodeStatus.FAILED) !== 0) this.#failedBlocks.add(node);
      if (this.bestInvalid === null || node.chainWork > this.bestInvalid.chainWork) this.bestInvalid = node;
    } else if (this.bestHeader === undefined || node.chainWork > this.bestHeader.chainWork) {
      this.bestHeader = node;
    }
    return node;
  }

  /** Returns the work of a header. Caches the last result, because neighbours usually have the same target. */
  #proofOf(bits: number): bigint {
    if (this.#lastProof.bits !== bits) this.#lastProof = { bits, proof: blockProof(bits) };
    return this.#lastProof.proof;
  }

  /** Sets sequence numbers and candidates. Must be called when all rows are loaded and the active chain is known. */
  finishLoad(): void {
    const found: HeaderNode[] = [];
    const tip = this.#active.tip as HeaderNode;
    for (const node of this.#nodes.values()) {
      node.sequenceId = this.#active.contains(node) ? 0 : 1;
      if (node === tip || (node.isConnectable && node.chainWork >= tip.chainWork)) found.push(node);
    }
    this.candidates.addAll(found);
    this.candidates.pruneBelow(tip);
  }

  #addUnlinked(parent: HeaderNode, node: HeaderNode): void {
    let waiting = this.#unlinked.get(parent);
    if (waiting === undefined) {
      waiting = new Set();
      this.#unlinked.set(parent, waiting);
    }
    waiting.add(node);
  }

  /**
   * Records that a block passed the checks that need no coins, and that its bytes are stored. Stored descendants that
   * waited for these bytes become connectable. If the block was stored before with as many transactions, only its place
   * changes.
   */
  receivedTransactions(node: HeaderNode, txCount: number, file: number, blockPos: number): void {
    const moves = node.hasData && node.txCount === txCount;
    node.file = file;
    node.blockPos = blockPos;
    this.noteFile(node);
    if (moves) {
      this.dirty.add(node);
      return;
    }
    node.txCount = txCount;
    if (node !== this.assumed) node.chainTxCount = 0;
    node.status |= NodeStatus.HAVE_DATA;
    if (this.#active.contains(node)) this.storedVersion++;
    this.raise(node, NodeStatus.TRANSACTIONS_VALID);
    this.dirty.add(node);
    // Descendants of the snapshot block are linked already.
    if (node === this.assumed) return;
    if (node.prev !== null && node.prev.chainTxCount === 0) {
      this.#addUnlinked(node.prev, node);
      return;
    }
    this.#link([node]);
  }

  /** Links the stored children that waited for this block's bytes. */
  #linkChildren(node: HeaderNode): void {
    const children = this.#unlinked.get(node);
    this.#unlinked.delete(node);
    if (children !== undefined) this.#link([...children]);
  }

  /** Computes chainTxCount of blocks whose ancestors are all stored, and of their descendants that waited for them. */
  #link(queue: HeaderNode[]): void {
    for (let i = 0; i < queue.length; i++) {
      const linked = queue[i] as HeaderNode;
      linked.chainTxCount = (linked.prev === null ? 0 : linked.prev.chainTxCount) + linked.txCount;
      if (!this.#active.contains(linked)) {
        // The node is not in the candidates yet, so its sequence number, which orders the candidates, may still change.
        linked.sequenceId = this.#nextSequenceId++;
        this.#addCandidate(linked);
      }
      const children = this.#unlinked.get(linked);
      if (children !== undefined) {
        for (const child of children) queue.push(child);
        this.#unlinked.delete(linked);
      }
    }
  }

  /** Records that a block's bytes are in its file. */
  noteFile({ file, height }: HeaderNode): void {
    this.lastHeights.set(file, Math.max(height, this.lastHeights.get(file) ?? 0));
  }

  /**
   * Records that a block's bytes and undo data are about to be deleted. Its header, transaction count and validity are
   * kept.
   */
  prune(node: HeaderNode): void {
    this.#dropPlace(node);
    this.storedVersion++;
    // If a block outside the active chain is downloaded again, it becomes a candidate or a waiting block again.
    if (!this.#active.contains(node)) this.candidates.delete(node);
    if (node.prev !== null) this.#unlinked.get(node.prev)?.delete(node);
  }

  #dropPlace(node: HeaderNode): void {
    node.status &= ~(NodeStatus.HAVE_DATA | NodeStatus.HAVE_UNDO);
    node.file = -1;
    node.blockPos = 0;
    node.undoPos = 0;
  }

  /** Returns whether the block was stored once and then pruned. */
  isPruned(node: HeaderNode): boolean {
    return this.havePruned && !node.hasData && node.txCount > 0;
  }

  /**
   * Records that a block's bytes are unreadable. The block and its descendants cannot be connected until the block is
   * downloaded again.
   */
  forgetData(node: HeaderNode): void {
    this.#dropPlace(node);
    this.storedVersion++;
    node.txCount = 0;
    this.dirty.add(node);
    for (const other of [...this.offChain()]) {
      if (other.height < node.height || !other.descendsFrom(node)) continue;
      this.candidates.delete(other);
      other.chainTxCount = 0;
      if (other !== node && other.has(NodeStatus.HAVE_DATA)) this.#addUnlinked(other.prev as HeaderNode, other);
    }
    if (node.prev !== null) this.#unlinked.get(node.prev)?.delete(node);
    if (this.assumed?.descendsFrom(node)) this.#unlinkHistory(node, this.assumed);
  }

  /** Makes stored blocks between a block that lost its bytes and the snapshot block wait for that block. */
  #unlinkHistory(node: HeaderNode, base: HeaderNode): void {
    for (let walk = base; walk !== node; ) {
      walk = walk.prev as HeaderNode;
      walk.chainTxCount = 0;
      if (walk !== node && walk.hasData) this.#addUnlinked(walk.prev as HeaderNode, walk);
    }
  }

  /**
   * Records that the bytes of many blocks are lost. Must be called while the tree is being loaded, before there are
   * candidates.
   */
  forgetStored(nodes: readonly HeaderNode[]): void {
    let lowest = Number.POSITIVE_INFINITY;
    for (const node of nodes) {
      this.#dropPlace(node);
      node.txCount = 0;
      if (node.prev !== null) this.#unlinked.get(node.prev)?.delete(node);
      this.dirty.add(node);
      lowest = Math.min(lowest, node.height);
    }
    const above = [...this.offChain(), ...this.#belowAssumed()]
      .filter(({ height }) => height >= lowest)
      .sort((a, b) => a.height - b.height);
    for (const node of above) {
      const before = node.prev?.chainTxCount ?? 0;
      if (node.txCount > 0 && before === 0 && node.chainTxCount > 0) this.#addUnlinked(node.prev as HeaderNode, node);
      node.chainTxCount = node.txCount > 0 && before > 0 ? before + node.txCount : 0;
    }
  }

  /** Yields blocks of the active chain below the snapshot block, highest first. */
  *#belowAssumed(): Generator<HeaderNode> {
    for (let node = this.assumed?.prev ?? null; node !== null; node = node.prev) yield node;
  }

  /** Raises the validity level of a block, unless the block has failed. */
  raise(node: HeaderNode, level: number): void {
    if (node.failed || node.has(level)) return;
    node.status |= level;
    this.dirty.add(node);
  }

  #addCandidate(node: HeaderNode): void {
    const tip = this.#active.tip;
    if (tip === undefined || compareCandidates(node, tip) >= 0) this.candidates.add(node);
  }

  /** Marks a block that broke a rule when it was connected, or that an operator invalidated. */
  markFailed(node: HeaderNode): void {
    node.status |= NodeStatus.FAILED;
    this.#failedBlocks.add(node);
    this.dirty.add(node);
    this.candidates.delete(node);
  }

  /** Marks a block that broke a rule before its bytes were stored. */
  markFailedEarly(node: HeaderNode): void {
    node.status |= NodeStatus.FAILED;
    this.dirty.add(node);
  }

  /**
   * Updates the invalid block with the most work, and the best header if it was on the failed branch.
   * @param whole also mark the block's descendants, and select the best header among all branches (since release 29).
   *   False: the tip becomes the best header
   */
  noteInvalidChain(node: HeaderNode, whole: boolean): void {
    if (this.bestInvalid === null || node.chainWork > this.bestInvalid.chainWork) this.bestInvalid = node;
    if (whole) this.#failDescendants(node);
    const tip = this.#active.tip;
    if (tip === undefined || this.bestHeader.ancestor(node.height) !== node) return;
    if (whole) this.findBestHeader();
    else this.bestHeader = tip;
  }

  #failDescendants(node: HeaderNode): void {
    for (const leaf of this.#leaves) {
      if (!leaf.descendsFrom(node)) continue;
      for (let walk: HeaderNode = leaf; walk !== node; walk = walk.prev as HeaderNode) {
        if (walk.failed) continue;
        walk.status |= NodeStatus.FAILED_CHILD;
        this.dirty.add(walk);
      }
    }
  }

  /**
   * Sets the best header: the one with the most work that has not failed. If several headers have as much work as the
   * tip, the tip is the best header.
   */
  findBestHeader(): void {
    this.bestHeader = this.#active.tip as HeaderNode;
    for (const leaf of this.#leaves) {
      let sound = leaf;
      while (sound.failed) sound = sound.prev as HeaderNode;
      if (sound.chainWork > this.bestHeader.chainWork) this.bestHeader = sound;
    }
  }

  /**
   * Returns whether a header on top of prev would build on a failed block. If so, marks the blocks in between as failed
   * children.
   */
  buildsOnFailed(prev: HeaderNode): boolean {
    if (prev.has(NodeStatus.SCRIPTS_VALID) && !prev.failed) return false;
    for (const failed of this.#failedBlocks) {
      if (prev.ancestor(failed.height) !== failed) continue;
      for (let walk: HeaderNode = prev; walk !== failed; walk = walk.prev as HeaderNode) {
        walk.status |= NodeStatus.FAILED_CHILD;
        this.dirty.add(walk);
      }
      return true;
    }
    return false;
  }

  /**
   * Returns the end of the valid, completely stored branch with the most work. Drops candidates that have failed, or
   * whose bytes or an ancestor's bytes are missing.
   */
  findMostWork(): HeaderNode | undefined {
    for (;;) {
      const best = this.candidates.best;
      if (best === undefined) return undefined;
      if (this.assumed !== null && !best.descendsFrom(this.assumed)) {
        this.candidates.delete(best);
        continue;
      }
      let test: HeaderNode | null = best;
      let usable = true;
      for (; test !== null && !this.#active.contains(test); test = test.prev) {
        const missing = !test.has(NodeStatus.HAVE_DATA);
        if (!test.failed && !missing) continue;
        if (test.failed && (this.bestInvalid === null || best.chainWork > this.bestInvalid.chainWork)) this.bestInvalid = best;
        for (let walk: HeaderNode = best; walk !== test; walk = walk.prev as HeaderNode) {
          if (test.failed) {
            walk.status |= NodeStatus.FAILED_CHILD;
            this.dirty.add(walk);
          } else {
            this.#addUnlinked(walk.prev as HeaderNode, walk);
          }
          this.candidates.delete(walk);
        }
        this.candidates.delete(test);
        usable = false;
        break;
      }
      if (usable) return best;
    }
  }

  /** Yields each node outside the active chain once. */
  *offChain(): Generator<HeaderNode> {
    const seen = new Set<HeaderNode>();
    for (const leaf of this.#leaves) {
      for (let node: HeaderNode | null = leaf; node !== null && !this.#active.contains(node) && !seen.has(node); node = node.prev) {
        seen.add(node);
        yield node;
      }
    }
  }

  /** Adds every connectable block outside the active chain that is no worse than the tip, and the tip itself. */
  refillCandidates(): void {
    const tip = this.#active.tip as HeaderNode;
    for (const node of this.offChain()) if (node.isConnectable && compareCandidates(node, tip) >= 0) this.candidates.add(node);
    this.candidates.add(tip);
  }

  /** Removes failure marks from a block, its descendants and its ancestors. */
  clearFailures(node: HeaderNode): void {
    const tip = this.#active.tip as HeaderNode;
    for (const other of this.offChain()) {
      if (!other.failed || (!other.descendsFrom(node) && !node.descendsFrom(other))) continue;
      other.status &= ~FAILED_MASK;
      this.#failedBlocks.delete(other);
      this.dirty.add(other);
      // Consider ancestors as candidates too, because the block itself and its descendants may lack their bytes.
      if (other.isConnectable && compareCandidates(other, tip) > 0) this.candidates.add(other);
      if (this.bestInvalid === other) this.bestInvalid = null;
    }
  }

  /**
   * Ranks a block as if it had arrived before all others of equal work.
   * @returns false if it has less work than the tip
   */
  makePrecious(node: HeaderNode): boolean {
    const tip = this.#active.tip as HeaderNode;
    if (node.chainWork < tip.chainWork) return false;
    if (tip.chainWork > this.#lastPreciousWork) this.#reverseSequenceId = -1;
    this.#lastPreciousWork = tip.chainWork;
    this.candidates.delete(node);
    node.sequenceId = this.#reverseSequenceId--;
    if (node.isConnectable) {
      this.candidates.add(node);
      this.candidates.pruneBelow(tip);
    }
    return true;
  }
}
