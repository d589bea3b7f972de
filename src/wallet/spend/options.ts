// What the operator may say about spending, with Core 0.21's defaults, and what a release decides. Config fills it.
// Rates in satoshis per 1,000 virtual bytes.

import { type Compat, follows } from '../../policy/compat.js';

/** How payments are made in one release or another; the operator does not decide it. */
export interface SpendRules {
  /**
   * Coins count with what they add after their own fee and that of slow parents, several searches compete, and the least
   * wasteful choice wins; fees are rounded up. Otherwise a match without change is looked for, then change.
   */
  readonly leastWaste: boolean;
  /** Change is of the kind of address that is paid, where the wallet has such; otherwise of witnesses if any is paid. */
  readonly changeLikePayment: boolean;
  /**
   * Whether to compute input sizes from dummy signatures: with every byte that pushes a script, and the largest signatures
   * for watch-only coins. Otherwise sizes are those of Core's descriptors.
   */
  readonly dummySizes: boolean;
  /** Any payment may be bumped, whether it says so or not, and in a PSBT with the coins of others too. */
  readonly bumpsAny: boolean;
  /** Why a rate is paid when the caller named it, or when it was estimated; null: as the estimator says. */
  readonly namedReason: string;
  readonly estimateReason: string | null;
}

/** Releases up to 0.21. */
export const OLD_SPENDING: SpendRules = {
  leastWaste: false,
  changeLikePayment: false,
  dummySizes: true,
  bumpsAny: false,
  namedReason: 'PayTxFee set',
  estimateReason: null,
};

/** Core's master of August 2026. */
export const NEW_SPENDING: SpendRules = {
  leastWaste: true,
  changeLikePayment: true,
  dummySizes: false,
  bumpsAny: true,
  namedReason: 'User Specified Fee',
  estimateReason: 'Fee Rate Estimator',
};

export interface SpendOptions {
  readonly rules: SpendRules;
  /** -paytxfee: the rate paid until settxfee says otherwise; 0: estimate. */
  readonly payFeeRate: number;
  /** -fallbackfee: the rate paid when nothing can be estimated; 0: refuse. */
  readonly fallbackFeeRate: number;
  /** -discardfee: change that is dust at this rate goes to the fee. */
  readonly discardFeeRate: number;
  /** -consolidatefeerate: below this rate a payment rather spends more coins than it needs. */
  readonly consolidateFeeRate: number;
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
  /** -walletrejectlongchains: refuse payments that the mempool would refuse because of unconfirmed ancestors or descendants. */
  readonly rejectLongChains: boolean;
  /** -deprecatedrpc=bumpfee: bumpfee of wallets without private keys gives a PSBT, as before psbtbumpfee. */
  readonly bumpGivesPsbt: boolean;
}

export const DEFAULT_SPEND: SpendOptions = {
  rules: OLD_SPENDING,
  payFeeRate: 0,
  fallbackFeeRate: 0,
  discardFeeRate: 10_000,
  consolidateFeeRate: 10_000,
  minFeeRate: 1_000,
  maxFeeSats: 10_000_000,
  maxGroupingFeeSats: 0,
  confirmTarget: 6,
  replaceable: false,
  avoidPartialSpends: false,
  rejectLongChains: false,
  bumpGivesPsbt: false,
};

const sinceRelease24 = (compat: Compat): boolean => follows(compat, 24);

/** What an operator gives. */
export const SPEND_ROWS = {
  payFeeRate: ['paytxfee', 'amount', 'Fee rate of payments, in BTC/kvB. 0: estimate it', DEFAULT_SPEND.payFeeRate],
  fallbackFeeRate: [
    'fallbackfee',
    'amount',
    'Fee rate of payments if no estimate is possible, in BTC/kvB. 0: refuse the payment',
    DEFAULT_SPEND.fallbackFeeRate,
  ],
  minFeeRate: ['mintxfee', 'amount', 'The lowest fee rate of payments, BTC/kvB', DEFAULT_SPEND.minFeeRate],
  maxFeeSats: ['maxtxfee', 'amount', 'The most a payment may cost, BTC (default: {default}0)', DEFAULT_SPEND.maxFeeSats],
  discardFeeRate: [
    'discardfee',
    'amount',
    'Add change to the fee if it is dust at this fee rate, in BTC/kvB',
    DEFAULT_SPEND.discardFeeRate,
  ],
  consolidateFeeRate: [
    'consolidatefeerate',
    'amount',
    'Below this fee rate payments may spend more coins than they need, BTC/kvB; not with -compat=0.21.1',
    DEFAULT_SPEND.consolidateFeeRate,
  ],
  maxGroupingFeeSats: [
    'maxapsfee',
    'amount',
    'Maximum additional fee for spending all coins of an address together, in BTC. -1: do not try',
    DEFAULT_SPEND.maxGroupingFeeSats,
    { least: -1 },
  ],
  confirmTarget: [
    'txconfirmtarget',
    'int',
    'Number of blocks within which payments should confirm, for the fee estimate',
    DEFAULT_SPEND.confirmTarget,
  ],
  replaceable: [
    'walletrbf',
    'bool',
    'Make payments replaceable by others with a higher fee (default: {default}, with -compat=0.21.1 {0.21.1})',
    sinceRelease24,
  ],
  avoidPartialSpends: [
    'avoidpartialspends',
    'bool',
    'Spend all coins of an address together, at most ten',
    DEFAULT_SPEND.avoidPartialSpends,
  ],
  rejectLongChains: [
    'walletrejectlongchains',
    'bool',
    'Refuse payments that the mempool would refuse because of unconfirmed ancestors or descendants (default: {default}, with -compat=0.21.1 {0.21.1})',
    sinceRelease24,
  ],
} as const;
