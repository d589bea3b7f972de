import { spendingMembers } from '../../declare/members.js';
import { amount, bool, hex, num, obj, str, time } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getrawtransaction: MethodSpec = {
  name: 'getrawtransaction',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  description:
    'A transaction of the pool, or of a block when its hash is given; any transaction with -txindex.\nAs hex, or as an object when verbose is true; with 2 also what it spends, when it is in a block.',
  args: [
    hex('txid', 'The transaction id'),
    bool('verbose', 'false or 0 for hex, true or 1 for an object, since release 25 also 2', {
      renamed: { since: 25, name: 'verbosity|verbose' },
      anyType: true,
      default: 'false',
    }),
    hex('blockhash?', 'The block to look in'),
  ],
  results: [
    str('The transaction', { when: 'if verbose is not set or set to false' }),
    obj({ when: 'if verbose is set to true' }, [
      bool('in_active_chain?', 'Whether the given block is in the best chain'),
      num('vsize_adjusted?', 'Virtual size with signature operations, while it is in the pool', { since: 32 }),
      hex('hex', 'The transaction', { until: 22 }),
      ...spendingMembers(25),
      amount('fee?', 'The fee in BTC, with 2 of a transaction in a block', { since: 25 }),
      hex('hex', 'The transaction', { since: 22 }),
      hex('blockhash?', 'Hash of its block'),
      num('confirmations?', 'Confirmations'),
      num('time?', 'The same as "blocktime"'),
      time('blocktime?', 'Time of its block'),
    ]),
  ],
  examples: [{ cli: '"mytxid"' }, { cli: '"mytxid" true', rpc: '"mytxid", true' }, { cli: '"mytxid" true "myblockhash"' }],
};
