import { declare } from '../../declare/parameters.js';
import { amount, arr, keyed, num, str } from '../../declare/parts.js';
import { CONF_TARGET_ARG, ESTIMATE_MODE_ARG, FEE_RATE_ARG, REPLACEABLE_ARG, SEND_RESULTS, VERBOSE_ARG } from '../../declare/spend-parts.js';

export const sendmany = declare({
  name: 'sendmany',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Pays many addresses in one transaction. The wallet must be unlocked.',
  args: [
    str('dummy', 'Must be "", for older programs', { default: '""', oneline: '""' }),
    keyed('amounts', 'The addresses and amounts', [amount('address', 'The address as the name, the amount in BTC as the value')]),
    num('minconf?', 'Accepted without effect'),
    str('comment?', 'A comment. The wallet stores it, the transaction does not contain it'),
    arr('subtractfeefrom?', 'Addresses from whose amounts the fee is subtracted, in equal shares', [
      str('address?', 'One of the addresses'),
    ]),
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
});
