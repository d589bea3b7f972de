import { CHANGE_TYPE_ARG, INPUTS_INNER, LATER_FUND_OPTIONS, OUTPUTS_INNER } from '../../declare/fund-parts.js';
import { arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import { TX_VERSION_ARG } from '../../declare/psbt-parts.js';
import { CONF_TARGET_ARG, ESTIMATE_MODE_ARG, FEE_RATE_ARG, REPLACEABLE_ARG } from '../../declare/spend-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const send: MethodSpec = {
  name: 'send',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description:
    'Makes a transaction of outputs and sends it, or gives it back as a PSBT where a signature is missing.\nAn experiment, as in Bitcoin Core: it may change.',
  args: [
    arr('outputs', 'The outputs, each address once', { anyType: true }, OUTPUTS_INNER),
    CONF_TARGET_ARG,
    ESTIMATE_MODE_ARG,
    FEE_RATE_ARG,
    obj('options?', '', { namedMembers: true, oneline: 'options' }, [
      bool('add_inputs', 'Whether coins may be added to those named', { default: 'false if inputs are named, true otherwise' }),
      bool('add_to_wallet', 'Record it and send it; false: only make it', { default: 'true' }),
      str('change_address', 'Where change goes', { default: 'pool address' }),
      num('change_position', 'The number of the change output', { default: 'random' }),
      CHANGE_TYPE_ARG,
      CONF_TARGET_ARG,
      ESTIMATE_MODE_ARG,
      FEE_RATE_ARG,
      bool('include_watching', 'Spend watched coins too, if it is known how they are signed', {
        default: 'true for watch-only wallets, otherwise false',
      }),
      arr('inputs', 'Coins that are spent', { default: 'empty array' }, INPUTS_INNER),
      num('locktime', 'The lock time; not 0 lets it count in all inputs', { default: '0' }),
      bool('lock_unspents', 'Hold the chosen coins back from other payments', { default: 'false' }),
      bool('psbt', 'Always give a PSBT, and send nothing', { default: 'automatic' }),
      arr('subtract_fee_from_outputs', 'Numbers of outputs that pay the fee, in equal shares', { default: 'empty array' }, [
        num('vout_index?', 'The number of an output, before change is added'),
      ]),
      REPLACEABLE_ARG,
      ...LATER_FUND_OPTIONS,
    ]),
    TX_VERSION_ARG,
  ],
  results: [
    obj([
      bool('complete', 'Whether it is signed'),
      hex('txid?', 'The transaction id, when it is'),
      hex('hex?', 'The transaction, when it was not sent'),
      str('psbt?', 'The PSBT in Base64, when signatures are missing or it was asked for'),
    ]),
  ],
  examples: [
    { title: 'Pay at 1.1 sat/vB', cli: '"[{\\"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl\\":0.1}]" null "unset" 1.1' },
    { title: 'Within 6 blocks', cli: '"[{\\"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl\\":0.2}]" 6 economical' },
  ],
  waits: true,
};
