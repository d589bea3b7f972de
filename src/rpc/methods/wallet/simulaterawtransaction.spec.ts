import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, obj } from '../../declare/parts.js';

export const simulaterawtransaction = declare({
  name: 'simulaterawtransaction',
  since: 24,
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Returns how the balance of the wallet would change if the given transactions were signed and sent in this\norder.',
  args: [
    arr('rawtxs?', 'The transactions', { as: 'json' }, [hex('rawtx?', 'A transaction')]),
    obj('options?', '', { as: 'json', namedMembers: true }, [
      bool('include_watchonly', 'Whether to include watch-only outputs', { default: 'false' }),
    ]),
  ],
  results: [obj([amount('balance_change', 'The change of the balance. Negative means that the wallet would have less')])],
  examples: [{ cli: '\'["myhex"]\'', rpc: '["myhex"]' }],
});
