// Core: wallet/rpc/spend.cpp.

import { follows } from '../../../policy/compat.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, keyed, num, str } from '../../declare/parts.js';
import { CONF_TARGET_ARG, ESTIMATE_MODE_ARG, FEE_RATE_ARG, REPLACEABLE_ARG, SEND_RESULTS, VERBOSE_ARG } from '../../declare/spend-parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { settledWallet } from '../../wallet/select.js';
import { controlFor, recipientsOf, setFeeRate } from '../../wallet/spend-args.js';
import { checkPositions } from '../../wallet/spend-options.js';
import { addComment, sendMoney } from '../../wallet/spend-send.js';

export const spec = declare({
  name: 'sendmany',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Pays many addresses in one transaction. The wallet must be unlocked.',
  args: [
    str('dummy', 'Must be "", for older programs', { default: '""', oneline: '""' }),
    keyed('amounts', 'The addresses and amounts', [amount('address', 'The address as the name, the amount in BTC as the value')]),
    num('minconf?', 'Accepted without effect'),
    str('comment?', 'A comment. The wallet stores it, the transaction does not contain it'),
    arr('subtractfeefrom?', 'Addresses from whose amounts the fee is subtracted, in equal shares', [
      str('address?', 'One of the addresses'),
    ]),
    REPLACEABLE_ARG,
    CONF_TARGET_ARG,
    ESTIMATE_MODE_ARG,
    FEE_RATE_ARG,
    VERBOSE_ARG,
  ],
  results: SEND_RESULTS,
  examples: [
    {
      title: 'Two addresses, one payment',
      cli: '"" "{\\"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl\\":0.01,\\"bc1q02ad21edsxd23d32dfgqqsz4vv4nmtfzuklhy3\\":0.02}"',
      rpc: '"", {"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl":0.01,"bc1q02ad21edsxd23d32dfgqqsz4vv4nmtfzuklhy3":0.02}, 6, "testing"',
    },
  ],
  waits: true,
});

export const sendmany: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  if (params.dummy !== undefined && params.dummy !== '') fail(RPC_CODE.INVALID_PARAMETER, 'Dummy value must be set to ""');
  const { amounts } = params;
  const values = new Map<string, string>();
  addComment(values, 'comment', params.comment);
  const listed = params.subtractfeefrom ?? [];
  const control = controlFor(ctx);
  if (params.replaceable !== undefined) control.replaceable = params.replaceable;
  setFeeRate(ctx, control, { confTarget: params.conf_target, estimateMode: params.estimate_mode, feeRate: params.fee_rate }, false);
  const payers = follows(ctx.compat, 31) ? [...checkPositions(listed, amounts.keys)].map((at) => amounts.keys[at]) : listed;
  const recipients = recipientsOf(ctx, amounts, payers);
  const verbose = params.verbose;
  return sendMoney(ctx, wallet, { control, recipients, values }, verbose);
};
