import { entryMembers, includeWatchOnlyArg } from '../../declare/history-parts.js';
import { declare } from '../../declare/parameters.js';
import { arr, num, obj, str } from '../../declare/parts.js';

export const listtransactions = declare({
  name: 'listtransactions',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the latest transactions, oldest first.',
  args: [
    str('label|dummy?', 'Return only outputs to addresses of this label. "*" means all', { renamed: { since: 29, name: 'label' } }),
    num('count', 'Number of entries', { default: '10' }),
    num('skip', 'Number of newest entries to skip', { default: '0' }),
    includeWatchOnlyArg,
  ],
  results: [arr([obj(entryMembers(true))])],
  examples: [
    { cli: '', rpc: '' },
    { cli: '"*" 20 100', rpc: '"*", 20, 100' },
  ],
});
