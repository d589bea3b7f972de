// Declares sendmany.
import { CONF_TARGET_ARG, ESTIMATE_MODE_ARG, FEE_RATE_ARG, REPLACEABLE_ARG, SEND_RESULTS, VERBOSE_ARG } from '../../declare/spend-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const sendmany: MethodSpec = {
  name: 'sendmany',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Pays many addresses in one transaction. The wallet must be unlocked.',
  args: [
    { name: 'dummy', type: 'str', default: '""', help: 'Must be "", for older programs', oneline: '""' },
    {
      name: 'amounts',
      type: 'obj-user-keys',
      help: 'The addresses and amounts',
      inner: [{ name: 'address', type: 'amount', help: 'The address as the name, the amount in BTC as the value' }],
    },
    { name: 'minconf', type: 'num', optional: true, help: 'Taken and not used' },
    { name: 'comment', type: 'str', optional: true, help: 'What it is for; kept in the wallet' },
    {
      name: 'subtractfeefrom',
      type: 'arr',
      optional: true,
      help: 'Addresses that pay the fee, in equal shares; less arrives there than is named',
      inner: [{ name: 'address', type: 'str', optional: true, help: 'One of the addresses' }],
    },
    REPLACEABLE_ARG,
    CONF_TARGET_ARG,
    ESTIMATE_MODE_ARG,
    FEE_RATE_ARG,
    VERBOSE_ARG,
  ],
  results: SEND_RESULTS,
  examples: [
    {
      title: 'Two addresses, one payment',
      cli: '"" "{\\"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl\\":0.01,\\"bc1q02ad21edsxd23d32dfgqqsz4vv4nmtfzuklhy3\\":0.02}"',
      rpc: '"", {"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl":0.01,"bc1q02ad21edsxd23d32dfgqqsz4vv4nmtfzuklhy3":0.02}, 6, "testing"',
    },
  ],
  waits: true,
};
