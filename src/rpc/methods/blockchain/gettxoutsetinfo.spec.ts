import { declare } from '../../declare/parameters.js';
import { amount, bool, hex, num, obj, str } from '../../declare/parts.js';

export const gettxoutsetinfo = declare({
  name: 'gettxoutsetinfo',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Returns statistics of the set of unspent outputs. Without -coinstatsindex this may take some time.',
  args: [
    str('hash_type', 'Hash to compute: "hash_serialized_3", "hash_serialized_2" (before release 26), "muhash" or "none".', {
      as: 'json',
      default: 'hash_serialized_3, before release 26 hash_serialized_2',
    }),
    num('hash_or_height', 'Hash or height of the block after which to compute the statistics (only with -coinstatsindex)', {
      anyType: true,
      default: 'the tip',
      typeWords: 'string or numeric',
    }),
    bool('use_index', 'Whether to use the index if it exists', { default: 'true' }),
  ],
  results: [
    obj([
      num('height', 'Height of the block'),
      hex('bestblock', 'Hash of the block'),
      num('transactions?', 'Transactions with unspent outputs (not from the index)', { until: 22 }),
      num('txouts', 'Unspent outputs'),
      num('bogosize', 'Size of the set of unspent outputs, independent of the database'),
      hex('hash_serialized_2?', 'The hash', { until: 26 }),
      hex('hash_serialized_3?', 'The hash', { since: 26 }),
      hex('muhash?', 'The hash'),
      num('disk_size?', 'Estimated bytes on disk (not from the index)', { until: 22 }),
      amount('total_amount', 'Sum of all coins'),
      num('transactions?', 'Transactions with unspent outputs (not from the index)', { since: 22 }),
      num('disk_size?', 'Estimated bytes on disk (not from the index)', { since: 22 }),
      amount('total_unspendable_amount?', 'Coins that nobody can spend (only from the index)'),
      obj('block_info?', 'Changes by the block (only from the index)', [
        amount('prevout_spent', 'Sum of the spent outputs'),
        amount('coinbase', 'Created by the coinbase'),
        amount('new_outputs_ex_coinbase', 'Created by other transactions'),
        amount('unspendable', 'Coins that nobody can spend'),
        obj('unspendables', 'The unspendable coins by cause', [
          amount('genesis_block', 'Coinbase of the genesis block'),
          amount('bip30', 'Coinbases overwritten by a later coinbase with the same id (BIP30)'),
          amount('scripts', 'Scripts that nobody can satisfy'),
          amount('unclaimed_rewards', 'Block rewards that miners did not claim'),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }, { cli: '"none"' }, { cli: '"muhash" 1000' }],
  waits: true,
});
