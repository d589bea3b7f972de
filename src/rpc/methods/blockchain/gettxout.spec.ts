// Declares gettxout.
import { SCRIPT_MEMBERS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const gettxout: MethodSpec = {
  name: 'gettxout',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'An unspent output, null when there is none.',
  args: [
    { name: 'txid', type: 'str', help: 'The transaction id' },
    { name: 'n', type: 'num', help: 'Number of the output' },
    {
      name: 'include_mempool',
      type: 'bool',
      default: 'true',
      help: 'Whether the pool counts: an output that the pool spends is not shown.',
    },
  ],
  results: [
    { type: 'none', when: 'if there is no such output', help: '' },
    {
      type: 'obj',
      when: 'otherwise',
      help: '',
      inner: [
        { type: 'hex', key: 'bestblock', help: 'Hash of the tip' },
        { type: 'num', key: 'confirmations', help: 'Confirmations' },
        { type: 'amount', key: 'value', help: 'Amount in BTC' },
        { type: 'obj', key: 'scriptPubKey', help: '', inner: SCRIPT_MEMBERS },
        { type: 'bool', key: 'coinbase', help: 'Whether it is a coinbase output' },
      ],
    },
  ],
  examples: [{ cli: '"txid" 1', rpc: '"txid", 1' }],
};
