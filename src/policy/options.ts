// Options and rules of policy, with Core 0.21's defaults. Plain records.

/** Rules that a release decides, not the operator. */
export interface PolicyRules {
  /** Highest standard transaction version. */
  readonly maxVersion: number;
  /**
   * Smallest size without witnesses in bytes. Smaller transactions could be mistaken for inner nodes of a merkle tree
   * (CVE-2017-12842).
   */
  readonly minStrippedBytes: number;
  /**
   * True: -datacarriersize limits all OP_RETURN scripts of a transaction together. False: it limits one, and only one
   * is allowed.
   */
  readonly dataCarrierTogether: boolean;
  /** Allow one output below the dust limit if the transaction pays no fee and every child spends that output. */
  readonly ephemeralDust: boolean;
  /** Pay-to-anchor outputs are standard: anyone may spend them, without a witness. */
  readonly anchors: boolean;
  /** Conflicting transactions may be replaced even if they do not signal replaceability. */
  readonly fullRbf: boolean;
  /** Version 3 means few relatives and small children (BIP-0431). */
  readonly truc: boolean;
  /** Limit clusters instead of ancestors and descendants. */
  readonly clusters: boolean;
  /** Round fees up to whole satoshis; otherwise down. */
  readonly roundUp: boolean;
  /** Accept a peer's transaction that pays too little together with a child from the same peer that pays for it. */
  readonly packages: boolean;
  /** Disconnect peers that send transactions which break consensus rules. Newer releases do not. */
  readonly blameForTxs: boolean;
  /** Reject reasons name the input and the error, as since releases 30 and 32. */
  readonly detailed: boolean;
}

/** Rules about single transactions beyond consensus. Rates in satoshis per 1,000 virtual bytes. */
export interface PolicyOptions extends PolicyRules {
  /** Refuse non-standard transactions (off with -acceptnonstdtxn). */
  readonly requireStandard: boolean;
  /** -minrelaytxfee */
  readonly minRelayFeeRate: number;
  /** -incrementalrelayfee: additional rate of a replacement, and step of the rolling minimum. */
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
  truc: false,
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
  truc: true,
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
