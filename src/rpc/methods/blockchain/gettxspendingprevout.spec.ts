import { arr, bool, hex, num, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const gettxspendingprevout: MethodSpec = {
  name: 'gettxspendingprevout',
  since: 24,
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Tells which transactions spend outputs: those of the pool, and with -txospenderindex those of blocks.',
  args: [
    arr('outputs', 'The outputs', [obj({ optional: true }, [hex('txid', 'The transaction id'), num('vout', 'The output number')])]),
    obj('options?', '', { since: 31, namedMembers: true }, [
      bool('mempool_only?', 'Look in the pool alone (default: whether there is no -txospenderindex)'),
      bool('return_spending_tx', 'Show the transaction, too', { default: 'false' }),
    ]),
  ],
  results: [
    arr([
      obj([
        hex('txid', 'The transaction id'),
        num('vout', 'The output number'),
        hex('spendingtxid?', 'What spends it, if anything does'),
        hex('spendingtx?', 'The same as hex, when asked for', { since: 31 }),
        hex('blockhash?', 'Its block, unless it is in the pool', { since: 31 }),
      ]),
    ]),
  ],
  examples: [
    {
      cli: `'[{"txid":"a08e6907dbbd3d809776dbfc5d82e371b764ed838b5655e72f463568df1aadf0","vout":3}]'`,
      rpc: '[{"txid":"a08e6907dbbd3d809776dbfc5d82e371b764ed838b5655e72f463568df1aadf0","vout":3}]',
    },
  ],
};
