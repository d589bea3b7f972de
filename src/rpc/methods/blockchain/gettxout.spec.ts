import { SCRIPT_MEMBERS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { amount, bool, hex, none, num, obj, str } from '../../declare/parts.js';

export const gettxout = declare({
  name: 'gettxout',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns an unspent output, or null if there is none.',
  args: [
    str('txid', 'The transaction id', { as: 'hash' }),
    num('n', 'Number of the output', { as: 'json' }),
    bool('include_mempool', 'Whether to consider the mempool. Outputs that a transaction in the mempool spends are then not returned', {
      default: 'true',
    }),
  ],
  results: [
    none({ when: 'if there is no such output' }),
    obj({ when: 'otherwise' }, [
      hex('bestblock', 'Hash of the tip'),
      num('confirmations', 'Confirmations'),
      amount('value', 'Amount in BTC'),
      obj('scriptPubKey', '', SCRIPT_MEMBERS),
      bool('coinbase', 'Whether the output belongs to a coinbase'),
    ]),
  ],
  examples: [{ cli: '"txid" 1', rpc: '"txid", 1' }],
});
