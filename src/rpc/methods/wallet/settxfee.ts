// Core: wallet/rpc/spend.cpp.

import { formatFeeRate } from '../../../policy/fee-rate.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { amount, bool } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { walletOf } from '../../wallet/select.js';
import { toolsOf } from '../../wallet/spend-args.js';

export const spec = declare({
  name: 'settxfee',
  category: 'wallet',
  until: 31,
  runs: 'wallet',
  holds: 'wallet',
  description:
    'Sets the fee rate for payments of this wallet until it is unloaded. It overrides -paytxfee. 0 means that the\nwallet estimates the rate again.',
  args: [amount('amount', 'The fee rate in BTC/kvB')],
  results: [bool('true')],
  examples: [{ cli: '0.00001', rpc: '0.00001' }],
});

export const settxfee: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const { client, options } = toolsOf(ctx);
  const { amount: rate } = params;
  const { relayMinimum } = await client.rates();
  const refuse = (why: string, limit: number): never =>
    fail(RPC_CODE.INVALID_PARAMETER, `txfee cannot be ${why} (${formatFeeRate(limit)})`);
  if (rate !== 0) {
    if (rate < relayMinimum) refuse('less than min relay tx fee', relayMinimum);
    if (rate < options.minFeeRate) refuse('less than wallet min fee', options.minFeeRate);
    if (rate > options.maxFeeSats) refuse('more than wallet max tx fee', options.maxFeeSats);
  }
  wallet.session.setPayFeeRate(rate);
  return true;
};
