import { bool, dyn, num, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getprioritisedtransactions: MethodSpec = {
  name: 'getprioritisedtransactions',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description: 'All fee deltas that prioritisetransaction has set and that are not zero, also of transactions that are not in the pool.',
  args: [],
  results: [
    dyn('By transaction id', [
      obj('transactionid', '', [
        num('fee_delta', 'The delta in satoshis'),
        bool('in_mempool', 'Whether the transaction is in the pool'),
        num('modified_fee?', 'Fee with delta in satoshis, when it is'),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
