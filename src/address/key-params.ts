// What extended keys need of a network's parameters on top of addresses; ChainParams has these fields and more.
import type { AddressParams } from './address-params.js';

/** Prefixes of one network, those of extended keys among them. */
export interface KeyParams extends AddressParams {
  readonly base58: AddressParams['base58'] & {
    /** First four bytes of public extended keys, as a big-endian number. */
    readonly xpub: number;
    readonly xprv: number;
  };
}
