// Declares sendall.
import { INPUTS_INNER } from '../../declare/fund-parts.js';
import { CONF_TARGET_ARG, ESTIMATE_MODE_ARG, FEE_RATE_ARG, REPLACEABLE_ARG } from '../../declare/spend-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const sendall: MethodSpec = {
  name: 'sendall',
  since: 24,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description:
    'Spends all coins of the wallet, confirmed ones and unconfirmed change, without change. Locked coins stay.\nCoins that are worth less than spending them costs are left with send_max.',
  args: [
    {
      name: 'recipients',
      type: 'arr',
      help: 'Addresses, each once. Those without an amount share what the others and the fee leave; there is one at least',
      inner: [
        { name: 'address', type: 'str', help: 'An address that gets a share' },
        {
          name: '',
          type: 'obj-user-keys',
          optional: true,
          help: '',
          inner: [{ name: 'address', type: 'amount', help: 'An address and its amount' }],
        },
      ],
    },
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
        { name: 'add_to_wallet', type: 'bool', default: 'true', help: 'Record it and send it; false: only make it' },
        FEE_RATE_ARG,
        { name: 'include_watching', type: 'bool', default: 'false', help: 'Means nothing any more' },
        { name: 'inputs', type: 'arr', default: 'empty array', help: 'Exactly these coins', inner: INPUTS_INNER },
        { name: 'locktime', type: 'num', default: "the tip's height", help: 'The lock time; not 0 lets it count in all inputs' },
        { name: 'lock_unspents', type: 'bool', default: 'false', help: 'Hold the coins back from other payments' },
        { name: 'psbt', type: 'bool', default: 'automatic', help: 'Always give a PSBT, and send nothing' },
        { name: 'send_max', type: 'bool', default: 'false', help: 'Leave coins that are worth less than spending them costs' },
        { name: 'minconf', type: 'num', default: '0', help: 'Confirmations that a coin needs' },
        { name: 'maxconf', type: 'num', optional: true, help: 'Confirmations that it may have' },
        { name: 'version', type: 'num', default: '2', help: "The transaction's version" },
        CONF_TARGET_ARG,
        ESTIMATE_MODE_ARG,
        REPLACEABLE_ARG,
      ],
      oneline: 'options',
    },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'str', key: 'psbt', optional: true, help: 'The PSBT in Base64, when signatures are missing or it was asked for' },
        { type: 'hex', key: 'txid', optional: true, help: 'The transaction id, when it is signed' },
        { type: 'hex', key: 'hex', optional: true, help: 'The transaction, when it was not sent' },
        { type: 'bool', key: 'complete', help: 'Whether it is signed' },
      ],
    },
  ],
  examples: [{ cli: '\'["bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"]\' null "unset" 1.1' }],
  waits: true,
};
