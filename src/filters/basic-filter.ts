// The basic filter of BIP-0158, which contains the scripts of a block, and the chain of filter headers (BIP-0157).

import type { Hashes } from '../crypto/crypto.js';
import { type SipKey, sipKey } from '../crypto/siphash.js';
import { GcsBuilder } from './gcs.js';

/** Number of the basic filter type on the wire and in keys. */
export const BASIC_FILTER = 0;

const OP_RETURN = 0x6a;

/**
 * Returns the key of a block's filter: the first half of the block hash.
 * @param blockHash internal order
 */
export const filterKey = (blockHash: Uint8Array): SipKey => sipKey(blockHash.subarray(0, 16));

/** Collects the scripts of one block. */
export class BasicFilterBuilder {
  readonly #set: GcsBuilder;

  constructor(blockHash: Uint8Array) {
    this.#set = new GcsBuilder(filterKey(blockHash));
  }

  /** Adds the script of an output. Scripts that begin with OP_RETURN and empty scripts are omitted. */
  output(script: Uint8Array): void {
    if (script.length > 0 && script[0] !== OP_RETURN) this.#set.add(script);
  }

  /** Adds the script of a spent coin. */
  spent(script: Uint8Array): void {
    if (script.length > 0) this.#set.add(script);
  }

  finish(): Uint8Array {
    return this.#set.finish();
  }
}

export const filterHash = (filter: Uint8Array, hashes: Hashes): Uint8Array => hashes.sha256d(filter);

/**
 * Returns the header of a filter.
 * @param hash hash of the filter
 * @param before header of the previous block's filter; zeros for genesis
 */
export function filterHeader(hash: Uint8Array, before: Uint8Array, hashes: Hashes): Uint8Array {
  const both = new Uint8Array(64);
  both.set(hash);
  both.set(before, 32);
  return hashes.sha256d(both);
}
