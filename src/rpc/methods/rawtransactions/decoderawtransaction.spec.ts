import { TX_MEMBERS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { bool, hex, obj } from '../../declare/parts.js';

export const decoderawtransaction = declare({
  name: 'decoderawtransaction',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types',
  description: 'Returns a serialized transaction as an object.',
  args: [
    hex('hexstring', 'The transaction'),
    bool('iswitness', 'Whether the transaction has witnesses. If omitted, both formats are tried and the plausible one is used', {
      default: 'depends on heuristic tests',
    }),
  ],
  results: [obj(TX_MEMBERS)],
  examples: [{ cli: '"hexstring"', rpc: '"hexstring"' }],
});
