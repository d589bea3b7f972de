// Declares listtransactions; types.ts says what a declaration is for.
import { entryMembers, includeWatchOnlyArg } from './history-parts.js';
import type { MethodSpec } from './types.js';

export const listtransactions: MethodSpec = {
  name: 'listtransactions',
  category: 'wallet',
  runs: 'node',
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
