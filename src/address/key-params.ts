// Network parameters of extended keys and addresses. ChainParams has these fields and more.
import type { AddressParams } from './address-params.js';

/** Prefixes of one network, including those of extended keys. */
export interface KeyParams extends AddressParams {
  readonly base58: AddressParams['base58'] & {
    /** First four bytes of public extended keys, as a big-endian number. */
    readonly xpub: number;
    readonly xprv: number;
  };
}
