import type { WalletRun } from '../../context/wallet.js';
import { ensureUnlocked, settledWallet } from '../../wallet/select.js';
import { avoidReuse, controlFor, recipientsOf, setFeeRate } from '../../wallet/spend-args.js';
import { addComment, sendMoney } from '../../wallet/spend-send.js';
import { JsonObject } from '../../wire/values.js';
import type { sendtoaddress as spec } from './sendtoaddress.spec.js';

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
