// Core: wallet/rpc/spend.cpp.

import { follows } from '../../../policy/compat.js';
import { inPaymentQueue } from '../../../wallet/index.js';
import { asBool, asInt, checkMembers, checkTypes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { CHANGE_TYPE_ARG, INPUTS_INNER, LATER_FUND_OPTIONS, OUTPUTS_INNER } from '../../declare/fund-parts.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import { TX_VERSION_ARG } from '../../declare/psbt-parts.js';
import { CONF_TARGET_ARG, ESTIMATE_MODE_ARG, FEE_RATE_ARG, REPLACEABLE_ARG } from '../../declare/spend-parts.js';
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

export const spec = declare({
  name: 'send',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description:
    'Creates a transaction with the given outputs and sends it. If a signature is missing, the call returns a PSBT\ninstead.\nThis call is experimental, as in Bitcoin Core, and may change.',
  args: [
    arr('outputs', 'The outputs, each address once', { anyType: true }, OUTPUTS_INNER),
    CONF_TARGET_ARG,
    ESTIMATE_MODE_ARG,
    FEE_RATE_ARG,
    obj('options?', '', { namedMembers: true, oneline: 'options' }, [
      bool('add_inputs', 'Whether to add coins to the given inputs if necessary', { default: 'false if inputs are named, true otherwise' }),
      bool('add_to_wallet', 'Whether to record and send the transaction. If false, it is only created', { default: 'true' }),
      str('change_address', 'Address for the change', { default: 'pool address' }),
      num('change_position', 'Position of the change output', { default: 'random' }),
      CHANGE_TYPE_ARG,
      CONF_TARGET_ARG,
      ESTIMATE_MODE_ARG,
      FEE_RATE_ARG,
      bool('include_watching', 'Whether to spend watch-only coins too, if the wallet can solve their scripts', {
        default: 'true for watch-only wallets, otherwise false',
      }),
      arr('inputs', 'Coins to spend', { default: 'empty array' }, INPUTS_INNER),
      num('locktime', 'The lock time. If it is not 0, all inputs activate it', { default: '0' }),
      bool('lock_unspents', 'Whether to lock the chosen coins', { default: 'false' }),
      bool('psbt', 'Always return a PSBT and send nothing', { default: 'automatic' }),
      arr(
        'subtract_fee_from_outputs',
        'Positions of the outputs from which the fee is subtracted, in equal shares',
        { default: 'empty array' },
        [num('vout_index?', 'Position of an output, before a change output is added')],
      ),
      REPLACEABLE_ARG,
      ...LATER_FUND_OPTIONS,
    ]),
    TX_VERSION_ARG,
  ],
  results: [
    obj([
      bool('complete', 'Whether the transaction is completely signed'),
      hex('txid?', 'The transaction id, if it is completely signed'),
      hex('hex?', 'The transaction as hex, if it was not sent'),
      str('psbt?', 'The PSBT in Base64, if signatures are missing or if it was requested'),
    ]),
  ],
  examples: [
    { title: 'Pay at 1.1 sat/vB', cli: '"[{\\"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl\\":0.1}]" null "unset" 1.1' },
    { title: 'Within 6 blocks', cli: '"[{\\"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl\\":0.2}]" 6 economical' },
  ],
  waits: true,
});

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
    return finishSend(ctx, wallet, sent, outcome);
  });
};
