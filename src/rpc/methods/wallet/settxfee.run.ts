// Core: wallet/rpc/spend.cpp.
import { formatFeeRate } from '../../../policy/fee-rate.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { walletOf } from '../../wallet/select.js';
import { toolsOf } from '../../wallet/spend-args.js';
import type { settxfee as spec } from './settxfee.spec.js';

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
