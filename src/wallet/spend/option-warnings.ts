// Warns about deprecated options, and about those that make payments expensive, for example a rate in satoshis per byte
// where BTC per 1,000 bytes is expected (a factor of 100,000). Texts, order and limits are those of Core's CWallet::Create.
import type { SpendOptions } from './options.js';

/** 0.01 BTC per 1,000 virtual bytes, in satoshis (HIGH_TX_FEE_PER_KB). */
const HIGH_RATE = 1_000_000;
/** 1 BTC, in satoshis (HIGH_MAX_TX_FEE). */
const HIGH_FEE = 100_000_000;
/** 0.0001 BTC, in satoshis (HIGH_APS_FEE). */
const HIGH_GROUPING_FEE = 10_000;

/**
 * Returns the warnings in replies to calls that load a wallet.
 * @param relayFeeRate -minrelaytxfee, satoshis per 1,000 virtual bytes
 */
export function optionWarnings(spend: SpendOptions, relayFeeRate: number): string[] {
  const options: readonly [name: string, value: number, high: number, meaning: string][] = [
    ['mintxfee', spend.minFeeRate, HIGH_RATE, 'This is the minimum transaction fee you pay on every transaction.'],
    [
      'maxapsfee',
      spend.maxGroupingFeeSats,
      HIGH_GROUPING_FEE,
      'This is the maximum transaction fee you pay (in addition to the normal fee) to prioritize partial spend avoidance over regular coin selection.',
    ],
    ['fallbackfee', spend.fallbackFeeRate, HIGH_RATE, 'This is the transaction fee you may pay when fee estimates are not available.'],
    [
      'discardfee',
      spend.discardFeeRate,
      HIGH_RATE,
      'This is the transaction fee you may discard if change is smaller than dust at this level',
    ],
    ['paytxfee', spend.payFeeRate, HIGH_RATE, 'This is the transaction fee you will pay if you send a transaction.'],
    ['maxtxfee', spend.maxFeeSats, HIGH_FEE, 'Fees this large could be paid on a single transaction.'],
    ['minrelaytxfee', relayFeeRate, HIGH_RATE, 'The wallet will avoid paying less than the minimum relay fee.'],
  ];
  return [
    ...options.filter(([, value, high]) => value > high).map(([name, , , meaning]) => `-${name} is set very high! ${meaning}`),
    ...(spend.warnsOfReplaceable ? ['-walletrbf is deprecated and will be fully removed in the next release.'] : []),
  ];
}
