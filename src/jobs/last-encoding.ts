// The encoding of the template before, in the assembler. Two templates often begin with the same transactions, and after an empty block
// they are the same: then the bytes are copied instead of written again, and the witness root is known. This is what a new tip
// with an unchanged mempool costs every miner.
import type { AssembleMirror } from './assemble-mirror.js';

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
  #witnessRoot: Uint8Array | null = null;

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
    return prefix === slots.length && prefix === this.#slots.length ? this.#witnessRoot : null;
  }

  /** @param bytes the whole array; copied, because slabs are rewritten */
  remember(
    mirror: AssembleMirror,
    slots: Int32Array,
    segwitActive: boolean,
    encoded: { readonly bytes: Uint8Array; readonly ends: Int32Array; readonly unchanged: number },
    witnessRoot: Uint8Array,
  ): void {
    const { generation } = mirror.candidates;
    this.#epoch = mirror.epoch;
    this.#segwitActive = segwitActive;
    this.#slots = slots;
    this.#generations = Int32Array.from(slots, (slot) => generation[slot]);
    this.#witnessRoot = witnessRoot;
    this.#ends = encoded.ends;
    const { bytes, unchanged } = encoded;
    if (bytes.length > this.#bytes.length) {
      const grown = new Uint8Array(Math.ceil(bytes.length * 1.25));
      grown.set(bytes);
      this.#bytes = grown;
    } else this.#bytes.set(bytes.subarray(unchanged), unchanged);
  }
}
