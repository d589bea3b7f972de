import { TX_MEMBERS } from '../../declare/members.js';
import { bool, hex, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const decoderawtransaction: MethodSpec = {
  name: 'decoderawtransaction',
  category: 'rawtransactions',
  runs: 'front',
  checks: 'types',
  description: 'Shows a raw transaction as an object.',
  args: [
    hex('hexstring', 'The transaction'),
    bool('iswitness', 'Whether it has a witness. When not given, both readings are tried and the sane one is taken.', {
      default: 'depends on heuristic tests',
    }),
  ],
  results: [obj(TX_MEMBERS)],
  examples: [{ cli: '"hexstring"', rpc: '"hexstring"' }],
};
