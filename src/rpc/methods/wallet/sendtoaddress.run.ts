// Core: wallet/rpc/spend.cpp.
import { asBool, asString } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { ensureUnlocked, settledWallet } from '../../wallet/select.js';
import { avoidReuse, controlFor, given, recipientsOf, setFeeRate } from '../../wallet/spend-args.js';
import { addComment, sendMoney } from '../../wallet/spend-send.js';
import { JsonObject } from '../../wire/values.js';
import type { sendtoaddress as spec } from './sendtoaddress.spec.js';

export const sendtoaddress: WalletRun<typeof spec> = async ({ args }, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  const values = new Map<string, string>();
  addComment(values, 'comment', args[2]);
  addComment(values, 'to', args[3]);
  const subtract = given(args[4]) && asBool(args[4]);
  const control = controlFor(ctx);
  if (given(args[5])) control.replaceable = asBool(args[5]);
  control.avoidAddressReuse = avoidReuse(wallet, args[8]);
  control.avoidPartialSpends ||= control.avoidAddressReuse;
  setFeeRate(ctx, control, { confTarget: args[6], estimateMode: args[7], feeRate: args[9] }, false);
  ensureUnlocked(wallet);
  const address = asString(args[0]);
  const amounts = new JsonObject([address], [args[1]]);
  const recipients = await recipientsOf(ctx, amounts, subtract ? [address] : [], call);
  const verbose = given(args[10]) && asBool(args[10]);
  return sendMoney(ctx, wallet, { control, recipients, values }, verbose, call);
};
