// The encoding of the template before, in the assembler. Two templates often begin with the same transactions, and
// after an empty block they are the same: then the bytes are copied instead of written again, and of the hash trees
// only the changed end is reckoned. This is what a new tip with an unchanged mempool costs every miner.
import type { Hashes } from '../crypto/crypto.js';
import type { AssembleMirror } from './assemble-mirror.js';
import { HashTree } from './hash-tree.js';

const NOTHING = new Int32Array(0);

export class LastEncoding {
  #epoch = -1;
  #segwitActive = false;
  #slots: Int32Array = NOTHING;
  /** Which of the transactions that had the slot in turn. */
  #generations: Int32Array = NOTHING;
  /** Where the encoding of each transaction ends. */
  #ends: Int32Array = NOTHING;
  #bytes = new Uint8Array(0);
  readonly #witnessTree: HashTree;
  readonly #txidTree: HashTree;
  #hasTxids = false;

  constructor(hashes: Hashes) {
    this.#witnessTree = new HashTree(hashes);
    this.#txidTree = new HashTree(hashes);
  }

  /** How many transactions at the beginning are the ones of last time. */
  commonPrefix(mirror: AssembleMirror, slots: Int32Array, segwitActive: boolean): number {
    if (mirror.epoch !== this.#epoch || segwitActive !== this.#segwitActive) return 0;
    const { generation } = mirror.candidates;
    const most = Math.min(slots.length, this.#slots.length);
    let count = 0;
    while (count < most && slots[count] === this.#slots[count] && generation[slots[count]] === this.#generations[count]) count++;
    return count;
  }

  /** The array's bytes up to the end of its first transactions, opening bracket included. @param count at least 1 */
  prefixBytes(count: number): Uint8Array {
    return this.#bytes.subarray(0, this.#ends[count - 1]);
  }

  /** Ends of the first transactions. */
  prefixEnds(count: number): Int32Array {
    return this.#ends.subarray(0, count);
  }

  /** The witness root if these are exactly the transactions of last time. */
  witnessRoot(slots: Int32Array, prefix: number): Uint8Array | null {
    return prefix > 0 && prefix === slots.length && prefix === this.#slots.length ? this.#witnessTree.root : null;
  }

  /** The coinbase's branch under the same condition, if it was reckoned then. */
  merkleBranch(slots: Int32Array, prefix: number): readonly Uint8Array[] | null {
    return this.#hasTxids && this.witnessRoot(slots, prefix) !== null ? this.#txidTree.firstBranch : null;
  }

  /**
   * The same transactions in the order of last time as far as they were there, new ones behind: next to everything can
   * then be copied.
   * @returns null when there is little in common, or when a parent would come after its child
   */
  steady(mirror: AssembleMirror, slots: Int32Array): Int32Array | null {
    if (mirror.epoch !== this.#epoch) return null;
    const { generation, parents, capacity } = mirror.candidates;
    const wanted = new Uint8Array(capacity);
    for (const slot of slots) wanted[slot] = 1;
    const order = new Int32Array(slots.length);
    let at = 0;
    const last = this.#slots;
    for (let i = 0; i < last.length; i++) {
      const slot = last[i];
      if (wanted[slot] === 0 || generation[slot] !== this.#generations[i]) continue;
      wanted[slot] = 2;
      order[at++] = slot;
    }
    if (at * 2 < slots.length) return null;
    for (const slot of slots) if (wanted[slot] === 1) order[at++] = slot;
    // 3: placed. A child may have been there before its parent came back with a reorganisation.
    for (const slot of order) {
      for (const parent of parents[slot]) if (wanted[parent] !== 3) return null;
      wanted[slot] = 3;
    }
    return order;
  }

  /** @param bytes the whole array; copied, because slabs are rewritten */
  remember(
    mirror: AssembleMirror,
    slots: Int32Array,
    segwitActive: boolean,
    encoded: { readonly bytes: Uint8Array; readonly ends: Int32Array; readonly unchanged: number; readonly prefix: number },
    withTxids: boolean,
  ): { readonly witnessRoot: Uint8Array; readonly merkleBranch: readonly Uint8Array[] } {
    const { generation, offset } = mirror.candidates;
    const id = (i: number, at: number): Uint8Array => {
      const from = offset[slots[i - 1]] + at;
      return mirror.segmentOf(slots[i - 1]).subarray(from, from + 32);
    };
    const { prefix } = encoded;
    // Should something throw below, half of it is there: then it is as if nothing were.
    this.#slots = NOTHING;
    this.#witnessTree.update(slots.length + 1, prefix + 1, (i) => id(i, 32));
    if (withTxids) this.#txidTree.update(slots.length + 1, this.#hasTxids ? prefix + 1 : 0, (i) => id(i, 0));
    this.#hasTxids = withTxids;
    this.#epoch = mirror.epoch;
    this.#segwitActive = segwitActive;
    this.#slots = slots;
    this.#generations = new Int32Array(slots.length);
    for (let i = 0; i < slots.length; i++) this.#generations[i] = generation[slots[i]];
    this.#ends = encoded.ends;
    const { bytes, unchanged } = encoded;
    if (bytes.length > this.#bytes.length) {
      const grown = new Uint8Array(Math.ceil(bytes.length * 1.25));
      grown.set(bytes);
      this.#bytes = grown;
    } else this.#bytes.set(bytes.subarray(unchanged), unchanged);
    return { witnessRoot: this.#witnessTree.root, merkleBranch: withTxids ? this.#txidTree.firstBranch : [] };
  }
}
