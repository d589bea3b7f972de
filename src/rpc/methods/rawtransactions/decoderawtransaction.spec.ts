// Declares decoderawtransaction.
import { TX_MEMBERS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const decoderawtransaction: MethodSpec = {
  name: 'decoderawtransaction',
  category: 'rawtransactions',
  runs: 'front',
  description: 'Shows a raw transaction as an object.',
  args: [
    { name: 'hexstring', type: 'hex', help: 'The transaction' },
    {
      name: 'iswitness',
      type: 'bool',
      default: 'depends on heuristic tests',
      help: 'Whether it has a witness. When not given, both readings are tried and the sane one is taken.',
    },
  ],
  results: [{ type: 'obj', help: '', inner: TX_MEMBERS }],
  examples: [{ cli: '"hexstring"', rpc: '"hexstring"' }],
};
