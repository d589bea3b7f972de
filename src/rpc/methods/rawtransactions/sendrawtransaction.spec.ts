import { declare } from '../../declare/parameters.js';
import { amount, hex } from '../../declare/parts.js';

export const sendrawtransaction = declare({
  name: 'sendrawtransaction',
  category: 'rawtransactions',
  runs: 'node',
  everywhere: true,
  checks: 'types',
  description: 'Submits a signed transaction to the mempool and announces it to peers.',
  args: [
    hex('hexstring', 'The transaction'),
    amount('maxfeerate', 'Refuse the transaction above this fee rate, in BTC/kB.\n0 accepts any fee rate', { default: '0.10' }),
    amount('maxburnamount', 'Refuse transactions whose unspendable outputs exceed this amount, in BTC', {
      seesAbsence: true,
      since: 25,
      default: '0.00',
    }),
  ],
  results: [hex('The transaction id')],
  examples: [{ title: 'Send a signed transaction', cli: '"signedhex"', rpc: '"signedhex"' }],
});
