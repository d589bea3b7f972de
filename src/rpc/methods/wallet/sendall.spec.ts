import { INPUTS_INNER, SOLVING_DATA_ARG } from '../../declare/fund-parts.js';
import { amount, arr, bool, hex, keyed, num, obj, str } from '../../declare/parts.js';
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
    arr('recipients', 'Addresses, each once. Those without an amount share what the others and the fee leave; there is one at least', [
      str('address', 'An address that gets a share'),
      keyed({ optional: true }, [amount('address', 'An address and its amount')]),
    ]),
    CONF_TARGET_ARG,
    ESTIMATE_MODE_ARG,
    FEE_RATE_ARG,
    obj('options?', '', { namedMembers: true, oneline: 'options' }, [
      bool('add_to_wallet', 'Record it and send it; false: only make it', { default: 'true' }),
      FEE_RATE_ARG,
      bool('include_watching', 'Means nothing any more', { default: 'false' }),
      arr('inputs', 'Exactly these coins', { default: 'empty array' }, INPUTS_INNER),
      num('locktime', 'The lock time; not 0 lets it count in all inputs', { default: "the tip's height" }),
      bool('lock_unspents', 'Hold the coins back from other payments', { default: 'false' }),
      bool('psbt', 'Always give a PSBT, and send nothing', { default: 'automatic' }),
      bool('send_max', 'Leave coins that are worth less than spending them costs', { default: 'false' }),
      num('minconf', 'Confirmations that a coin needs', { default: '0' }),
      num('maxconf?', 'Confirmations that it may have'),
      num('version', "The transaction's version", { default: '2' }),
      CONF_TARGET_ARG,
      ESTIMATE_MODE_ARG,
      REPLACEABLE_ARG,
      { ...SOLVING_DATA_ARG, help: 'Accepted without effect, because all coins belong to the wallet' },
    ]),
  ],
  results: [
    obj([
      str('psbt?', 'The PSBT in Base64, when signatures are missing or it was asked for'),
      hex('txid?', 'The transaction id, when it is signed'),
      hex('hex?', 'The transaction, when it was not sent'),
      bool('complete', 'Whether it is signed'),
    ]),
  ],
  examples: [{ cli: '\'["bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"]\' null "unset" 1.1' }],
  waits: true,
};
