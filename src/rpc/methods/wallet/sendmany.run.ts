// Core: wallet/rpc/spend.cpp.
import { follows } from '../../../policy/compat.js';
import { asArray, asBool, asObject, asString } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { settledWallet } from '../../wallet/select.js';
import { controlFor, given, recipientsOf, setFeeRate } from '../../wallet/spend-args.js';
import { checkPositions } from '../../wallet/spend-options.js';
import { addComment, sendMoney } from '../../wallet/spend-send.js';
import type { sendmany as spec } from './sendmany.spec.js';

export const sendmany: WalletRun<typeof spec> = async ({ args }, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  if (given(args[0]) && asString(args[0]) !== '') fail(RPC_CODE.INVALID_PARAMETER, 'Dummy value must be set to ""');
  const amounts = asObject(args[1]);
  const values = new Map<string, string>();
  addComment(values, 'comment', args[3]);
  const listed = given(args[4]) ? asArray(args[4]) : [];
  const control = controlFor(ctx);
  if (given(args[5])) control.replaceable = asBool(args[5]);
  setFeeRate(ctx, control, { confTarget: args[6], estimateMode: args[7], feeRate: args[8] }, false);
  const payers = follows(ctx.compat, 31) ? [...checkPositions(listed, amounts.keys)].map((at) => amounts.keys[at]) : listed;
  const recipients = await recipientsOf(ctx, amounts, payers, call);
  const verbose = given(args[9]) && asBool(args[9]);
  return sendMoney(ctx, wallet, { control, recipients, values }, verbose, call);
};
