import { declare } from '../../declare/parameters.js';
import { bool, hash, num } from '../../declare/parts.js';

export const prioritisetransaction = declare({
  name: 'prioritisetransaction',
  category: 'mining',
  runs: 'node',
  description:
    'Changes the fee that adit assumes for a transaction when it selects transactions for blocks. The fee that the\ntransaction pays does not change.',
  args: [
    hash('txid', 'The transaction'),
    num('dummy?', 'Old priority, must be 0 or null', { as: 'json' }),
    num('fee_delta', 'Satoshis to add (negative: to subtract), at most 2^52. Several calls add up', { as: 'json' }),
  ],
  results: [bool('Always true')],
  examples: [{ cli: '"txid" 0.0 10000', rpc: '"txid", 0.0, 10000' }],
});
