// What the operator may say about spending, with Core 0.21's defaults. Config fills it. Rates in satoshis per 1,000
// virtual bytes.

export interface SpendOptions {
  /** -paytxfee: the rate paid until settxfee says otherwise; 0: estimate. */
  readonly payFeeRate: number;
  /** -fallbackfee: the rate paid when nothing can be estimated; 0: refuse. */
  readonly fallbackFeeRate: number;
  /** -discardfee: change that is dust at this rate goes to the fee. */
  readonly discardFeeRate: number;
  /** -mintxfee: the least a payment pays. */
  readonly minFeeRate: number;
  /** -maxtxfee: the most a payment costs, satoshis. */
  readonly maxFeeSats: number;
  /** -maxapsfee: what spending whole addresses may cost more, satoshis; below 0: it is not tried. */
  readonly maxGroupingFeeSats: number;
  /** -txconfirmtarget, blocks. */
  readonly confirmTarget: number;
  /** -walletrbf: payments can be replaced. */
  readonly replaceable: boolean;
  /** -avoidpartialspends: coins of one address are spent together. */
  readonly avoidPartialSpends: boolean;
  /** -walletrejectlongchains: no payment that the mempool would refuse for its unconfirmed ancestors. */
  readonly rejectLongChains: boolean;
  /** -deprecatedrpc=bumpfee: bumpfee of wallets without private keys gives a PSBT, as before psbtbumpfee. */
  readonly bumpGivesPsbt: boolean;
}

export const DEFAULT_SPEND: SpendOptions = {
  payFeeRate: 0,
  fallbackFeeRate: 0,
  discardFeeRate: 10_000,
  minFeeRate: 1_000,
  maxFeeSats: 10_000_000,
  maxGroupingFeeSats: 0,
  confirmTarget: 6,
  replaceable: false,
  avoidPartialSpends: false,
  rejectLongChains: false,
  bumpGivesPsbt: false,
};
