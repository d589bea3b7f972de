// Declares getprioritisedtransactions.
import type { MethodSpec } from '../../declare/types.js';

export const getprioritisedtransactions: MethodSpec = {
  name: 'getprioritisedtransactions',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description: 'All fee deltas that prioritisetransaction has set and that are not zero, also of transactions that are not in the pool.',
  args: [],
  results: [
    {
      type: 'obj-dyn',
      help: 'By transaction id',
      inner: [
        {
          type: 'obj',
          key: 'transactionid',
          help: '',
          inner: [
            { type: 'num', key: 'fee_delta', help: 'The delta in satoshis' },
            { type: 'bool', key: 'in_mempool', help: 'Whether the transaction is in the pool' },
            { type: 'num', key: 'modified_fee', optional: true, help: 'Fee with delta in satoshis, when it is' },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
