// Declares sendrawtransaction.
import type { MethodSpec } from '../../declare/types.js';

export const sendrawtransaction: MethodSpec = {
  name: 'sendrawtransaction',
  category: 'rawtransactions',
  runs: 'node',
  everywhere: true,
  description: 'Hands in a signed transaction. It is kept in the pool and sent to the peers.',
  args: [
    { name: 'hexstring', type: 'hex', help: 'The transaction' },
    { name: 'maxfeerate', type: 'amount', default: '0.10', help: 'Refuse it above this feerate, in BTC/kB.\n0 takes any.' },
    {
      name: 'maxburnamount',
      since: 25,
      type: 'amount',
      default: '0.00',
      help: 'Refuse outputs that nobody can spend above this amount, in BTC',
    },
  ],
  results: [{ type: 'hex', help: 'The transaction id' }],
  examples: [{ title: 'Send a signed transaction', cli: '"signedhex"', rpc: '"signedhex"' }],
};
