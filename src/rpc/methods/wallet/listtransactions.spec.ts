// Declares listtransactions.
import { entryMembers, includeWatchOnlyArg } from '../../declare/history-parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const listtransactions: MethodSpec = {
  name: 'listtransactions',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Lists the latest transactions, oldest of them first.',
  args: [
    {
      name: 'label|dummy',
      renamed: { since: 29, name: 'label' },
      type: 'str',
      optional: true,
      help: 'Only what addresses of this label received; "*" for all',
    },
    { name: 'count', type: 'num', default: '10', help: 'So many entries' },
    { name: 'skip', type: 'num', default: '0', help: 'Leave out so many of the newest' },
    includeWatchOnlyArg,
  ],
  results: [{ type: 'arr', help: '', inner: [{ type: 'obj', help: '', inner: entryMembers(true) }] }],
  examples: [
    { cli: '', rpc: '' },
    { cli: '"*" 20 100', rpc: '"*", 20, 100' },
  ],
};
