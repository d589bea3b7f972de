// Declares gettxoutsetinfo.
import type { MethodSpec } from '../../declare/types.js';

export const gettxoutsetinfo: MethodSpec = {
  name: 'gettxoutsetinfo',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Statistics of the set of unspent outputs. This may take some time without -coinstatsindex.',
  args: [
    {
      name: 'hash_type',
      type: 'str',
      default: 'hash_serialized_2',
      help: 'Which hash to make: "hash_serialized_2", "muhash" or "none".',
    },
    {
      name: 'hash_or_height',
      type: 'num',
      anyType: true,
      default: 'the tip',
      help: 'After which block, by hash or height; only with -coinstatsindex',
      typeWords: 'string or numeric',
    },
    { name: 'use_index', type: 'bool', default: 'true', help: 'Whether to ask the index, when there is one' },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'num', key: 'height', help: 'Height of the block' },
        { type: 'hex', key: 'bestblock', help: 'Hash of the block' },
        { type: 'num', key: 'transactions', until: 22, optional: true, help: 'Transactions with unspent outputs (not from the index)' },
        { type: 'num', key: 'txouts', help: 'Unspent outputs' },
        { type: 'num', key: 'bogosize', help: 'A size that does not depend on the database' },
        { type: 'hex', key: 'hash_serialized_2', optional: true, help: 'The hash' },
        { type: 'hex', key: 'muhash', optional: true, help: 'The hash' },
        { type: 'num', key: 'disk_size', until: 22, optional: true, help: 'Estimated bytes on disk (not from the index)' },
        { type: 'amount', key: 'total_amount', help: 'All coins' },
        { type: 'num', key: 'transactions', since: 22, optional: true, help: 'Transactions with unspent outputs (not from the index)' },
        { type: 'num', key: 'disk_size', since: 22, optional: true, help: 'Estimated bytes on disk (not from the index)' },
        { type: 'amount', key: 'total_unspendable_amount', optional: true, help: 'Coins lost for ever (only from the index)' },
        {
          type: 'obj',
          key: 'block_info',
          optional: true,
          help: 'What the block did (only from the index)',
          inner: [
            { type: 'amount', key: 'prevout_spent', help: 'Spent' },
            { type: 'amount', key: 'coinbase', help: 'Created by the coinbase' },
            { type: 'amount', key: 'new_outputs_ex_coinbase', help: 'Created by other transactions' },
            { type: 'amount', key: 'unspendable', help: 'Lost for ever' },
            {
              type: 'obj',
              key: 'unspendables',
              help: 'In which way',
              inner: [
                { type: 'amount', key: 'genesis_block', help: 'The first block' },
                { type: 'amount', key: 'bip30', help: 'Overwritten by an equal coinbase' },
                { type: 'amount', key: 'scripts', help: 'Scripts that nobody can satisfy' },
                { type: 'amount', key: 'unclaimed_rewards', help: 'Rewards the miner did not claim' },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }, { cli: '"none"' }, { cli: '"muhash" 1000' }],
  waits: true,
};
