// Core: wallet/rpc/spend.cpp.

import { follows } from '../../../policy/compat.js';
import { inPaymentQueue } from '../../../wallet/index.js';
import { checkType, checkTypes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { FUNDED_MEMBERS, fundOptions, INPUTS_INNER, OUTPUTS_INNER } from '../../declare/fund-parts.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, num, obj, str } from '../../declare/parts.js';
import { PSBT_VERSION_ARG, TX_VERSION_ARG } from '../../declare/psbt-parts.js';
import { asPsbtVersion, psbtText } from '../../render/psbt-text.js';
import { settledWallet, walletOf } from '../../wallet/select.js';
import { type Given, given, toolsOf } from '../../wallet/spend-args.js';
import { fundWith } from '../../wallet/spend-options.js';
import { outputNames, refuseWeights, startedTx, walletPsbt, weighed } from '../../wallet/spend-psbt.js';
import { Amount, JsonObject } from '../../wire/values.js';

export const spec = declare({
  name: 'walletcreatefundedpsbt',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description:
    'Creates a PSBT (BIP174) with the given outputs. It adds inputs of the wallet that pay for them, and a change\noutput if necessary.',
  args: [
    arr('inputs?', 'Coins to spend. If empty, the wallet chooses', { as: 'json' }, INPUTS_INNER),
    arr('outputs', 'The outputs, each address once', { anyType: true }, OUTPUTS_INNER),
    num('locktime', 'The lock time. If it is not 0, all inputs activate it', { as: 'json', default: '0' }),
    obj('options?', '', { as: 'json', namedMembers: true, oneline: 'options' }, fundOptions('false if inputs are named, true otherwise')),
    bool('bip32derivs', 'Whether to include the known derivation paths of keys', { default: 'true' }),
    TX_VERSION_ARG,
    PSBT_VERSION_ARG,
  ],
  results: [obj([str('psbt', 'The PSBT in Base64'), ...FUNDED_MEMBERS])],
  examples: [{ title: 'A PSBT without named inputs', cli: '"[]" "[{\\"data\\":\\"00010203\\"}]"' }],
  waits: true,
});

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
  const { psbt } = await walletPsbt(ctx, wallet, funded.tx, { sign: false, derivations, version });
  return { psbt: psbtText(psbt, ctx.crypto, ctx.compat), fee: new Amount(funded.fee), changepos: funded.changePosition };
};
