import { declare } from '../../declare/parameters.js';
import { arr, hex, str } from '../../declare/parts.js';

export const combinerawtransaction = declare({
  name: 'combinerawtransaction',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  description: 'Combines the signatures of several versions of one transaction.',
  args: [arr('txs', 'Versions of one transaction', [hex('hexstring?', 'A partially signed version as hex')])],
  results: [str('The transaction with all signatures')],
  examples: [{ cli: '"[\\"myhex1\\", \\"myhex2\\"]"', rpc: '"[\\"myhex1\\", \\"myhex2\\"]"' }],
});
