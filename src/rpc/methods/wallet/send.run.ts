// Core: wallet/rpc/spend.cpp.

import { follows } from '../../../policy/compat.js';
import { inPaymentQueue } from '../../../wallet/index.js';
import { asBool, asInt, checkMembers, checkTypes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { settledWallet, walletOf } from '../../wallet/select.js';
import { toolsOf } from '../../wallet/spend-args.js';
import { checkPositions, fundWith, payersIn } from '../../wallet/spend-options.js';
import {
  finishSend,
  notForThePast,
  outputNames,
  refuseWeights,
  sendOptions,
  sendOutcome,
  startedTx,
  weighed,
} from '../../wallet/spend-psbt.js';
import type { send as spec } from './send.spec.js';

export const send: WalletRun<typeof spec> = async (params, ctx, call) => {
  checkTypes(params.args, [null, 'number', 'string', null, 'object'], true);
  walletOf(ctx, call);
  const options = sendOptions(params, ctx);
  checkMembers(options, { psbt: 'bool', add_to_wallet: 'bool' }, { allowNull: true });
  const outcome = sendOutcome(options);
  const flag = (name: string, otherwise: boolean): boolean => (options.has(name) ? asBool(options.get(name)) : otherwise);
  const tools = toolsOf(ctx);
  const replaceable = flag('replaceable', tools.options.replaceable);
  const { outputs } = params;
  const parts = { inputs: options.get('inputs') ?? null, outputs, locktime: options.get('locktime') ?? null };
  const names = outputNames(outputs);
  if (follows(ctx.compat, 31)) {
    checkPositions(payersIn(options.get('subtract_fee_from_outputs')), names);
    if (options.has('max_tx_weight')) asInt(options.get('max_tx_weight'));
    refuseWeights(options);
  }
  const tx = startedTx(ctx, parts, replaceable, params.version);
  const wallet = await settledWallet(ctx, call);
  const listed = weighed(options.get('inputs'));
  const fund = { tx, addInputs: tx.inputs.length === 0, overrideRate: false, listed, names };
  return inPaymentQueue(wallet, async () => {
    const funded = await fundWith(ctx, wallet, options, fund, call);
    const sent =
      follows(ctx.compat, 31) && !options.has('locktime') ? { ...funded, tx: await notForThePast(wallet, funded.tx, tools) } : funded;
    return finishSend(ctx, wallet, sent, outcome, call);
  });
};
