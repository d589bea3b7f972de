// Which rate a payment pays. Core: wallet/fees.cpp. Rates in satoshis per 1,000 virtual bytes.
import type { CoinControl } from './coin-control.js';
import type { SpendOptions } from './options.js';
import type { SpendNode } from './spend-node.js';

/** Why a rate is what it is, in the words of replies. */
export const FEE_REASON = {
  PAY_FEE: 'PayTxFee set',
  FALLBACK: 'Fallback fee',
  POOL_MINIMUM: 'Mempool Min Fee',
  REQUIRED: 'Minimum Required Fee',
} as const;

/** The target whose rate stands for a quiet day. */
const LONG_TERM_TARGET = 1008;

export interface RateWithReason {
  readonly feeRate: number;
  readonly reason: string;
}

/** What the rate is decided from. */
export interface FeeSetting {
  readonly node: Pick<SpendNode, 'estimate' | 'longestTarget' | 'rates'>;
  readonly options: SpendOptions;
  /** Set by settxfee or -paytxfee; 0: none. */
  readonly payFeeRate: number;
}

export const requiredFeeRate = ({ node, options }: FeeSetting): number => Math.max(options.minFeeRate, node.rates().relayMinimum);

type Wishes = Pick<CoinControl, 'feeRate' | 'overrideFeeRate' | 'confirmTarget' | 'feeMode' | 'replaceable'>;

export function minimumFeeRate(setting: FeeSetting, wishes: Wishes): RateWithReason {
  const { node, options, payFeeRate } = setting;
  let answer: RateWithReason;
  if (wishes.feeRate !== null) {
    answer = { feeRate: wishes.feeRate, reason: options.rules.namedReason };
    if (wishes.overrideFeeRate) return answer;
  } else if (wishes.confirmTarget === null && payFeeRate !== 0) {
    answer = { feeRate: payFeeRate, reason: FEE_REASON.PAY_FEE };
  } else {
    // What can be replaced later may begin lower.
    const conservative = wishes.feeMode === 'unset' ? !(wishes.replaceable ?? options.replaceable) : wishes.feeMode === 'conservative';
    const { feeRate, reason } = node.estimate(wishes.confirmTarget ?? options.confirmTarget, conservative);
    answer = { feeRate, reason: options.rules.estimateReason ?? reason };
    if (answer.feeRate === 0) {
      answer = { feeRate: options.fallbackFeeRate, reason: FEE_REASON.FALLBACK };
      if (answer.feeRate === 0) return answer;
    }
    const { poolMinimum } = node.rates();
    if (answer.feeRate < poolMinimum) answer = { feeRate: poolMinimum, reason: FEE_REASON.POOL_MINIMUM };
  }
  const required = requiredFeeRate(setting);
  return required > answer.feeRate ? { feeRate: required, reason: FEE_REASON.REQUIRED } : answer;
}

/** The rate of a quiet day, for weighing what is better spent later: what the operator says, or up to release 21 an estimate. */
export const longTermFeeRate = (setting: FeeSetting): number =>
  setting.options.rules.leastWaste
    ? setting.options.consolidateFeeRate
    : minimumFeeRate(setting, {
        feeRate: null,
        overrideFeeRate: false,
        confirmTarget: LONG_TERM_TARGET,
        feeMode: 'unset',
        replaceable: null,
      }).feeRate;

/** Change that is dust at this rate is not worth an output. */
export function discardFeeRate({ node, options }: FeeSetting): number {
  const estimate = node.estimate(node.longestTarget, false).feeRate;
  const rate = estimate === 0 ? options.discardFeeRate : Math.min(estimate, options.discardFeeRate);
  return Math.max(rate, node.rates().dust);
}
