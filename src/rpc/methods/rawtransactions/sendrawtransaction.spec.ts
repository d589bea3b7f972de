import { amount, hex } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const sendrawtransaction: MethodSpec = {
  name: 'sendrawtransaction',
  category: 'rawtransactions',
  runs: 'node',
  everywhere: true,
  checks: 'types',
  description: 'Hands in a signed transaction. It is kept in the pool and sent to the peers.',
  args: [
    hex('hexstring', 'The transaction'),
    amount('maxfeerate', 'Refuse it above this feerate, in BTC/kB.\n0 takes any.', { default: '0.10' }),
    amount('maxburnamount', 'Refuse outputs that nobody can spend above this amount, in BTC', { since: 25, default: '0.00' }),
  ],
  results: [hex('The transaction id')],
  examples: [{ title: 'Send a signed transaction', cli: '"signedhex"', rpc: '"signedhex"' }],
};
