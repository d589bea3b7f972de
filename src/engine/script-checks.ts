// Checks the scripts of a finished block's inputs, with the spent outputs that lie in the slot. The kernel lays out the
// signatures of the usual spends (kernel/checks.ts). The interpreter judges all other inputs, and those whose signature fails.

import { equalBytes } from '../consensus/bytes/hex.js';
import { CONSENSUS_SCRIPT_FLAGS } from '../consensus/script/flags.js';
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

/** A transaction for the interpreter. */
interface ParsedTx {
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
  readonly #scratch: number;
  /** Places of kernel/checks.ts. */
  readonly #signature: Uint8Array;
  readonly #key: Uint8Array;
  readonly #keyHash: Uint8Array;
  readonly #xOnlyKey: Uint8Array;
  readonly #message: Uint8Array;
  /** Block and transaction that the kernel has open, and the transaction for the interpreter. */
  #openHeight = -1;
  #openIndex = -1;
  #parsed: ParsedTx | null = null;

  /** @param scratch address of SCRATCH_BYTES that only this thread uses */
  constructor(kernel: Kernel, crypto: Crypto, memory: SharedArrayBuffer, scratch: number) {
    this.#kernel = kernel;
    this.#crypto = crypto;
    this.#bytes = new Uint8Array(memory);
    this.#words = new Uint32Array(memory);
    this.#values = new Float64Array(memory);
    this.#scratch = scratch;
    this.#spentAt = scratch + kernel.layout('SPENT');
    this.#spentBytes = kernel.layout('SPENT_BYTES');
    this.#txBytes = kernel.layout('TX_BYTES');
    const names = ['HEIGHT', 'TX_COUNT', 'SCRIPT_FLAGS', 'TXS', 'CHECK_ECDSA', 'CHECK_SCHNORR'];
    this.#at = Object.fromEntries(names.map((name) => [name, kernel.layout(name)]));
    const place = (name: string, length: number): Uint8Array => {
      const at = scratch + kernel.layout('CHECK') + (name === '' ? 0 : kernel.layout(name));
      return this.#bytes.subarray(at, at + length);
    };
    this.#signature = place('', 64);
    this.#key = place('CHECK_KEY', 33);
    this.#xOnlyKey = place('CHECK_KEY', 32);
    this.#keyHash = place('CHECK_KEY_HASH', 20);
    this.#message = place('CHECK_MESSAGE', 32);
    place('CHECK_TAG', 32).set(crypto.sha256(new TextEncoder().encode('TapSighash')));
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
      this.#openTx(slot, t);
      for (; input < last; input++) {
        if (this.#isUsualSpend(input - first, flags)) continue;
        const { tx, spent, sighashes } = (this.#parsed ??= this.#parse(slot, row));
        const error = verifyTxInput(tx, input - first, spent, flags, this.#crypto, sighashes);
        if (error !== 0) return error;
      }
    }
    return 0;
  }

  /** Returns true if an input of the open transaction is one of the usual spends, and valid. */
  #isUsualSpend(input: number, flags: number): boolean {
    // Other flags are policy.
    if ((flags & ~CONSENSUS_SCRIPT_FLAGS) !== 0) return false;
    switch (this.#kernel.layOutCheck(input, flags)) {
      case this.#at.CHECK_ECDSA:
        return (
          equalBytes(this.#crypto.hash160(this.#key), this.#keyHash) && this.#crypto.ecdsaVerify(this.#signature, this.#key, this.#message)
        );
      case this.#at.CHECK_SCHNORR:
        return this.#crypto.schnorrVerify(this.#signature, this.#xOnlyKey, this.#message);
      default:
        return false;
    }
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

  /** Opens a transaction in the kernel. The last one stays open, because a large one is checked in several parts. */
  #openTx(slot: number, index: number): void {
    const height = this.#words[(slot + this.#at.HEIGHT) >> 2];
    if (this.#openHeight === height && this.#openIndex === index) return;
    this.#kernel.openTx(slot, index, this.#scratch);
    this.#openHeight = height;
    this.#openIndex = index;
    this.#parsed = null;
  }

  /** Parses the open transaction for the interpreter. */
  #parse(slot: number, row: number): ParsedTx {
    const bytes = this.#bytes.subarray(slot + this.#words[row + TX_BEGIN], slot + this.#words[row + TX_END]);
    const tx = parseTx(bytes, this.#crypto, { exact: true });
    const spent = new Array<SpentOutput>(this.#words[row + TX_INPUTS]);
    for (let i = 0, entry = this.#spentAt; i < spent.length; i++, entry += this.#spentBytes) {
      const script = this.#words[(entry >> 2) + 2];
      spent[i] = { value: this.#values[entry >> 3], script: this.#bytes.subarray(script, script + this.#words[(entry >> 2) + 3]) };
    }
    return { tx, spent, sighashes: new SighashCache(tx, this.#crypto, spent) };
  }
}
