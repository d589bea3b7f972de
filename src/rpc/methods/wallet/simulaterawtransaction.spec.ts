import { amount, arr, bool, hex, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const simulaterawtransaction: MethodSpec = {
  name: 'simulaterawtransaction',
  since: 24,
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: "Tells what transactions, signed and sent in this order, would change about the wallet's balance.",
  args: [
    arr('rawtxs?', 'The transactions', [hex('rawtx?', 'A transaction')]),
    obj('options?', '', { namedMembers: true }, [bool('include_watchonly', 'Count watched outputs too', { default: 'false' })]),
  ],
  results: [obj([amount('balance_change', 'The change; negative means that the wallet would have less')])],
  examples: [{ cli: '\'["myhex"]\'', rpc: '["myhex"]' }],
};
