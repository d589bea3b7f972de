// Addresses of output scripts as text, kept for as many as a busy wallet pays and is paid by: writing one out costs more than everything
// else about a line of history. Caller: history RPC.
import { encodeAddress } from '../address/address.js';
import type { AddressParams } from '../address/address-params.js';
import { hashKey } from '../consensus/bytes/hex.js';
import type { Hashes } from '../crypto/crypto.js';
import { destinationOf } from './keys/destination.js';

export interface Payee {
  /** Null for scripts without one. */
  readonly address: string | null;
  /** The script the address stands for; null without one. */
  readonly destination: Uint8Array | null;
}

/** Some 10 MB. */
const MOST = 30_000;

export class Payees {
  /** The newer half, and what was new before it. */
  #young = new Map<string, Payee>();
  #old = new Map<string, Payee>();

  /** @param script may be a view: what is kept is a copy */
  get(script: Uint8Array, params: AddressParams, hashes: Hashes): Payee {
    const key = hashKey(script);
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const payee = this.#old.get(key) ?? makePayee(script, params, hashes);
    if (this.#young.size >= MOST / 2) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, payee);
    return payee;
  }
}

function makePayee(script: Uint8Array, params: AddressParams, hashes: Hashes): Payee {
  const destination = destinationOf(script, hashes);
  if (destination === null) return { address: null, destination: null };
  return { address: encodeAddress(destination, params, hashes), destination: new Uint8Array(destination) };
}
