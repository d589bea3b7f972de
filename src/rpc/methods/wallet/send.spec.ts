// Declares send.
import { CHANGE_TYPE_ARG, INPUTS_INNER, LATER_FUND_OPTIONS, OUTPUTS_INNER } from '../../declare/fund-parts.js';
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
    { name: 'outputs', type: 'arr', anyType: true, help: 'The outputs, each address once', inner: OUTPUTS_INNER },
    CONF_TARGET_ARG,
    ESTIMATE_MODE_ARG,
    FEE_RATE_ARG,
    {
      name: 'options',
      type: 'obj',
      namedMembers: true,
      optional: true,
      help: '',
      inner: [
        {
          name: 'add_inputs',
          type: 'bool',
          default: 'false if inputs are named, true otherwise',
          help: 'Whether coins may be added to those named',
        },
        { name: 'add_to_wallet', type: 'bool', default: 'true', help: 'Record it and send it; false: only make it' },
        { name: 'change_address', type: 'str', default: 'pool address', help: 'Where change goes' },
        { name: 'change_position', type: 'num', default: 'random', help: 'The number of the change output' },
        CHANGE_TYPE_ARG,
        CONF_TARGET_ARG,
        ESTIMATE_MODE_ARG,
        FEE_RATE_ARG,
        {
          name: 'include_watching',
          type: 'bool',
          default: 'true for watch-only wallets, otherwise false',
          help: 'Spend watched coins too, if it is known how they are signed',
        },
        { name: 'inputs', type: 'arr', default: 'empty array', help: 'Coins that are spent', inner: INPUTS_INNER },
        { name: 'locktime', type: 'num', default: '0', help: 'The lock time; not 0 lets it count in all inputs' },
        { name: 'lock_unspents', type: 'bool', default: 'false', help: 'Hold the chosen coins back from other payments' },
        { name: 'psbt', type: 'bool', default: 'automatic', help: 'Always give a PSBT, and send nothing' },
        {
          name: 'subtract_fee_from_outputs',
          type: 'arr',
          default: 'empty array',
          help: 'Numbers of outputs that pay the fee, in equal shares',
          inner: [{ name: 'vout_index', type: 'num', optional: true, help: 'The number of an output, before change is added' }],
        },
        REPLACEABLE_ARG,
        ...LATER_FUND_OPTIONS,
      ],
      oneline: 'options',
    },
    TX_VERSION_ARG,
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'bool', key: 'complete', help: 'Whether it is signed' },
        { type: 'hex', key: 'txid', optional: true, help: 'The transaction id, when it is' },
        { type: 'hex', key: 'hex', optional: true, help: 'The transaction, when it was not sent' },
        { type: 'str', key: 'psbt', optional: true, help: 'The PSBT in Base64, when signatures are missing or it was asked for' },
      ],
    },
  ],
  examples: [
    { title: 'Pay at 1.1 sat/vB', cli: '"[{\\"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl\\":0.1}]" null "unset" 1.1' },
    { title: 'Within 6 blocks', cli: '"[{\\"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl\\":0.2}]" 6 economical' },
  ],
  waits: true,
};
