import { spendingMembers } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { amount, bool, hash, hex, num, obj, str, time } from '../../declare/parts.js';

export const getrawtransaction = declare({
  name: 'getrawtransaction',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description:
    'Returns a transaction from the mempool, or from a block if its hash is given. With -txindex it finds any\ntransaction.\nThe result is hex, or an object if verbose is true. With verbosity 2 the object also has the outputs that the\ninputs spend, if the transaction is in a block.',
  args: [
    hash('txid', 'The transaction id', { errorName: 'parameter 1' }),
    bool('verbose', 'false or 0 for hex, true or 1 for an object. Since release 25 also 2, for an object with the spent outputs', {
      renamed: { since: 25, name: 'verbosity|verbose' },
      anyType: true,
      default: 'false',
    }),
    hash('blockhash?', 'Hash of the block that contains the transaction', { errorName: 'parameter 3' }),
  ],
  results: [
    str('The transaction', { when: 'if verbose is not set or set to false' }),
    obj({ when: 'if verbose is set to true' }, [
      bool('in_active_chain?', 'Whether the given block is in the best chain'),
      num('vsize_adjusted?', 'Virtual size, adjusted for signature operations. Only for a transaction in the mempool', { since: 32 }),
      hex('hex', 'The transaction', { until: 22 }),
      ...spendingMembers(25),
      amount('fee?', 'The fee in BTC. Only with verbosity 2 and for a transaction in a block', { since: 25 }),
      hex('hex', 'The transaction', { since: 22 }),
      hex('blockhash?', 'Hash of its block'),
      num('confirmations?', 'Confirmations'),
      num('time?', 'The same as "blocktime"'),
      time('blocktime?', 'Time of the block'),
    ]),
  ],
  examples: [{ cli: '"mytxid"' }, { cli: '"mytxid" true', rpc: '"mytxid", true' }, { cli: '"mytxid" true "myblockhash"' }],
});
