import { entryMembers, includeWatchOnlyArg } from '../../declare/history-parts.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, elision, hex, num, obj, str } from '../../declare/parts.js';

export const listsinceblock = declare({
  name: 'listsinceblock',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the transactions since a block. The reply names the block for the next call.',
  args: [
    str('blockhash?', 'Hash of the block after which to list transactions. If omitted, all transactions are listed'),
    num('target_confirmations', 'lastblock of the reply is the block with this number of confirmations', { default: '1' }),
    includeWatchOnlyArg,
    bool('include_removed', 'Include transactions of blocks that have been disconnected since', { default: 'true' }),
    bool('include_change', 'Include change outputs', { since: 24, default: 'false' }),
    str('label?', 'Return only outputs to addresses of this label', { since: 25 }),
  ],
  results: [
    obj([
      arr('transactions', 'Outputs', [obj(entryMembers(true))]),
      arr('removed?', 'Transactions of disconnected blocks, newest block first', [elision({ of: [obj(entryMembers(true))] })]),
      hex('lastblock', 'The block for the next call'),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    {
      cli: '"000000000000000bacf66f7497b7dc45ef753ee9a7d38571037cdb1a57f663ad" 6',
      rpc: '"000000000000000bacf66f7497b7dc45ef753ee9a7d38571037cdb1a57f663ad", 6',
    },
  ],
});
