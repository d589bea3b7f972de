// Caches the encoded address and label of output scripts for entries of a wallet's history, because encoding them costs
// more than everything else about an entry. The cache is large enough for a busy wallet.

import { encodeAddress } from '../../address/address.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import { addressedBy, type Wallet } from '../../wallet/index.js';
import type { RenderContext } from '../render/script.js';
import { encodeString } from '../wire/json-write.js';

export interface Payee {
  /** Script of the address; null if the output script has no address. */
  readonly destination: Uint8Array | null;
  /** Encoded members from the address up to the category. */
  readonly head: Uint8Array;
  /** Label of the address; undefined without one. */
  readonly label: string | undefined;
  /** Encoded label with a comma before it; empty without one. */
  readonly tail: Uint8Array;
}

/** Context for encoding addresses. */
type AddressContext = Pick<RenderContext, 'compat' | 'params' | 'hashes'>;

interface CachedPayee extends Payee {
  label: string | undefined;
  tail: Uint8Array;
  /** Edition of the address book from which the label was read. */
  edition: number;
}

/** Maximum number of cached payees: about 15 MB per wallet. */
const MOST = 30_000;
const NOTHING = new Uint8Array(0);

/** Payees of one wallet. */
export class Payees {
  /**
   * The newer half of the cache, by number of the wallet's script, or by hashKey. The older half is dropped when this
   * one is full.
   */
  #young = new Map<number | string, CachedPayee>();
  #old = new Map<number | string, CachedPayee>();
  readonly #wallet: Wallet;

  constructor(wallet: Wallet) {
    this.#wallet = wallet;
  }

  /**
   * Returns the payee of an output script.
   * @param scriptId coins.scriptId of an output of the wallet, -1 for others
   * @param script may be a view; it is copied
   */
  get(scriptId: number, script: Uint8Array, context: AddressContext): Payee {
    const key = scriptId >= 0 ? scriptId : hashKey(script);
    let payee = this.#young.get(key);
    if (payee === undefined) {
      payee = this.#old.get(key) ?? makePayee(script, context);
      if (this.#young.size >= MOST / 2) {
        this.#old = this.#young;
        this.#young = new Map();
      }
      this.#young.set(key, payee);
    }
    if (payee.edition !== this.#wallet.book.edition) this.#readLabel(payee);
    return payee;
  }

  #readLabel(payee: CachedPayee): void {
    const { book } = this.#wallet;
    payee.edition = book.edition;
    const label = payee.destination === null ? undefined : book.label(payee.destination);
    if (label === payee.label) return;
    payee.label = label;
    payee.tail = label === undefined ? NOTHING : Buffer.from(`,"label":${encodeString(label)}`);
  }
}

function makePayee(script: Uint8Array, { params, hashes, compat }: AddressContext): CachedPayee {
  const found = addressedBy(script, { compat, crypto: hashes });
  const destination = found && new Uint8Array(found);
  const address = destination === null ? '' : `"address":"${encodeAddress(destination, params, hashes)}",`;
  return { destination, head: Buffer.from(address), label: undefined, tail: NOTHING, edition: -1 };
}

const payees = new WeakMap<Wallet, Payees>();

/** Returns the payees of a wallet, cached as long as it is loaded. */
export function payeesOf(wallet: Wallet): Payees {
  let found = payees.get(wallet);
  if (found === undefined) {
    found = new Payees(wallet);
    payees.set(wallet, found);
  }
  return found;
}
