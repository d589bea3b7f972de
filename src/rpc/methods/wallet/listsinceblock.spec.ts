import { entryMembers, includeWatchOnlyArg } from '../../declare/history-parts.js';
import { arr, bool, elision, hex, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const listsinceblock: MethodSpec = {
  name: 'listsinceblock',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Lists transactions since a block. The answer names the block to ask about next time.',
  args: [
    str('blockhash?', 'List what came after this block; everything without it'),
    num('target_confirmations', 'lastblock is the block of so many confirmations', { default: '1' }),
    includeWatchOnlyArg,
    bool('include_removed', 'Also list what blocks held that left the chain since', { default: 'true' }),
    bool('include_change', 'Also list what came back as change', { since: 24, default: 'false' }),
    str('label?', 'Only what addresses of this label received', { since: 25 }),
  ],
  results: [
    obj([
      arr('transactions', 'Outputs', [obj(entryMembers(true))]),
      arr('removed?', 'The same of blocks that left the chain, newest block first', [elision({ of: [obj(entryMembers(true))] })]),
      hex('lastblock', 'Block to name in the next call'),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    {
      cli: '"000000000000000bacf66f7497b7dc45ef753ee9a7d38571037cdb1a57f663ad" 6',
      rpc: '"000000000000000bacf66f7497b7dc45ef753ee9a7d38571037cdb1a57f663ad", 6',
    },
  ],
};
