// Declares combinerawtransaction.
import type { MethodSpec } from '../../declare/types.js';

export const combinerawtransaction: MethodSpec = {
  name: 'combinerawtransaction',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  description: 'Puts together the signatures of several versions of one transaction.',
  args: [
    {
      name: 'txs',
      type: 'arr',
      help: 'Versions of one transaction',
      inner: [{ name: 'hexstring', type: 'hex', optional: true, help: 'A version, signed in part' }],
    },
  ],
  results: [{ type: 'str', help: 'The transaction with all signatures' }],
  examples: [{ cli: '"[\\"myhex1\\", \\"myhex2\\"]"', rpc: '"[\\"myhex1\\", \\"myhex2\\"]"' }],
};
