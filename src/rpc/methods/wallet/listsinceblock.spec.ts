// Declares listsinceblock.
import { entryMembers, includeWatchOnlyArg } from '../../declare/history-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const listsinceblock: MethodSpec = {
  name: 'listsinceblock',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Lists transactions since a block. The answer names the block to ask about next time.',
  args: [
    { name: 'blockhash', type: 'str', optional: true, help: 'List what came after this block; everything without it' },
    { name: 'target_confirmations', type: 'num', default: '1', help: 'lastblock is the block of so many confirmations' },
    includeWatchOnlyArg,
    { name: 'include_removed', type: 'bool', default: 'true', help: 'Also list what blocks held that left the chain since' },
    { name: 'include_change', since: 24, type: 'bool', default: 'false', help: 'Also list what came back as change' },
    { name: 'label', since: 25, type: 'str', optional: true, help: 'Only what addresses of this label received' },
  ],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'arr', key: 'transactions', help: 'Outputs', inner: [{ type: 'obj', help: '', inner: entryMembers(true) }] },
        {
          type: 'arr',
          key: 'removed',
          optional: true,
          help: 'The same of blocks that left the chain, newest block first',
          inner: [{ type: 'elision', help: '', of: [{ type: 'obj', help: '', inner: entryMembers(true) }] }],
        },
        { type: 'hex', key: 'lastblock', help: 'Block to name in the next call' },
      ],
    },
  ],
  examples: [
    { cli: '', rpc: '' },
    {
      cli: '"000000000000000bacf66f7497b7dc45ef753ee9a7d38571037cdb1a57f663ad" 6',
      rpc: '"000000000000000bacf66f7497b7dc45ef753ee9a7d38571037cdb1a57f663ad", 6',
    },
  ],
};
