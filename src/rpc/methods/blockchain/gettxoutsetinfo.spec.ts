import { amount, bool, hex, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const gettxoutsetinfo: MethodSpec = {
  name: 'gettxoutsetinfo',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Statistics of the set of unspent outputs. This may take some time without -coinstatsindex.',
  args: [
    str('hash_type', 'Hash to compute: "hash_serialized_3", "hash_serialized_2" (before release 26), "muhash" or "none".', {
      default: 'hash_serialized_3, before release 26 hash_serialized_2',
    }),
    num('hash_or_height', 'After which block, by hash or height; only with -coinstatsindex', {
      anyType: true,
      default: 'the tip',
      typeWords: 'string or numeric',
    }),
    bool('use_index', 'Whether to ask the index, when there is one', { default: 'true' }),
  ],
  results: [
    obj([
      num('height', 'Height of the block'),
      hex('bestblock', 'Hash of the block'),
      num('transactions?', 'Transactions with unspent outputs (not from the index)', { until: 22 }),
      num('txouts', 'Unspent outputs'),
      num('bogosize', 'A size that does not depend on the database'),
      hex('hash_serialized_2?', 'The hash', { until: 26 }),
      hex('hash_serialized_3?', 'The hash', { since: 26 }),
      hex('muhash?', 'The hash'),
      num('disk_size?', 'Estimated bytes on disk (not from the index)', { until: 22 }),
      amount('total_amount', 'All coins'),
      num('transactions?', 'Transactions with unspent outputs (not from the index)', { since: 22 }),
      num('disk_size?', 'Estimated bytes on disk (not from the index)', { since: 22 }),
      amount('total_unspendable_amount?', 'Coins lost for ever (only from the index)'),
      obj('block_info?', 'What the block did (only from the index)', [
        amount('prevout_spent', 'Spent'),
        amount('coinbase', 'Created by the coinbase'),
        amount('new_outputs_ex_coinbase', 'Created by other transactions'),
        amount('unspendable', 'Lost for ever'),
        obj('unspendables', 'In which way', [
          amount('genesis_block', 'The first block'),
          amount('bip30', 'Overwritten by an equal coinbase'),
          amount('scripts', 'Scripts that nobody can satisfy'),
          amount('unclaimed_rewards', 'Rewards the miner did not claim'),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }, { cli: '"none"' }, { cli: '"muhash" 1000' }],
  waits: true,
};
