import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { amount, bool, str } from '../../declare/parts.js';
import { CONF_TARGET_ARG, ESTIMATE_MODE_ARG, FEE_RATE_ARG, REPLACEABLE_ARG, SEND_RESULTS, VERBOSE_ARG } from '../../declare/spend-parts.js';
import { ensureUnlocked, settledWallet } from '../../wallet/select.js';
import { avoidReuse, controlFor, recipientsOf, setFeeRate } from '../../wallet/spend-args.js';
import { addComment, sendMoney } from '../../wallet/spend-send.js';
import { JsonObject } from '../../wire/values.js';

export const spec = declare({
  name: 'sendtoaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Pays an amount to an address. The wallet must be unlocked.',
  args: [
    str('address', 'The address'),
    amount('amount', 'The amount in BTC', { as: 'json' }),
    str('comment?', 'A comment about the purpose. The wallet stores it, the transaction does not contain it'),
    str('comment_to?', 'A comment about the recipient. The wallet stores it, the transaction does not contain it'),
    bool('subtractfeefromamount', 'Whether to subtract the fee from the amount. The recipient then gets less than the amount', {
      default: 'false',
    }),
    REPLACEABLE_ARG,
    CONF_TARGET_ARG,
    ESTIMATE_MODE_ARG,
    bool('avoid_reuse', 'Whether to avoid coins of addresses that were spent from (only with the avoid_reuse flag)', {
      seesAbsence: true,
      default: 'true',
    }),
    FEE_RATE_ARG,
    VERBOSE_ARG,
  ],
  results: SEND_RESULTS,
  examples: [
    {
      cli: '"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4" 0.1',
      rpc: '"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", 0.1, "donation", "sean\'s outpost"',
    },
    {
      title: 'At 25 sat/vB, replaceable',
      cli: '"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4" 0.5 "" "" false true null "unset" null 25',
    },
  ],
  waits: true,
});

export const sendtoaddress: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  const values = new Map<string, string>();
  addComment(values, 'comment', params.comment);
  addComment(values, 'to', params.comment_to);
  const { subtractfeefromamount: subtract } = params;
  const control = controlFor(ctx);
  if (params.replaceable !== undefined) control.replaceable = params.replaceable;
  control.avoidAddressReuse = avoidReuse(wallet, params.avoid_reuse);
  control.avoidPartialSpends ||= control.avoidAddressReuse;
  setFeeRate(ctx, control, { confTarget: params.conf_target, estimateMode: params.estimate_mode, feeRate: params.fee_rate }, false);
  ensureUnlocked(wallet);
  const { address } = params;
  const amounts = new JsonObject([address], [params.amount]);
  const recipients = recipientsOf(ctx, amounts, subtract ? [address] : []);
  const verbose = params.verbose;
  return sendMoney(ctx, wallet, { control, recipients, values }, verbose);
};
