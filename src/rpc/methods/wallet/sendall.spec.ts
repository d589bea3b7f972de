import { INPUTS_INNER, SOLVING_DATA_ARG } from '../../declare/fund-parts.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, keyed, num, obj, str } from '../../declare/parts.js';
import { CONF_TARGET_ARG, ESTIMATE_MODE_ARG, FEE_RATE_ARG, REPLACEABLE_ARG } from '../../declare/spend-parts.js';

export const sendall = declare({
  name: 'sendall',
  since: 24,
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description:
    'Spends all confirmed coins and all unconfirmed change of the wallet, without a change output. Locked coins are\nnot spent.\nWith send_max, coins that are worth less than spending them costs are not spent either.',
  args: [
    arr(
      'recipients',
      'Addresses, each once. Addresses without an amount share the rest after the other amounts and the fee. At least one must have no amount',
      [str('address', 'An address without an amount'), keyed({ optional: true }, [amount('address', 'An address and its amount')])],
    ),
    CONF_TARGET_ARG,
    ESTIMATE_MODE_ARG,
    FEE_RATE_ARG,
    obj('options?', '', { namedMembers: true, oneline: 'options' }, [
      bool('add_to_wallet', 'Whether to record and send the transaction. If false, it is only created', { default: 'true' }),
      FEE_RATE_ARG,
      bool('include_watching', 'Not used any more', { default: 'false' }),
      arr('inputs', 'Spend exactly these coins', { default: 'empty array' }, INPUTS_INNER),
      num('locktime', 'The lock time. If it is not 0, all inputs activate it', { default: "the tip's height" }),
      bool('lock_unspents', 'Whether to lock the coins', { default: 'false' }),
      bool('psbt', 'Always return a PSBT and send nothing', { default: 'automatic' }),
      bool('send_max', 'Whether to leave coins that are worth less than spending them costs', { default: 'false' }),
      num('minconf', 'Minimum number of confirmations of a coin', { default: '0' }),
      num('maxconf?', 'Maximum number of confirmations'),
      num('version', 'Version of the transaction', { default: '2' }),
      CONF_TARGET_ARG,
      ESTIMATE_MODE_ARG,
      REPLACEABLE_ARG,
      { ...SOLVING_DATA_ARG, help: 'Accepted without effect, because all coins belong to the wallet' },
    ]),
  ],
  results: [
    obj([
      str('psbt?', 'The PSBT in Base64, if signatures are missing or if it was requested'),
      hex('txid?', 'The transaction id, if it is completely signed'),
      hex('hex?', 'The transaction as hex, if it was not sent'),
      bool('complete', 'Whether the transaction is completely signed'),
    ]),
  ],
  examples: [{ cli: '\'["bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"]\' null "unset" 1.1' }],
  waits: true,
});
