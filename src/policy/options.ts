// Options and rules of policy, with Core 0.21's defaults. The records contain only data.

/** Rules that depend on the release. The operator cannot set them. */
export interface PolicyRules {
  /** Highest transaction version that is standard. */
  readonly maxVersion: number;
  /**
   * Smallest size without witnesses in bytes. Smaller transactions could be mistaken for inner nodes of a merkle tree
   * (CVE-2017-12842).
   */
  readonly minStrippedBytes: number;
  /**
   * True: -datacarriersize limits the size of all OP_RETURN scripts of a transaction together. False: a transaction may
   * have one OP_RETURN output, and -datacarriersize limits its script.
   */
  readonly dataCarrierTogether: boolean;
  /** Allow one output below the dust limit if the transaction pays no fee and every child spends that output. */
  readonly ephemeralDust: boolean;
  /** Treat pay-to-anchor outputs as standard. Anyone can spend them, without a witness. */
  readonly anchors: boolean;
  /** Allow replacing conflicting transactions even if they do not signal replaceability. */
  readonly fullRbf: boolean;
  /**
   * Limit the size of clusters instead of the numbers of ancestors and descendants, and restrict relatives and the size of
   * children of transactions with version 3 (BIP-0431).
   */
  readonly clusters: boolean;
  /** True: round fees up to whole satoshis. False: round down. */
  readonly roundUp: boolean;
  /**
   * If a peer's transaction pays too little alone, accept it together with a child from the same peer that pays for
   * both.
   */
  readonly packages: boolean;
  /** Disconnect peers that send transactions which break consensus rules. False for newer releases. */
  readonly blameForTxs: boolean;
  /** Name the failed input and the error in reject reasons, as releases since 30 and 32 do. */
  readonly detailed: boolean;
}

/** Options and rules for single transactions beyond consensus. Rates in satoshis per 1,000 virtual bytes. */
export interface PolicyOptions extends PolicyRules {
  /** Refuse non-standard transactions. False with -acceptnonstdtxn. */
  readonly requireStandard: boolean;
  /** -minrelaytxfee */
  readonly minRelayFeeRate: number;
  /** -incrementalrelayfee: additional fee rate that a replacement must pay, and step of the rolling minimum. */
  readonly incrementalFeeRate: number;
  /** -dustrelayfee */
  readonly dustFeeRate: number;
  /** -datacarrier */
  readonly dataCarrier: boolean;
  /** -datacarriersize: largest OP_RETURN script. */
  readonly dataCarrierBytes: number;
  /** -permitbaremultisig */
  readonly permitBareMultisig: boolean;
  /** -bytespersigop: virtual bytes per unit of signature operation cost. */
  readonly bytesPerSigop: number;
}

/** The rules of 0.21.1. */
export const OLD_RULES: PolicyRules = {
  maxVersion: 2,
  minStrippedBytes: 82,
  dataCarrierTogether: false,
  ephemeralDust: false,
  anchors: false,
  fullRbf: false,
  clusters: false,
  roundUp: false,
  packages: false,
  blameForTxs: true,
  detailed: false,
};

/** The rules of Bitcoin Core's master in August 2026. */
export const NEW_RULES: PolicyRules = {
  maxVersion: 3,
  minStrippedBytes: 65,
  dataCarrierTogether: true,
  ephemeralDust: true,
  anchors: true,
  fullRbf: true,
  clusters: true,
  roundUp: true,
  packages: true,
  blameForTxs: false,
  detailed: true,
};

export const DEFAULT_POLICY: PolicyOptions = {
  ...OLD_RULES,
  requireStandard: true,
  minRelayFeeRate: 1000,
  incrementalFeeRate: 1000,
  dustFeeRate: 3000,
  dataCarrier: true,
  dataCarrierBytes: 83,
  permitBareMultisig: true,
  bytesPerSigop: 20,
};
