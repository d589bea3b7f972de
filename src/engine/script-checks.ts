// Checks the scripts of a finished block's inputs, with the spent outputs that lie in the slot.

import { SighashCache } from '../consensus/script/sighash.js';
import type { SpentOutput } from '../consensus/script/spent-output.js';
import { verifyTxInput } from '../consensus/script/verify-input.js';
import { parseTx, type TxView } from '../consensus/tx/tx-view.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Kernel } from './kernel-module.js';

/** Words of a transaction's row in the slot: offsets of begin and end, number of inputs, index of the first input. */
const TX_BEGIN = 0;
const TX_END = 3;
const TX_INPUTS = 4;
const TX_FIRST = 5;

/** A transaction whose inputs are checked. */
interface OpenTx {
  readonly height: number;
  readonly index: number;
  readonly tx: TxView;
  readonly spent: readonly SpentOutput[];
  readonly sighashes: SighashCache;
}

/** Checks scripts on one thread. */
export class ScriptChecks {
  readonly #kernel: Kernel;
  readonly #crypto: Crypto;
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #values: Float64Array;
  readonly #spentAt: number;
  readonly #spentBytes: number;
  readonly #txBytes: number;
  readonly #at: Readonly<Record<string, number>>;
  #open: OpenTx | null = null;

  /** @param scratch address of SCRATCH_BYTES that only this thread uses */
  constructor(kernel: Kernel, crypto: Crypto, memory: SharedArrayBuffer, scratch: number) {
    this.#kernel = kernel;
    this.#crypto = crypto;
    this.#bytes = new Uint8Array(memory);
    this.#words = new Uint32Array(memory);
    this.#values = new Float64Array(memory);
    this.#spentAt = scratch + kernel.layout('SPENT');
    this.#spentBytes = kernel.layout('SPENT_BYTES');
    this.#txBytes = kernel.layout('TX_BYTES');
    this.#at = Object.fromEntries(['HEIGHT', 'TX_COUNT', 'SCRIPT_FLAGS', 'TXS'].map((name) => [name, kernel.layout(name)]));
  }

  /**
   * Checks inputs `from` to `end` - 1 of the block.
   * @returns the first ScriptError code; 0 if all are valid
   */
  check(slot: number, from: number, end: number): number {
    const flags = this.#words[(slot + this.#at.SCRIPT_FLAGS) >> 2];
    for (let input = from, t = this.#txOf(slot, from); input < end; t++) {
      const row = this.#row(slot, t);
      const first = this.#words[row + TX_FIRST];
      const last = Math.min(end, first + this.#words[row + TX_INPUTS]);
      const { tx, spent, sighashes } = this.#openTx(slot, t);
      for (; input < last; input++) {
        const error = verifyTxInput(tx, input - first, spent, flags, this.#crypto, sighashes);
        if (error !== 0) return error;
      }
    }
    return 0;
  }

  /** Returns the index of a transaction's first word. */
  #row(slot: number, t: number): number {
    return (slot + this.#at.TXS + t * this.#txBytes) >> 2;
  }

  /** Returns the transaction of an input, by binary search. */
  #txOf(slot: number, input: number): number {
    let low = 0;
    let high = this.#words[(slot + this.#at.TX_COUNT) >> 2] - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#words[this.#row(slot, middle) + TX_FIRST] <= input) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns a transaction. The last one is kept, because a large one is checked in several parts. */
  #openTx(slot: number, index: number): OpenTx {
    const height = this.#words[(slot + this.#at.HEIGHT) >> 2];
    if (this.#open !== null && this.#open.height === height && this.#open.index === index) return this.#open;
    const row = this.#row(slot, index);
    const bytes = this.#bytes.subarray(slot + this.#words[row + TX_BEGIN], slot + this.#words[row + TX_END]);
    const tx = parseTx(bytes, this.#crypto, { exact: true });
    const spent = this.#spent(slot, index, this.#words[row + TX_INPUTS]);
    this.#open = { height, index, tx, spent, sighashes: new SighashCache(tx, this.#crypto, spent) };
    return this.#open;
  }

  #spent(slot: number, index: number, inputs: number): SpentOutput[] {
    this.#kernel.listSpent(slot, index, this.#spentAt);
    const spent = new Array<SpentOutput>(inputs);
    for (let i = 0, entry = this.#spentAt; i < inputs; i++, entry += this.#spentBytes) {
      const script = this.#words[(entry >> 2) + 2];
      spent[i] = { value: this.#values[entry >> 3], script: this.#bytes.subarray(script, script + this.#words[(entry >> 2) + 3]) };
    }
    return spent;
  }
}
