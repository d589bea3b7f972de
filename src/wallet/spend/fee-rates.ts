// Chooses the fee rate of a payment. Core: wallet/fees.cpp. Rates in satoshis per 1,000 virtual bytes.
import type { NodeClient } from '../node-client.js';
import type { CoinControl } from './coin-control.js';
import type { SpendOptions } from './options.js';

/** Sources of a fee rate, in the words of replies. */
export const FEE_REASON = {
  PAY_FEE: 'PayTxFee set',
  FALLBACK: 'Fallback fee',
  POOL_MINIMUM: 'Mempool Min Fee',
  REQUIRED: 'Minimum Required Fee',
} as const;

/** Confirmation target, in blocks, whose estimate is used as the long-term fee rate. */
const LONG_TERM_TARGET = 1008;

export interface RateWithReason {
  readonly feeRate: number;
  readonly reason: string;
}

/** Values from which the fee rate of a payment is chosen. */
export interface FeeSetting {
  readonly client: Pick<NodeClient, 'constants' | 'estimate' | 'rates'>;
  readonly options: SpendOptions;
  /** Fee rate of settxfee or -paytxfee; 0: none. */
  readonly payFeeRate: number;
}

export const requiredFeeRate = async ({ client, options }: FeeSetting): Promise<number> =>
  Math.max(options.minFeeRate, (await client.rates()).relayMinimum);

type FeeOptions = Pick<CoinControl, 'feeRate' | 'overrideFeeRate' | 'confirmTarget' | 'feeMode' | 'replaceable'>;

export async function minimumFeeRate(setting: FeeSetting, wishes: FeeOptions): Promise<RateWithReason> {
  const { client, options, payFeeRate } = setting;
  let answer: RateWithReason;
  if (wishes.feeRate !== null) {
    answer = { feeRate: wishes.feeRate, reason: options.rules.namedReason };
    if (wishes.overrideFeeRate) return answer;
  } else if (wishes.confirmTarget === null && payFeeRate !== 0) {
    answer = { feeRate: payFeeRate, reason: FEE_REASON.PAY_FEE };
  } else {
    // A replaceable payment may start with a lower rate.
    const conservative = wishes.feeMode === 'unset' ? !(wishes.replaceable ?? options.replaceable) : wishes.feeMode === 'conservative';
    const { feeRate, reason } = await client.estimate(wishes.confirmTarget ?? options.confirmTarget, conservative);
    answer = { feeRate, reason: options.rules.estimateReason ?? reason };
    if (answer.feeRate === 0) {
      answer = { feeRate: options.fallbackFeeRate, reason: FEE_REASON.FALLBACK };
      if (answer.feeRate === 0) return answer;
    }
    const { mempoolMinimum: poolMinimum } = await client.rates();
    if (answer.feeRate < poolMinimum) answer = { feeRate: poolMinimum, reason: FEE_REASON.POOL_MINIMUM };
  }
  const required = await requiredFeeRate(setting);
  return required > answer.feeRate ? { feeRate: required, reason: FEE_REASON.REQUIRED } : answer;
}

/**
 * Returns the long-term fee rate, by which coin selection decides whether coins are better spent now or later:
 * -consolidatefeerate, or up to release 21 an estimate.
 */
export async function longTermFeeRate(setting: FeeSetting): Promise<number> {
  if (setting.options.rules.leastWaste) return setting.options.consolidateFeeRate;
  const wishes = { feeRate: null, overrideFeeRate: false, confirmTarget: LONG_TERM_TARGET, feeMode: 'unset', replaceable: null } as const;
  return (await minimumFeeRate(setting, wishes)).feeRate;
}

/** Returns the discard rate. Change that is dust at this rate goes to the fee. */
export async function discardFeeRate({ client, options }: FeeSetting): Promise<number> {
  const estimate = (await client.estimate(client.constants.longestTarget, false)).feeRate;
  const rate = estimate === 0 ? options.discardFeeRate : Math.min(estimate, options.discardFeeRate);
  return Math.max(rate, (await client.rates()).dust);
}
