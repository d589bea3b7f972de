// Spending options of the operator, with Core 0.21's defaults, and the rules of releases. The config module fills them.
// Rates in satoshis per 1,000 virtual bytes.

import { type Compat, follows } from '../../policy/compat.js';

/** Rules that differ between releases. -compat decides, not the operator. */
export interface SpendRules {
  /**
   * True for the rules since release 22: a coin counts with its value minus the fee for spending it (and for bumping
   * slow parents), the search with the lowest waste wins, and fees are rounded up. False: the wallet first searches for
   * a match without change, then with change.
   */
  readonly leastWaste: boolean;
  /** Largest number of coins of one address that count as one coin (-avoidpartialspends). */
  readonly maxGroupCoins: number;
  /**
   * True if change uses the address type of the payment's outputs, if the wallet can make such addresses. False: change
   * is segwit if any recipient is.
   */
  readonly changeLikePayment: boolean;
  /**
   * True to compute input sizes from dummy signatures: with every byte that pushes a script, and the largest signatures
   * for watch-only coins. Otherwise sizes are those of Core's descriptors.
   */
  readonly dummySizes: boolean;
  /** True if any payment can be bumped, replaceable or not, and in a PSBT also with coins of others. */
  readonly bumpsAny: boolean;
  /**
   * Reasons for the fee rate that replies show, if the caller set the rate (namedReason) or if it was estimated
   * (estimateReason). A null estimateReason stands for the reason that the estimator gives.
   */
  readonly namedReason: string;
  readonly estimateReason: string | null;
}

/** Rules of Core up to release 0.21. */
export const OLD_SPENDING: SpendRules = {
  leastWaste: false,
  maxGroupCoins: 10,
  changeLikePayment: false,
  dummySizes: true,
  bumpsAny: false,
  namedReason: 'PayTxFee set',
  estimateReason: null,
};

/** Rules of Core's master branch of August 2026. */
export const NEW_SPENDING: SpendRules = {
  leastWaste: true,
  maxGroupCoins: 100,
  changeLikePayment: true,
  dummySizes: false,
  bumpsAny: true,
  namedReason: 'User Specified Fee',
  estimateReason: 'Fee Rate Estimator',
};

export interface SpendOptions {
  readonly rules: SpendRules;
  /** -paytxfee: fee rate until settxfee changes it; 0: estimate. All rates: satoshis per 1,000 virtual bytes. */
  readonly payFeeRate: number;
  /** -fallbackfee: fee rate if no estimate is available; 0: refuse the payment. */
  readonly fallbackFeeRate: number;
  /** -discardfee: change that is dust at this rate goes to the fee. */
  readonly discardFeeRate: number;
  /** -consolidatefeerate: below this rate, a payment may spend more coins than it needs. */
  readonly consolidateFeeRate: number;
  /** -mintxfee: lowest rate of a payment. */
  readonly minFeeRate: number;
  /** -maxtxfee: highest fee of a payment, satoshis. */
  readonly maxFeeSats: number;
  /** -maxapsfee: highest additional fee for spending all coins of an address together, satoshis; below 0: never try. */
  readonly maxGroupingFeeSats: number;
  /** -txconfirmtarget, blocks. */
  readonly confirmTarget: number;
  /** -walletrbf: whether payments signal replaceability. */
  readonly replaceable: boolean;
  /** True if replies to calls that load a wallet must warn that -walletrbf is deprecated. */
  readonly warnsOfReplaceable: boolean;
  /** -avoidpartialspends: whether coins of one address are spent together. */
  readonly avoidPartialSpends: boolean;
  /** -walletrejectlongchains: refuse payments that the mempool would refuse because of unconfirmed ancestors or descendants. */
  readonly rejectLongChains: boolean;
  /** -deprecatedrpc=bumpfee: whether bumpfee returns a PSBT in wallets without private keys, as before psbtbumpfee. */
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
  warnsOfReplaceable: false,
  avoidPartialSpends: false,
  rejectLongChains: false,
  bumpGivesPsbt: false,
};

const sinceRelease24 = (compat: Compat): boolean => follows(compat, 24);

/** Command-line options for spending. */
export const SPEND_ROWS = {
  payFeeRate: ['paytxfee', 'amount', 'Fee rate of payments, in BTC/kvB. 0: estimate it', DEFAULT_SPEND.payFeeRate],
  fallbackFeeRate: [
    'fallbackfee',
    'amount',
    'Fee rate of payments if no estimate is possible, in BTC/kvB. 0: refuse the payment',
    DEFAULT_SPEND.fallbackFeeRate,
  ],
  minFeeRate: ['mintxfee', 'amount', 'Lowest fee rate of payments, in BTC/kvB', DEFAULT_SPEND.minFeeRate],
  maxFeeSats: ['maxtxfee', 'amount', 'Maximum fee of a payment, in BTC (default: {default}0)', DEFAULT_SPEND.maxFeeSats],
  discardFeeRate: [
    'discardfee',
    'amount',
    'Add change to the fee if it is dust at this fee rate, in BTC/kvB',
    DEFAULT_SPEND.discardFeeRate,
  ],
  consolidateFeeRate: [
    'consolidatefeerate',
    'amount',
    'Fee rate in BTC/kvB below which payments may spend more coins than they need (not with -compat=0.21.1)',
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
    'Spend all coins of an address together, at most 100 (with -compat=0.21.1 at most ten)',
    DEFAULT_SPEND.avoidPartialSpends,
  ],
  rejectLongChains: [
    'walletrejectlongchains',
    'bool',
    'Refuse payments that the mempool would refuse because of unconfirmed ancestors or descendants (default: {default}, with -compat=0.21.1 {0.21.1})',
    sinceRelease24,
  ],
} as const;
