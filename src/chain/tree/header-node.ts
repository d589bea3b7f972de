// A block header in the tree and the state of its block. Mainnet has about a million of them, so nodes are small: the
// header and its hash are in shared slabs outside V8's heap, and fields are read from there. Consensus rules see a node
// as HeaderContext.

import { hashToHex } from '../../consensus/bytes/hex.js';
import { type HeaderContext, medianTimePast } from '../../consensus/header-context.js';
import type { BlockHash } from '../../consensus/ids.js';

/** Bits of HeaderNode.status. Validity levels follow Core's BLOCK_VALID_*: each bit implies the ones before it. */
export const NodeStatus = {
  /** The header passed every header rule. */
  HEADER_VALID: 1,
  /** Block bytes are stored. */
  HAVE_DATA: 2,
  /**
   * The block passed every check that needs no coins (Core's BLOCK_VALID_TRANSACTIONS), or lies in files that a reindex
   * has read. Connecting repeats these checks.
   */
  TRANSACTIONS_VALID: 4,
  /** The block was connected once: its coins and scripts are valid, given its ancestors. */
  SCRIPTS_VALID: 8,
  /** Undo data is stored. */
  HAVE_UNDO: 16,
  /** This block broke a rule, or the operator invalidated it. */
  FAILED: 32,
  /** An ancestor failed. */
  FAILED_CHILD: 64,
} as const;

/** Mask of both failure bits. */
export const FAILED_MASK = NodeStatus.FAILED | NodeStatus.FAILED_CHILD;

/** Size of a slab entry in bytes: header, hash, largest time so far. */
const ENTRY_SIZE = 116;
const SLAB_ENTRIES = 4096;

/**
 * A block header and the state of its block.
 *
 * Fixed-width fields are read from a slab entry:
 *   0 version int32 | 4 previous hash 32 | 36 merkle root 32 | 68 time u32 | 72 bits u32 | 76 nonce u32 | 80 hash 32
 *   112 largest time u32
 */
export class HeaderNode implements HeaderContext {
  readonly height: number;
  /** Total work of this header and all its ancestors. */
  readonly chainWork: bigint;
  /** Bits of NodeStatus. */
  status = 0;
  /** Number of transactions of the block; 0 until the node has had its bytes. Pruning does not change it. */
  txCount = 0;
  /**
   * Number of transactions of the chain up to this block; 0 while bytes of this block or of an ancestor are missing.
   * Pruned bytes do not count as missing.
   */
  chainTxCount = 0;
  /** Number of the blk and rev files; -1 if the block is not stored. */
  file = -1;
  /** Byte position of the block in its blk file, behind the record's head. */
  blockPos = 0;
  /** Byte position of the undo data in the rev file of the same number. */
  undoPos = 0;
  /**
   * Order of arrival among blocks of equal work; lower wins. Negative for precious blocks, 0 and 1 for blocks found at
   * start.
   */
  sequenceId = 0;
  /** A distant ancestor, which lets ancestor() take a logarithmic number of steps. */
  readonly #skip: HeaderNode | null;
  readonly #slab: DataView;
  readonly #offset: number;

  constructor(
    readonly prev: HeaderNode | null,
    proof: bigint,
    slab: DataView,
    offset: number,
  ) {
    this.#slab = slab;
    this.#offset = offset;
    this.height = prev === null ? 0 : prev.height + 1;
    this.chainWork = prev === null ? proof : prev.chainWork + proof;
    this.#skip = prev === null ? null : prev.ancestor(skipHeight(this.height));
    slab.setUint32(offset + 112, prev === null ? this.time : Math.max(prev.maxTime, this.time), true);
  }

  get version(): number {
    return this.#slab.getInt32(this.#offset, true);
  }
  /** View of 32 bytes, internal order. */
  get merkleRoot(): Uint8Array {
    return this.#view(36, 32);
  }
  get time(): number {
    return this.#slab.getUint32(this.#offset + 68, true);
  }
  /** Largest time of this block and its ancestors, in seconds. It never falls along a chain. */
  get maxTime(): number {
    return this.#slab.getUint32(this.#offset + 112, true);
  }
  get bits(): number {
    return this.#slab.getUint32(this.#offset + 72, true);
  }
  get nonce(): number {
    return this.#slab.getUint32(this.#offset + 76, true);
  }
  /** View of 32 bytes, internal order. */
  get hash(): BlockHash {
    return this.#view(80, 32);
  }
  /** Hash in display order (hex). */
  get hashHex(): string {
    return hashToHex(this.hash);
  }
  /** Hash of the previous header: 32 bytes, internal order; zeros for genesis. */
  get prevHash(): BlockHash {
    return this.#view(4, 32);
  }
  /** View of the 80 header bytes. */
  get headerBytes(): Uint8Array {
    return this.#view(0, 80);
  }

  has(bits: number): boolean {
    return (this.status & bits) === bits;
  }
  /** True if the block's bytes are stored. */
  get hasData(): boolean {
    return (this.status & NodeStatus.HAVE_DATA) !== 0;
  }
  /** True if the block or an ancestor is known to be invalid. */
  get failed(): boolean {
    return (this.status & FAILED_MASK) !== 0;
  }
  /** True if the bytes of this block and of all its ancestors are stored or were stored once. */
  get hasChainData(): boolean {
    return this.chainTxCount !== 0;
  }
  /** True if, as far as known, the block can become the tip: it and its ancestors were stored, and none failed. */
  get isConnectable(): boolean {
    return !this.failed && this.chainTxCount !== 0 && (this.status & NodeStatus.TRANSACTIONS_VALID) !== 0;
  }

  /** Returns the median time of this block and the ten before it, in seconds (BIP-0113). */
  medianTimePast(): number {
    return medianTimePast(this);
  }

  /** Returns the ancestor at a height, which may be this node; null above this node or below zero. */
  ancestor(height: number): HeaderNode | null {
    if (height > this.height || height < 0) return null;
    let node: HeaderNode = this;
    while (node.height > height) {
      const skip = node.#skip;
      const prev = node.prev as HeaderNode;
      const far = skipHeight(node.height);
      const farOfPrev = skipHeight(node.height - 1);
      // Follow the distant pointer unless the parent's pointer leads closer to the goal.
      if (skip !== null && (far === height || (far > height && !(farOfPrev < far - 2 && farOfPrev >= height)))) node = skip;
      else node = prev;
    }
    return node;
  }

  /** Returns whether `other` is this node or one of its ancestors. */
  descendsFrom(other: HeaderNode): boolean {
    return this.ancestor(other.height) === other;
  }

  #view(start: number, length: number): Uint8Array {
    return new Uint8Array(this.#slab.buffer, this.#offset + start, length);
  }
}

/** Stores the bytes of headers and creates nodes over them. Each tree has one. */
export class HeaderSlabs {
  readonly #slabs: DataView[] = [];
  #used = 0;

  /** Copies a header and its hash (internal order) into the next entry. @returns the entry's number */
  putHeader(header: Uint8Array, hash: Uint8Array): number {
    const index = this.#used % SLAB_ENTRIES;
    if (index === 0) this.#slabs.push(new DataView(new ArrayBuffer(ENTRY_SIZE * SLAB_ENTRIES)));
    const slab = this.#slabs[this.#slabs.length - 1] as DataView;
    const entry = new Uint8Array(slab.buffer, index * ENTRY_SIZE, ENTRY_SIZE);
    entry.set(header.subarray(0, 80), 0);
    entry.set(hash.subarray(0, 32), 80);
    return this.#used++;
  }

  /** Returns a view of 32 bytes of an entry, from `offset`. */
  hash32(entry: number, offset: 4 | 36 | 80): Uint8Array {
    return new Uint8Array(this.#slabOf(entry).buffer, (entry % SLAB_ENTRIES) * ENTRY_SIZE + offset, 32);
  }

  /** Returns the compact target of an entry. */
  bits(entry: number): number {
    return this.#slabOf(entry).getUint32((entry % SLAB_ENTRIES) * ENTRY_SIZE + 72, true);
  }

  /**
   * Creates the node of an entry.
   * @param proof work of this header alone
   */
  node(entry: number, prev: HeaderNode | null, proof: bigint): HeaderNode {
    return new HeaderNode(prev, proof, this.#slabOf(entry), (entry % SLAB_ENTRIES) * ENTRY_SIZE);
  }

  /** Stores a header and creates its node. */
  createNode(prev: HeaderNode | null, proof: bigint, header: Uint8Array, hash: Uint8Array): HeaderNode {
    return this.node(this.putHeader(header, hash), prev, proof);
  }

  #slabOf(entry: number): DataView {
    return this.#slabs[Math.floor(entry / SLAB_ENTRIES)] as DataView;
  }
}

function clearLowestBit(n: number): number {
  return n & (n - 1);
}

/**
 * Returns the height to which the distant pointer of a block leads. Any lower height would be correct. The function
 * clears low bits of the height, and for odd heights two more bits of the parent's height. This gives paths of about
 * 110 steps over 250,000 blocks. Core uses and measured the same rule.
 */
function skipHeight(height: number): number {
  if (height < 2) return 0;
  return (height & 1) === 1 ? clearLowestBit(clearLowestBit(height - 1)) + 1 : clearLowestBit(height);
}

/** Returns the last block that two branches share. */
export function lastCommonAncestor(a: HeaderNode, b: HeaderNode): HeaderNode {
  let left: HeaderNode = a.ancestor(Math.min(a.height, b.height)) as HeaderNode;
  let right: HeaderNode = b.ancestor(left.height) as HeaderNode;
  while (left !== right) {
    left = left.prev as HeaderNode;
    right = right.prev as HeaderNode;
  }
  return left;
}
