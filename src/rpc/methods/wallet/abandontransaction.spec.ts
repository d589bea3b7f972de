import { declare } from '../../declare/parameters.js';
import { hash, none } from '../../declare/parts.js';

export const abandontransaction = declare({
  name: 'abandontransaction',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description:
    'Abandons a transaction that is neither in a block nor in the mempool, and all transactions that spend its\noutputs. The wallet can then spend their inputs again.',
  args: [hash('txid', 'The transaction')],
  results: [none()],
  examples: [
    {
      cli: '"1075db55d416d3ca199f55b6084e2115b9345e16c5cf302fc80e9d5fbf5d48d0"',
      rpc: '"1075db55d416d3ca199f55b6084e2115b9345e16c5cf302fc80e9d5fbf5d48d0"',
    },
  ],
});
