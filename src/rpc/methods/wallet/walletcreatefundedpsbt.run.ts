// Core: wallet/rpc/spend.cpp.

import { follows } from '../../../policy/compat.js';
import { inPaymentQueue } from '../../../wallet/index.js';
import { checkType, checkTypes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { asPsbtVersion, psbtText } from '../../render/psbt-text.js';
import { settledWallet, walletOf } from '../../wallet/select.js';
import { type Given, given, toolsOf } from '../../wallet/spend-args.js';
import { fundWith } from '../../wallet/spend-options.js';
import { outputNames, refuseWeights, startedTx, walletPsbt, weighed } from '../../wallet/spend-psbt.js';
import { Amount, JsonObject } from '../../wire/values.js';
import type { walletcreatefundedpsbt as spec } from './walletcreatefundedpsbt.spec.js';

const member = (options: Given, name: string): Given => (options instanceof JsonObject ? options.get(name) : undefined);

export const walletcreatefundedpsbt: WalletRun<typeof spec> = async (params, ctx, call) => {
  walletOf(ctx, call);
  checkTypes(params.args, ['array', null, 'number', 'object', 'bool'], true);
  const { inputs, outputs, locktime, options } = params;
  let { replaceable } = toolsOf(ctx).options;
  const asked = member(options, 'replaceable');
  if (given(asked)) {
    checkType(asked, 'bool');
    replaceable = asked === true;
  }
  const tx = startedTx(ctx, { inputs, outputs, locktime }, replaceable, params.version);
  const wallet = await settledWallet(ctx, call);
  if (follows(ctx.compat, 31)) refuseWeights(options);
  const fund = { tx, addInputs: tx.inputs.length === 0, overrideRate: true, listed: weighed(inputs), names: outputNames(outputs) };
  const funded = await inPaymentQueue(wallet, () => fundWith(ctx, wallet, options, fund, call));
  const { bip32derivs: derivations } = params;
  const version = asPsbtVersion(params.psbt_version, ctx.compat);
  const { psbt } = await walletPsbt(ctx, wallet, funded.tx, { sign: false, derivations, version }, call);
  return { psbt: psbtText(psbt, ctx.crypto, ctx.compat), fee: new Amount(funded.fee), changepos: funded.changePosition };
};
