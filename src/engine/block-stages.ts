// The stages of a block that have no order: parse, ids and roots, records for the shards; and, once all shards have
// applied the records, the last checks and the undo data.

import type { Sha256Update } from '../crypto/native/sha256-update.js';
import type { Kernel } from './kernel-module.js';

/** Error codes of the stages besides those of kernel/layout.ts. */
export const STAGE_ERROR = { header: 100, merkleRoot: 101, mutated: 102, commitment: 103, unexpectedWitness: 104, script: 105 } as const;

/** Sizes and offsets of a block's header in bytes. */
const HASH_BYTES = 32;
const HEADER_BYTES = 80;
const PREV_HASH_AT = 4;
const MERKLE_ROOT_AT = 36;

/** Runs stages on one thread. */
export class BlockStages {
  readonly #kernel: Kernel;
  readonly #native: Sha256Update;
  readonly #scratch: number;
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #base: number;
  readonly #at: Readonly<Record<string, number>>;

  /**
   * @param memory the slots' memory, of fixed size
   * @param scratch address of SCRATCH_BYTES that only this thread uses
   */
  constructor(kernel: Kernel, native: Sha256Update, memory: SharedArrayBuffer, scratch: number) {
    this.#kernel = kernel;
    this.#native = native;
    this.#scratch = scratch;
    this.#bytes = new Uint8Array(memory);
    this.#words = new Uint32Array(memory);
    this.#base = native.addressOf(this.#bytes);
    const names = ['LIST', 'SECOND', 'RAW', 'IDS', 'WIDS', 'DIGEST', 'UNDO', 'HASH', 'UNDO_CHECKSUM', 'UNDO_LENGTH'];
    names.push('TX_COUNT', 'WITNESS_TXS', 'RESERVED', 'FLAGS', 'WITNESSES');
    this.#at = Object.fromEntries(names.map((name) => [name, kernel.layout(name)]));
  }

  /** Parses the block and checks the context-free rules. @returns 0 or an error code */
  parse(slot: number): number {
    return this.#kernel.parse(slot);
  }

  /** Computes header hash, ids and roots, and compares them. The block must be parsed. @returns 0 or an error code */
  checkHashes(slot: number): number {
    const at = this.#at;
    const kernel = this.#kernel;
    // The checksum's place is free until the block is finished.
    this.#hashBytes(slot, slot + at.RAW, HEADER_BYTES, at.UNDO_CHECKSUM);
    if (kernel.equal32(slot + at.UNDO_CHECKSUM, slot + at.HASH) === 0) return STAGE_ERROR.header;
    const txs = this.#word(slot, at.TX_COUNT);
    this.#hashIds(slot, txs);
    const txids = this.#root(slot, at.IDS, txs);
    if (kernel.equal32(txids.root, slot + at.RAW + MERKLE_ROOT_AT) === 0) return STAGE_ERROR.merkleRoot;
    if (txids.mutated) return STAGE_ERROR.mutated;
    return this.#checkWitnesses(slot, txs);
  }

  #checkWitnesses(slot: number, txs: number): number {
    const at = this.#at;
    const commitment = (this.#word(slot, at.FLAGS) & at.WITNESSES) === 0 ? 0 : this.#kernel.findCommitment(slot);
    if (commitment === 0) return this.#word(slot, at.WITNESS_TXS) === 0 ? 0 : STAGE_ERROR.unexpectedWitness;
    const reserved = this.#word(slot, at.RESERVED);
    if (reserved === 0) return STAGE_ERROR.commitment;
    this.#kernel.fillWtxids(slot, txs);
    const { root } = this.#root(slot, at.WIDS, txs);
    const pair = slot + at.DIGEST;
    this.#bytes.copyWithin(pair, root, root + HASH_BYTES);
    this.#bytes.copyWithin(pair + HASH_BYTES, slot + reserved, slot + reserved + HASH_BYTES);
    this.#hashBytes(slot, pair, 2 * HASH_BYTES, at.UNDO_CHECKSUM);
    return this.#kernel.equal32(slot + at.UNDO_CHECKSUM, slot + commitment) === 0 ? STAGE_ERROR.commitment : 0;
  }

  /** Writes the records for the shards. @returns 0 or an error code */
  emit(slot: number, shards: number): number {
    return this.#kernel.emit(slot, shards);
  }

  /** Checks what needs the spent coins, and writes undo data and its checksum. @returns 0 or an error code */
  finish(slot: number, times: number): number {
    const code = this.#kernel.finish(slot, times);
    if (code !== 0) return code;
    const at = this.#at;
    const begin = slot + at.UNDO - HASH_BYTES;
    const prevHash = slot + at.RAW + PREV_HASH_AT;
    this.#bytes.copyWithin(begin, prevHash, prevHash + HASH_BYTES);
    this.#hashBytes(slot, begin, HASH_BYTES + this.#word(slot, at.UNDO_LENGTH), at.UNDO_CHECKSUM);
    return 0;
  }

  #word(slot: number, at: number): number {
    return this.#words[(slot + at) >> 2];
  }

  /** Hashes `messages` laid-out messages twice. */
  #hash(slot: number, messages: number): void {
    const { update } = this.#native;
    const base = this.#base;
    const list = (this.#scratch + this.#at.LIST) >> 2;
    const words = this.#words;
    for (let i = 0, at = list; i < messages; i++, at += 3) update(base + words[at], base + words[at + 1], words[at + 2]);
    this.#kernel.layOutSecond(this.#scratch, messages);
    let second = base + this.#scratch + this.#at.SECOND;
    for (let i = 0, at = list; i < messages; i++, at += 3, second += 64) update(base + words[at], second, 64);
    this.#kernel.takeHashes(slot, this.#scratch, messages);
  }

  /** Writes the double hash of bytes at `from` to offset `to` of the slot. */
  #hashBytes(slot: number, from: number, length: number, to: number): void {
    this.#kernel.layOutBytes(this.#scratch, from, length, to);
    this.#hash(slot, 1);
  }

  #hashIds(slot: number, txs: number): void {
    for (let t = 0; t < txs; ) {
      const laidOut = this.#kernel.layOutIds(slot, this.#scratch, t, txs);
      this.#hash(slot, laidOut & 0xffff);
      t += laidOut >>> 16;
    }
  }

  /** Returns the address of the root over hashes at an offset of the slot, and whether two equal hashes were paired. */
  #root(slot: number, leaves: number, count: number): { root: number; mutated: boolean } {
    let level = leaves;
    let mutated = false;
    for (let size = count; size > 1; ) {
      const even = this.#kernel.evenLevel(slot, level, size);
      if (even < 0) mutated = true;
      const pairs = Math.abs(even);
      for (let i = 0; i < pairs; ) {
        const messages = this.#kernel.layOutPairs(slot, this.#scratch, level, this.#at.DIGEST, i, pairs);
        this.#hash(slot, messages);
        i += messages;
      }
      level = this.#at.DIGEST;
      size = pairs;
    }
    return { root: slot + level, mutated };
  }
}
