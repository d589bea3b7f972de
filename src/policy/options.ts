// What the operator may change about policy, with Core 0.21's defaults. A plain record: config fills it, mempool and RPC read it.

/** Rules about single transactions beyond consensus. Rates in satoshis per 1,000 virtual bytes. */
export interface PolicyOptions {
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

export const DEFAULT_POLICY: PolicyOptions = {
  requireStandard: true,
  minRelayFeeRate: 1000,
  incrementalFeeRate: 1000,
  dustFeeRate: 3000,
  dataCarrier: true,
  dataCarrierBytes: 83,
  permitBareMultisig: true,
  bytesPerSigop: 20,
};
