// Declares getrawtransaction; types.ts says what a declaration is for.
import { TX_MEMBERS } from './members.js';
import type { MethodSpec } from './types.js';

export const getrawtransaction: MethodSpec = {
  name: 'getrawtransaction',
  category: 'rawtransactions',
  runs: 'node',
  description:
    'A transaction of the pool, or of a block when its hash is given; any transaction with -txindex.\nAs hex, or as an object when verbose is true.',
  args: [
    { name: 'txid', type: 'hex', help: 'The transaction id' },
    {
      name: 'verbose',
      renamed: { since: 25, name: 'verbosity|verbose' },
      anyType: true,
      type: 'bool',
      default: 'false',
      help: 'false for hex, true for an object',
    },
    { name: 'blockhash', type: 'hex', optional: true, help: 'The block to look in' },
  ],
  results: [
    { type: 'str', when: 'if verbose is not set or set to false', help: 'The transaction' },
    {
      type: 'obj',
      when: 'if verbose is set to true',
      help: '',
      inner: [
        { type: 'bool', key: 'in_active_chain', optional: true, help: 'Whether the given block is in the best chain' },
        { type: 'hex', key: 'hex', until: 22, help: 'The transaction' },
        ...TX_MEMBERS,
        { type: 'hex', key: 'hex', since: 22, help: 'The transaction' },
        { type: 'hex', key: 'blockhash', optional: true, help: 'Hash of its block' },
        { type: 'num', key: 'confirmations', optional: true, help: 'Confirmations' },
        { type: 'num', key: 'time', optional: true, help: 'The same as "blocktime"' },
        { type: 'num-time', key: 'blocktime', optional: true, help: 'Time of its block' },
      ],
    },
  ],
  examples: [{ cli: '"mytxid"' }, { cli: '"mytxid" true', rpc: '"mytxid", true' }, { cli: '"mytxid" true "myblockhash"' }],
};
