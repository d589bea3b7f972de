// Declares getrawtransaction.
import { spendingMembers } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const getrawtransaction: MethodSpec = {
  name: 'getrawtransaction',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  description:
    'A transaction of the pool, or of a block when its hash is given; any transaction with -txindex.\nAs hex, or as an object when verbose is true; with 2 also what it spends, when it is in a block.',
  args: [
    { name: 'txid', type: 'hex', help: 'The transaction id' },
    {
      name: 'verbose',
      renamed: { since: 25, name: 'verbosity|verbose' },
      anyType: true,
      type: 'bool',
      default: 'false',
      help: 'false or 0 for hex, true or 1 for an object, since release 25 also 2',
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
        {
          type: 'num',
          key: 'vsize_adjusted',
          since: 32,
          optional: true,
          help: 'Virtual size with signature operations, while it is in the pool',
        },
        { type: 'hex', key: 'hex', until: 22, help: 'The transaction' },
        ...spendingMembers(25),
        { type: 'amount', key: 'fee', since: 25, optional: true, help: 'The fee in BTC, with 2 of a transaction in a block' },
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
