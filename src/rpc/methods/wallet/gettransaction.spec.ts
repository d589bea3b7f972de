import { entryMembers, includeWatchOnlyArg, transactionMembers } from '../../declare/history-parts.js';
import { LAST_PROCESSED, WALLET_TX_MEMBERS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, elision, hex, obj, str } from '../../declare/parts.js';

export const gettransaction = declare({
  name: 'gettransaction',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns a transaction of the wallet.',
  args: [
    str('txid', 'The transaction', { as: 'hash' }),
    includeWatchOnlyArg,
    bool('verbose', 'Return the decoded transaction too', { default: 'false' }),
  ],
  results: [
    obj([
      amount('amount', 'Change of the balance in BTC, without the fee'),
      amount('fee?', 'Fee (negative). Only for transactions from this wallet'),
      ...transactionMembers,
      arr('details', 'Outputs and inputs that concern the wallet', [obj(entryMembers(false))]),
      hex('hex', 'The transaction'),
      obj('decoded?', 'The transaction, as decoderawtransaction returns it', [elision({ of: WALLET_TX_MEMBERS })]),
      LAST_PROCESSED,
    ]),
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
});
