import { entryMembers, includeWatchOnlyArg } from '../../declare/history-parts.js';
import { arr, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const listtransactions: MethodSpec = {
  name: 'listtransactions',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Lists the latest transactions, oldest of them first.',
  args: [
    str('label|dummy?', 'Only what addresses of this label received; "*" for all', { renamed: { since: 29, name: 'label' } }),
    num('count', 'So many entries', { default: '10' }),
    num('skip', 'Leave out so many of the newest', { default: '0' }),
    includeWatchOnlyArg,
  ],
  results: [arr([obj(entryMembers(true))])],
  examples: [
    { cli: '', rpc: '' },
    { cli: '"*" 20 100', rpc: '"*", 20, 100' },
  ],
};
