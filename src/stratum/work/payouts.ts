// Chooses the address that a block pays: the one in the miner's user name, or one address for all (-stratumaddress).

import { decodeAddress, encodeAddress } from '../../address/address.js';
import type { AddressParams } from '../../address/address-params.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { Output } from './coinbase.js';

/** Longest user name. */
export const MAX_NAME_LENGTH = 128;
const MAX_WORKER_LENGTH = 64;
/** Name of a worker whose user name is an address without a worker name. */
const DEFAULT_WORKER = 'worker';
/** Number of payouts that are cached, so that sessions of one address share their lines. */
const MOST_PAYOUTS = 10_000;
const BASIS_POINTS = 10_000;

/** A destination. Sessions with the same payout object share their notify lines. */
export interface Payout {
  readonly address: string;
  readonly script: Uint8Array;
}

/** A part of each block that goes to an address of the operator. */
export interface Fee extends Payout {
  /** Hundredths of a percent. */
  readonly basisPoints: number;
}

/** Payout and worker of a user name. */
export interface ParsedName {
  readonly payout: Payout;
  /** Address under which the worker is counted. */
  readonly address: string;
  readonly worker: string;
}

/** A network's address format with the name that users know. */
export interface NamedNetwork extends AddressParams {
  readonly name: string;
}

export interface PayoutOptions {
  readonly network: NamedNetwork;
  /** Networks whose addresses are recognised, so that the error can name the network. */
  readonly otherNetworks: readonly NamedNetwork[];
  /** -stratumaddress: address that is paid whatever the user name; null: the address in the user name is paid. */
  readonly payoutAddress: string | null;
  /** -stratumfee: ADDRESS:PERCENT; null: no fee. */
  readonly fee: string | null;
  readonly hashes: Hashes;
}

export class Payouts {
  readonly #options: PayoutOptions;
  readonly #forAll: Payout | null;
  readonly #fee: Fee | null;
  readonly #known = new Map<string, Payout>();

  /** @throws Error if an option is wrong */
  constructor(options: PayoutOptions) {
    this.#options = options;
    const { payoutAddress, fee } = options;
    this.#forAll = payoutAddress === null ? null : this.#ofOption('stratumaddress', payoutAddress);
    this.#fee = fee === null ? null : this.#parseFee(fee);
  }

  /** Reads the user name of mining.authorize. @returns an error text for the miner if the name contains no usable address */
  parseName(name: string): ParsedName | { readonly error: string } {
    if (name.length === 0) return { error: 'User name is empty: use ADDRESS.WORKER' };
    if (name.length > MAX_NAME_LENGTH) return { error: `User name is longer than ${MAX_NAME_LENGTH} characters` };
    // Addresses contain neither of these separators.
    const cut = name.search(/[._]/);
    const head = cut < 0 ? name : name.slice(0, cut);
    const worker = printable(cut < 0 ? '' : name.slice(cut + 1), MAX_WORKER_LENGTH) || DEFAULT_WORKER;
    if (this.#forAll !== null)
      return { payout: this.#forAll, address: this.#forAll.address, worker: printable(name, MAX_WORKER_LENGTH) || DEFAULT_WORKER };
    const payout = this.#decode(head);
    return 'error' in payout ? payout : { payout, address: payout.address, worker };
  }

  /** Returns the outputs of a coinbase, without the witness commitment. @param value subsidy and fees of the block, satoshis */
  outputs(payout: Payout, value: number): Output[] {
    const fee = this.#fee === null ? 0 : feeOf(value, this.#fee.basisPoints);
    const outputs = [{ value: value - fee, script: payout.script }];
    if (this.#fee !== null && fee > 0) outputs.push({ value: fee, script: this.#fee.script });
    return outputs;
  }

  #ofOption(option: string, text: string): Payout {
    const payout = this.#decode(text);
    if ('error' in payout) throw new Error(`-${option}: ${payout.error}`);
    return payout;
  }

  #parseFee(text: string): Fee {
    const match = /^([^:]+):(\d{1,2}(?:\.\d{1,2})?)$/.exec(text);
    const basisPoints = match === null ? 0 : Math.round(Number(match[2]) * 100);
    if (match === null || basisPoints === 0) throw new Error('-stratumfee: expected ADDRESS:PERCENT with a percentage from 0.01 to 99.99');
    return { ...this.#ofOption('stratumfee', match[1]), basisPoints };
  }

  #decode(text: string): Payout | { readonly error: string } {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const { network, hashes } = this.#options;
    const decoded = decodeAddress(text, network, hashes);
    if ('error' in decoded) return { error: this.#explain(text, decoded.error) };
    // Outputs of these kinds can be spent by anyone.
    if (decoded.kind === 'anchor' || decoded.kind === 'witness_unknown') {
      return { error: `Address ${text} cannot receive a block: its type is not supported` };
    }
    const address = encodeAddress(decoded.script, network, hashes) as string;
    // An address in capitals and in small letters has one payout object.
    const payout = this.#known.get(address) ?? { address, script: decoded.script };
    this.#known.set(text, payout).set(address, payout);
    while (this.#known.size > MOST_PAYOUTS) this.#known.delete(this.#known.keys().next().value as string);
    return payout;
  }

  #explain(text: string, error: string): string {
    const { network, otherNetworks, hashes } = this.#options;
    const other = otherNetworks.find((one) => !('error' in decodeAddress(text, one, hashes)));
    if (other !== undefined) return `Address ${text} belongs to ${other.name}, but this node mines on ${network.name}`;
    return `User name must begin with a ${network.name} address: ${error}`;
  }
}

/** Computes the fee, rounded down. Exact for all amounts. */
function feeOf(value: number, basisPoints: number): number {
  const whole = Math.floor(value / BASIS_POINTS);
  return whole * basisPoints + Math.floor(((value - whole * BASIS_POINTS) * basisPoints) / BASIS_POINTS);
}

/** Returns a miner's text for logs and tables: printable ASCII, cut to a length. */
export function printable(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(/[^\x20-\x7e]/g, '?');
}
