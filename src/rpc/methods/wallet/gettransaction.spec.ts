// Declares gettransaction.
import { entryMembers, includeWatchOnlyArg, transactionMembers } from '../../declare/history-parts.js';
import { LAST_PROCESSED, WALLET_TX_MEMBERS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const gettransaction: MethodSpec = {
  name: 'gettransaction',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Tells of one transaction of the wallet.',
  args: [
    { name: 'txid', type: 'str', help: 'The transaction' },
    includeWatchOnlyArg,
    { name: 'verbose', type: 'bool', default: 'false', help: 'Also decode it' },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'amount', key: 'amount', help: 'What it changed, in BTC, the fee left out' },
        { type: 'amount', key: 'fee', optional: true, help: 'Fee, negative; for transactions from this wallet' },
        ...transactionMembers,
        { type: 'arr', key: 'details', help: 'Its outputs', inner: [{ type: 'obj', help: '', inner: entryMembers(false) }] },
        { type: 'hex', key: 'hex', help: 'The transaction' },
        {
          type: 'obj',
          key: 'decoded',
          optional: true,
          help: 'As decoderawtransaction shows it',
          inner: [{ type: 'elision', help: '', of: WALLET_TX_MEMBERS }],
        },
        LAST_PROCESSED,
      ],
    },
  ],
  examples: [
    {
      cli: '"1075db55d416d3ca199f55b6084e2115b9345e16c5cf302fc80e9d5fbf5d48d0"',
      rpc: '"1075db55d416d3ca199f55b6084e2115b9345e16c5cf302fc80e9d5fbf5d48d0"',
    },
    {
      cli: '"1075db55d416d3ca199f55b6084e2115b9345e16c5cf302fc80e9d5fbf5d48d0" true',
      rpc: '"1075db55d416d3ca199f55b6084e2115b9345e16c5cf302fc80e9d5fbf5d48d0", true',
    },
    {
      cli: '"1075db55d416d3ca199f55b6084e2115b9345e16c5cf302fc80e9d5fbf5d48d0" false true',
      rpc: '"1075db55d416d3ca199f55b6084e2115b9345e16c5cf302fc80e9d5fbf5d48d0", false, true',
    },
  ],
};
