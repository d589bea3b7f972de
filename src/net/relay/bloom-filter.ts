// Bloom filter of BIP-0037: the elements that a light client wants, as bits set by MurmurHash3. The peer provides the
// filter, so its size, its hash functions, and the work for one transaction are bounded. False positives are allowed,
// so a transaction that exceeds the work counts as a match.

import { ByteReader } from '../../consensus/bytes/reader.js';
import { outpointOf } from '../../consensus/connect.js';
import { ScriptTokenizer } from '../../consensus/script/tokenizer.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { solve } from '../../policy/script-type.js';

/** Largest filter, bytes. */
export const MAX_BLOOM_FILTER_BYTES = 36_000;
/** Maximum number of hash functions. */
export const MAX_HASH_FUNCTIONS = 50;
/** Maximum work for one transaction, about 5 ms. One unit is a byte hashed once; each hash costs 16 more. */
const MAX_WORK_PER_TX = 4_000_000;
const WORK_PER_HASH = 16;
/** Makes the hash functions different (BIP-0037). */
const SEED_STEP = 0xfba4c795;

/** Low two bits of the flags: which matching outputs are inserted into the filter, so that their spends match too. */
const UPDATE_MASK = 3;
const UPDATE_ALL = 1;
const UPDATE_P2PUBKEY_ONLY = 2;

export class BloomFilter {
  #workLeft = 0;
  readonly #bits: Uint8Array;
  readonly #hashFunctions: number;
  readonly #tweak: number;
  readonly #flags: number;

  private constructor(bits: Uint8Array, hashFunctions: number, tweak: number, flags: number) {
    this.#bits = bits;
    this.#hashFunctions = hashFunctions;
    this.#tweak = tweak;
    this.#flags = flags;
  }

  /**
   * Decodes filterload: bits with their number of bytes, number of hash functions u32, tweak u32, flags u8.
   * @returns null for a filter that is larger than allowed
   * @throws DecodeError
   */
  static decode(payload: Uint8Array): BloomFilter | null {
    const reader = new ByteReader(payload);
    const bits = reader.varBytes();
    const hashFunctions = reader.u32();
    const tweak = reader.u32();
    const flags = reader.u8();
    if (bits.length > MAX_BLOOM_FILTER_BYTES || hashFunctions > MAX_HASH_FUNCTIONS) return null;
    return new BloomFilter(bits.slice(), hashFunctions, tweak, flags);
  }

  /** Inserts an element. A filter without bits matches everything. */
  insert(data: Uint8Array): void {
    if (this.#bits.length === 0) return;
    for (let i = 0; i < this.#hashFunctions; i++) {
      const bit = this.#bitOf(i, data);
      this.#bits[bit >>> 3] |= 1 << (bit & 7);
    }
  }

  /** Returns whether an element may be in the filter. */
  contains(data: Uint8Array): boolean {
    this.#workLeft = MAX_WORK_PER_TX;
    return this.#contains(data);
  }

  #contains(data: Uint8Array): boolean {
    if (this.#bits.length === 0) return true;
    for (let i = 0; i < this.#hashFunctions && this.#workLeft > 0; i++) {
      this.#workLeft -= WORK_PER_HASH + data.length;
      const bit = this.#bitOf(i, data);
      if ((this.#bits[bit >>> 3] & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }

  /**
   * Returns whether the transaction matches: its txid, data of an output's script, a spent outpoint, or data of an
   * input's script is in the filter. Inserts matching outputs as the flags say.
   */
  matches(tx: TxView): boolean {
    if (this.#bits.length === 0) return true;
    this.#workLeft = MAX_WORK_PER_TX;
    let found = this.#contains(tx.txid);
    for (let i = 0; i < tx.outputCount && this.#workLeft > 0; i++) {
      const script = tx.outputScript(i);
      if (!this.#containsPush(script)) continue;
      found = true;
      const all = (this.#flags & UPDATE_MASK) === UPDATE_ALL;
      if (all || ((this.#flags & UPDATE_MASK) === UPDATE_P2PUBKEY_ONLY && isForPublicKeys(script))) this.insert(outpointOf(tx, i));
    }
    for (let i = 0; i < tx.inputCount && !found && this.#workLeft > 0; i++) {
      found = this.#contains(tx.outpoint(i)) || this.#containsPush(tx.scriptSig(i));
    }
    return found || this.#workLeft <= 0;
  }

  /** Returns whether data pushed by the script is in the filter, as far as the script parses. */
  #containsPush(script: Uint8Array): boolean {
    const token = new ScriptTokenizer(script);
    while (this.#workLeft > 0 && token.next()) if (token.dataLength > 0 && this.#contains(token.data())) return true;
    return false;
  }

  #bitOf(index: number, data: Uint8Array): number {
    return murmurHash3((Math.imul(index, SEED_STEP) + this.#tweak) >>> 0, data) % (this.#bits.length * 8);
  }
}

/** Pay-to-public-key and bare multisig: their spends contain no hash that a filter could hold. */
function isForPublicKeys(script: Uint8Array): boolean {
  const { type } = solve(script);
  return type === 'pubkey' || type === 'multisig';
}

/** MurmurHash3 for x86, 32 bits. @param seed unsigned @returns unsigned */
export function murmurHash3(seed: number, data: Uint8Array): number {
  let hash = seed | 0;
  const whole = data.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    hash ^= scrambled(data[i] | (data[i + 1] << 8) | (data[i + 2] << 16) | (data[i + 3] << 24));
    hash = Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64;
  }
  let rest = 0;
  for (let i = data.length - 1; i >= whole; i--) rest = (rest << 8) | data[i];
  hash ^= scrambled(rest) ^ data.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function scrambled(word: number): number {
  const product = Math.imul(word, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}
