// The assembler's encoding of the last template. Templates often begin with the same transactions, and after an empty
// block they are identical. Then the bytes are copied, and only the changed end of the merkle trees is hashed. After a
// tip change miners wait for this work, so its cost delays their new template even if the mempool is unchanged.
import type { Hashes } from '../crypto/crypto.js';
import type { AssembleMirror } from './assemble-mirror.js';
import { HashTree } from './hash-tree.js';

const NOTHING = new Int32Array(0);

export class LastEncoding {
  #epoch = -1;
  #segwitActive = false;
  #slots: Int32Array = NOTHING;
  /** Generations of the slots at the time of the encoding. */
  #generations: Int32Array = NOTHING;
  /** End of each transaction in the bytes. */
  #ends: Int32Array = NOTHING;
  #bytes = new Uint8Array(0);
  readonly #witnessTree: HashTree;
  readonly #txidTree: HashTree;
  #hasTxids = false;

  constructor(hashes: Hashes) {
    this.#witnessTree = new HashTree(hashes);
    this.#txidTree = new HashTree(hashes);
  }

  /** Returns the number of leading transactions that this template has in common with the last encoded one. */
  commonPrefix(mirror: AssembleMirror, slots: Int32Array, segwitActive: boolean): number {
    if (mirror.epoch !== this.#epoch || segwitActive !== this.#segwitActive) return 0;
    const { generation } = mirror.candidates;
    const most = Math.min(slots.length, this.#slots.length);
    let count = 0;
    while (count < most && slots[count] === this.#slots[count] && generation[slots[count]] === this.#generations[count]) count++;
    return count;
  }

  /** Returns the array's bytes up to the end of the first `count` transactions, with the opening bracket. @param count at least 1 */
  prefixBytes(count: number): Uint8Array {
    return this.#bytes.subarray(0, this.#ends[count - 1]);
  }

  /** Returns the ends of the first transactions. */
  prefixEnds(count: number): Int32Array {
    return this.#ends.subarray(0, count);
  }

  /** Returns the witness root if the transactions are exactly those of last time; otherwise null. */
  witnessRoot(slots: Int32Array, prefix: number): Uint8Array | null {
    return prefix > 0 && prefix === slots.length && prefix === this.#slots.length ? this.#witnessTree.root : null;
  }

  /** Returns the coinbase's branch if it was computed last time and the transactions are exactly the same; otherwise null. */
  merkleBranch(slots: Int32Array, prefix: number): readonly Uint8Array[] | null {
    return this.#hasTxids && this.witnessRoot(slots, prefix) !== null ? this.#txidTree.firstBranch : null;
  }

  /**
   * Returns the same transactions in the order of last time, with new ones at the end, so that nearly all bytes can be
   * copied.
   * @returns null if little is in common, or if a parent would come after its child
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
    // 3 marks slots whose parents all come first. A child can come before a parent that a reorganisation brought back later.
    for (const slot of order) {
      for (const parent of parents[slot]) if (wanted[parent] !== 3) return null;
      wanted[slot] = 3;
    }
    return order;
  }

  /** @param encoded bytes of the whole array; they are copied, because slabs are overwritten */
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
    // If an exception follows, the state is incomplete: no transactions count as encoded.
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
