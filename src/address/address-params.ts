// Network parameters of addresses and keys. ChainParams has these fields and more.

/** Prefixes of addresses and private keys on one network. */
export interface AddressParams {
  readonly base58: {
    /** Version byte of P2PKH addresses. */
    readonly p2pkh: number;
    readonly p2sh: number;
    /** Version byte of private keys. */
    readonly wif: number;
  };
  /** Human-readable part of segwit addresses. */
  readonly bech32Hrp: string;
}
