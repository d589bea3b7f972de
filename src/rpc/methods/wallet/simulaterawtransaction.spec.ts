// Declares simulaterawtransaction.
import type { MethodSpec } from '../../declare/types.js';

export const simulaterawtransaction: MethodSpec = {
  name: 'simulaterawtransaction',
  since: 24,
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: "Tells what transactions, signed and sent in this order, would change about the wallet's balance.",
  args: [
    {
      name: 'rawtxs',
      type: 'arr',
      optional: true,
      help: 'The transactions',
      inner: [{ name: 'rawtx', type: 'hex', optional: true, help: 'A transaction' }],
    },
    {
      name: 'options',
      type: 'obj',
      namedMembers: true,
      optional: true,
      help: '',
      inner: [{ name: 'include_watchonly', type: 'bool', default: 'false', help: 'Count watched outputs too' }],
    },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [{ type: 'amount', key: 'balance_change', help: 'The change; negative means that the wallet would have less' }],
    },
  ],
  examples: [{ cli: '\'["myhex"]\'', rpc: '["myhex"]' }],
};
