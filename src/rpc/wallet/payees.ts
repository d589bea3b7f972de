// What entries of a wallet's history say of an output script, its address and label, ready to be written: kept for as
// many as a busy wallet pays and is paid by, since making them costs more than everything else about an entry.

import { encodeAddress } from '../../address/address.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import type { Hashes } from '../../crypto/crypto.js';
import { type Compat, only } from '../../policy/compat.js';
import { solve } from '../../policy/script-type.js';
import { destinationOf } from '../../wallet/keys/destination.js';
import type { Wallet } from '../../wallet/wallet.js';
import type { RenderContext } from '../render/script.js';
import { encodeString } from '../wire/json-write.js';

export interface Payee {
  /** The script that an address stands for; null when there is none for this script. */
  readonly destination: Uint8Array | null;
  /** Members of an entry from the address to the category's value, which is still to come. */
  readonly head: Uint8Array;
  /** Undefined without one. */
  readonly label: string | undefined;
  /** The label as a member with a comma in front; empty without one. */
  readonly tail: Uint8Array;
}

/** What addresses are written with. */
type AddressContext = Pick<RenderContext, 'compat' | 'params' | 'hashes'>;

interface CachedPayee extends Payee {
  label: string | undefined;
  tail: Uint8Array;
  /** State of the address book that the label was read from. */
  edition: number;
}

/** Some 15 MB a wallet. */
const MOST = 30_000;
const NOTHING = new Uint8Array(0);

/** Payees of one wallet. */
export class Payees {
  /** The newer half, and what was new before it; by number of the script among the wallet's, or else by hashKey. */
  #young = new Map<number | string, CachedPayee>();
  #old = new Map<number | string, CachedPayee>();
  readonly #wallet: Wallet;

  constructor(wallet: Wallet) {
    this.#wallet = wallet;
  }

  /**
   * @param scriptId coins.scriptId of an own output, -1 of another's
   * @param script may be a view: what is kept is a copy
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

/** The script whose address an output has. Up to release 21 a bare key's output has the one of the key's hash. */
export function addressedBy(
  script: Uint8Array,
  { compat, crypto }: { readonly compat: Compat; readonly crypto: Hashes },
): Uint8Array | null {
  return only(compat, 22) && solve(script).type === 'pubkey' ? null : destinationOf(script, crypto);
}

function makePayee(script: Uint8Array, { params, hashes, compat }: AddressContext): CachedPayee {
  const found = addressedBy(script, { compat, crypto: hashes });
  const destination = found && new Uint8Array(found);
  const address = destination === null ? '' : `"address":"${encodeAddress(destination, params, hashes)}",`;
  return { destination, head: Buffer.from(address), label: undefined, tail: NOTHING, edition: -1 };
}

const payees = new WeakMap<Wallet, Payees>();

/** The payees of a wallet, kept as long as it is loaded. */
export function payeesOf(wallet: Wallet): Payees {
  let found = payees.get(wallet);
  if (found === undefined) {
    found = new Payees(wallet);
    payees.set(wallet, found);
  }
  return found;
}
