import { declare } from '../../declare/parameters.js';
import { arr, bool, hex, num, obj } from '../../declare/parts.js';

export const gettxspendingprevout = declare({
  name: 'gettxspendingprevout',
  since: 24,
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description:
    'Returns the transactions that spend the given outputs. The call searches the mempool, and with\n-txospenderindex also the blocks.',
  args: [
    arr('outputs', 'The outputs', [obj({ optional: true }, [hex('txid', 'The transaction id'), num('vout', 'The output number')])]),
    obj('options?', '', { since: 31, namedMembers: true }, [
      bool('mempool_only?', 'Search only the mempool (default: true without -txospenderindex, otherwise false)'),
      bool('return_spending_tx', 'Return the spending transaction too', { default: 'false' }),
    ]),
  ],
  results: [
    arr([
      obj([
        hex('txid', 'The transaction id'),
        num('vout', 'The output number'),
        hex('spendingtxid?', 'Id of the spending transaction. Absent if the output is not spent'),
        hex('spendingtx?', 'The spending transaction as hex, if requested', { since: 31 }),
        hex('blockhash?', 'Hash of the block of the transaction. Absent for a transaction in the mempool', { since: 31 }),
      ]),
    ]),
  ],
  examples: [
    {
      cli: `'[{"txid":"a08e6907dbbd3d809776dbfc5d82e371b764ed838b5655e72f463568df1aadf0","vout":3}]'`,
      rpc: '[{"txid":"a08e6907dbbd3d809776dbfc5d82e371b764ed838b5655e72f463568df1aadf0","vout":3}]',
    },
  ],
});
