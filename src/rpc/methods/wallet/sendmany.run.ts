// Core: wallet/rpc/spend.cpp.
import { follows } from '../../../policy/compat.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { settledWallet } from '../../wallet/select.js';
import { controlFor, recipientsOf, setFeeRate } from '../../wallet/spend-args.js';
import { checkPositions } from '../../wallet/spend-options.js';
import { addComment, sendMoney } from '../../wallet/spend-send.js';
import type { sendmany as spec } from './sendmany.spec.js';

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
