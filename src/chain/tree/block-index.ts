// The header tree and what follows from it: which blocks may become the tip, which wait for a parent's bytes, which
// failed. Semantics of Core 0.21's BlockManager. Nothing here awaits or touches storage.

import { equalBytes, hashKey } from '../../consensus/bytes/hex.js';
import { blockProof } from '../../consensus/rules/bits.js';
import type { ActiveChain } from './active-chain.js';
import { Candidates, compareCandidates } from './candidates.js';
import { FAILED_MASK, type HeaderNode, HeaderSlabs, NodeStatus } from './header-node.js';

/** Arrival number of the first block received in this process; blocks found at start have 0 (active chain) and 1. */
const FIRST_SEQUENCE_ID = 2;

export class BlockIndex {
  readonly candidates = new Candidates();
  /** Nodes whose row in the store is outdated. */
  readonly dirty = new Set<HeaderNode>();
  /** Most work among headers not known to be invalid. */
  bestHeader!: HeaderNode;
  /** Most work among blocks known to be invalid. */
  bestInvalid: HeaderNode | null = null;
  /**
   * Whether blocks were ever removed for want of room: then a block whose transactions are counted may lack its bytes.
   */
  havePruned = false;
  /** Highest block of each file, of any branch. */
  readonly lastHeights = new Map<number, number>();
  /**
   * The block of a snapshot that the active chain's coins come from, while its history is not validated; null
   * otherwise. No branch that leaves the chain below it can be taken.
   */
  assumed: HeaderNode | null = null;
  /** Changes with what is stored of the active chain, other than by a new tip. */
  storedVersion = 0;
  readonly #slabs = new HeaderSlabs();
  readonly #nodes = new Map<string, HeaderNode>();
  /** Nodes without children. */
  readonly #leaves = new Set<HeaderNode>();
  /** Blocks with bytes whose ancestors' bytes are missing, by parent. */
  readonly #unlinked = new Map<HeaderNode, Set<HeaderNode>>();
  /** Blocks that failed by themselves: headers on top of them are refused. */
  readonly #failedBlocks = new Set<HeaderNode>();
  #lastProof = { bits: 0, proof: 0n };
  #toAssume: { readonly hash: Uint8Array; readonly chainTxCount: number } | null = null;
  #nextSequenceId = FIRST_SEQUENCE_ID;
  /** Work of the tip at the last preciousBlock, and the number it gave. */
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

  /** Every node, in order of insertion. */
  all(): IterableIterator<HeaderNode> {
    return this.#nodes.values();
  }

  /** Ends of all branches. */
  get ends(): ReadonlySet<HeaderNode> {
    return this.#leaves;
  }

  /** Adds a header that passed the rules; the row becomes dirty. */
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

  /** Keeps the bytes of a stored header until addLoaded makes its node. @returns what addLoaded wants to know */
  placeHeader(header: Uint8Array, hash: Uint8Array): number {
    return this.#slabs.putHeader(header, hash);
  }

  /** Before rows are loaded: the chain stands on a snapshot of this block. */
  loadAssumed(hash: Uint8Array, chainTxCount: number): void {
    this.#toAssume = { hash, chainTxCount };
  }

  /**
   * The active chain now stands on a snapshot: blocks above its base count, and what branches off below does not.
   * @param base the tip @param chainTxCount transactions up to it
   */
  assume(base: HeaderNode, chainTxCount: number): void {
    this.assumed = base;
    base.chainTxCount = chainTxCount;
    this.storedVersion++;
    this.#linkChildren(base);
    this.refillCandidates();
    this.candidates.pruneBelow(base);
  }

  /** The history below is validated: the snapshot's block is one like all others. */
  endAssumed(): void {
    this.assumed = null;
    this.refillCandidates();
  }

  /**
   * Makes the node of a stored header, parents first; call finishLoad after the last.
   * @returns null when its parent is not there, or not at the height below
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

  /** Neighbours share their target, so its proof need not be computed again. */
  #proofOf(bits: number): bigint {
    if (this.#lastProof.bits !== bits) this.#lastProof = { bits, proof: blockProof(bits) };
    return this.#lastProof.proof;
  }

  /** Once all rows are in and the active chain stands: arrival numbers and candidates. */
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
   * Records that a block passed the checks without coins and that its bytes are stored; descendants that waited for it
   * join.
   */
  receivedTransactions(node: HeaderNode, txCount: number, file: number, blockPos: number): void {
    node.txCount = txCount;
    if (node !== this.assumed) node.chainTxCount = 0;
    node.file = file;
    node.blockPos = blockPos;
    node.status |= NodeStatus.HAVE_DATA;
    this.noteFile(node);
    if (this.#active.contains(node)) this.storedVersion++;
    this.raise(node, NodeStatus.TRANSACTIONS_VALID);
    this.dirty.add(node);
    // What lies above it is linked already.
    if (node === this.assumed) return;
    if (node.prev !== null && node.prev.chainTxCount === 0) {
      this.#addUnlinked(node.prev, node);
      return;
    }
    this.#link([node]);
  }

  /** Blocks that wait for this one's bytes join. */
  #linkChildren(node: HeaderNode): void {
    const children = this.#unlinked.get(node);
    this.#unlinked.delete(node);
    if (children !== undefined) this.#link([...children]);
  }

  /** Counts transactions of blocks whose ancestors are all there, and of those that waited for them. */
  #link(queue: HeaderNode[]): void {
    for (let i = 0; i < queue.length; i++) {
      const linked = queue[i] as HeaderNode;
      linked.chainTxCount = (linked.prev === null ? 0 : linked.prev.chainTxCount) + linked.txCount;
      if (!this.#active.contains(linked)) {
        // Still outside the candidates, so the number that orders them may change.
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

  /** Notes that a block's bytes lie in its file. */
  noteFile({ file, height }: HeaderNode): void {
    this.lastHeights.set(file, Math.max(height, this.lastHeights.get(file) ?? 0));
  }

  /**
   * Takes back that bytes and undo data are stored: they are about to be removed, and what is known about the block
   * stays.
   */
  prune(node: HeaderNode): void {
    this.#dropPlace(node);
    this.storedVersion++;
    // It would have to be fetched again, and joins either of them then.
    if (!this.#active.contains(node)) this.candidates.delete(node);
    if (node.prev !== null) this.#unlinked.get(node.prev)?.delete(node);
  }

  #dropPlace(node: HeaderNode): void {
    node.status &= ~(NodeStatus.HAVE_DATA | NodeStatus.HAVE_UNDO);
    node.file = -1;
    node.blockPos = 0;
    node.undoPos = 0;
  }

  /** Whether the block was stored once and removed for want of room. */
  isPruned(node: HeaderNode): boolean {
    return this.havePruned && !node.hasData && node.txCount > 0;
  }

  /** Takes back that bytes are stored (they turned out unreadable): the block and those after it wait for new ones. */
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

  /** A block below the snapshot's is missing again. */
  #unlinkHistory(node: HeaderNode, base: HeaderNode): void {
    for (let walk = base; walk !== node; ) {
      walk = walk.prev as HeaderNode;
      walk.chainTxCount = 0;
      if (walk !== node && walk.hasData) this.#addUnlinked(walk.prev as HeaderNode, walk);
    }
  }

  /** The same of many at once, while the tree is loaded: nothing is a candidate yet. */
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

  /** Blocks of the active chain below a snapshot's, highest first. */
  *#belowAssumed(): Generator<HeaderNode> {
    for (let node = this.assumed?.prev ?? null; node !== null; node = node.prev) yield node;
  }

  /** Raises the validity of a block that has not failed. */
  raise(node: HeaderNode, level: number): void {
    if (node.failed || node.has(level)) return;
    node.status |= level;
    this.dirty.add(node);
  }

  #addCandidate(node: HeaderNode): void {
    const tip = this.#active.tip;
    if (tip === undefined || compareCandidates(node, tip) >= 0) this.candidates.add(node);
  }

  /** A block that broke a rule when it was connected, or that the operator names. */
  markFailed(node: HeaderNode): void {
    node.status |= NodeStatus.FAILED;
    this.#failedBlocks.add(node);
    this.dirty.add(node);
    this.candidates.delete(node);
  }

  /** A block that broke a rule before its bytes were stored. */
  markFailedEarly(node: HeaderNode): void {
    node.status |= NodeStatus.FAILED;
    this.dirty.add(node);
  }

  /**
   * Book-keeping for a failed branch: the most-work invalid block, and the best header if it was on that branch.
   * @param whole what stands on the block is marked as well and the best header sought among all branches, as since
   *   release 29; else the tip is the best header
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

  /** Seeks the best header among all that have not failed; of several with its work the tip counts. */
  findBestHeader(): void {
    this.bestHeader = this.#active.tip as HeaderNode;
    for (const leaf of this.#leaves) {
      let sound = leaf;
      while (sound.failed) sound = sound.prev as HeaderNode;
      if (sound.chainWork > this.bestHeader.chainWork) this.bestHeader = sound;
    }
  }

  /** Whether a header on top of prev would build on a failed block; marks the way down to it as failed children. */
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

  /** The valid, fully stored branch with the most work; drops candidates that turn out failed or incomplete. */
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

  /** Nodes outside the active chain, each once. */
  *offChain(): Generator<HeaderNode> {
    const seen = new Set<HeaderNode>();
    for (const leaf of this.#leaves) {
      for (let node: HeaderNode | null = leaf; node !== null && !this.#active.contains(node) && !seen.has(node); node = node.prev) {
        seen.add(node);
        yield node;
      }
    }
  }

  /** Adds every connectable block that is no worse than the tip. */
  refillCandidates(): void {
    const tip = this.#active.tip as HeaderNode;
    for (const node of this.offChain()) if (node.isConnectable && compareCandidates(node, tip) >= 0) this.candidates.add(node);
    this.candidates.add(tip);
  }

  /** Takes failure marks from a block, its descendants and its ancestors. */
  clearFailures(node: HeaderNode): void {
    const tip = this.#active.tip as HeaderNode;
    for (const other of this.offChain()) {
      if (!other.failed || (!other.descendsFrom(node) && !node.descendsFrom(other))) continue;
      other.status &= ~FAILED_MASK;
      this.#failedBlocks.delete(other);
      this.dirty.add(other);
      // An ancestor counts as well: the block itself and what stands on it may lack their bytes.
      if (other.isConnectable && compareCandidates(other, tip) > 0) this.candidates.add(other);
      if (this.bestInvalid === other) this.bestInvalid = null;
    }
  }

  /**
   * Treats a block as if it had arrived before all others of its work.
   * @returns false when it has less work than the tip
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
