// What the operator may change about policy, with Core 0.21's defaults. A plain record: config fills it, mempool and
// RPC read it.

/** What a release decides about transactions; the operator does not. */
export interface PolicyRules {
  /** The highest version that is standard. */
  readonly maxVersion: number;
  /**
   * Bytes without witnesses that a transaction has at least: smaller ones could be taken for inner nodes of a merkle
   * tree (CVE-2017-12842).
   */
  readonly minStrippedBytes: number;
  /** -datacarriersize bounds all OP_RETURN scripts of a transaction together; otherwise each, and there may be one. */
  readonly dataCarrierTogether: boolean;
  /**
   * One output below the dust limit may be there if the transaction pays no fee and whatever spends from it spends
   * that too.
   */
  readonly ephemeralDust: boolean;
  /** Pay-to-anchor outputs are known: anyone may spend them, without a witness. */
  readonly anchors: boolean;
  /** Whatever is in the way may be replaced, whether it said so or not. */
  readonly fullRbf: boolean;
  /** Version 3 means few relatives and small children (BIP-0431). */
  readonly truc: boolean;
  /** Limits are on clusters; the numbers of ancestors and descendants mean nothing. */
  readonly clusters: boolean;
  /** Fees of a size are rounded up to whole satoshis; otherwise down. */
  readonly roundUp: boolean;
  /** A transaction of a peer that pays too little is taken with a child from the same peer that makes up for it. */
  readonly packages: boolean;
  /** A peer that sends a transaction against the law is sent away; newer releases let it be. */
  readonly blameForTxs: boolean;
  /** Refusals say which input is wrong, and how, as since releases 30 and 32. */
  readonly detailed: boolean;
}

/** Rules about single transactions beyond consensus. Rates in satoshis per 1,000 virtual bytes. */
export interface PolicyOptions extends PolicyRules {
  /** Refuse what is not standard (off with -acceptnonstdtxn). */
  readonly requireStandard: boolean;
  /** -minrelaytxfee */
  readonly minRelayFeeRate: number;
  /** -incrementalrelayfee: what a replacement pays on top, and the step of the rolling minimum. */
  readonly incrementalFeeRate: number;
  /** -dustrelayfee */
  readonly dustFeeRate: number;
  /** -datacarrier */
  readonly dataCarrier: boolean;
  /** -datacarriersize: largest OP_RETURN script. */
  readonly dataCarrierBytes: number;
  /** -permitbaremultisig */
  readonly permitBareMultisig: boolean;
  /** -bytespersigop: virtual bytes that a unit of sigop cost stands for. */
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
