import { declare } from '../../declare/parameters.js';
import { num } from '../../declare/parts.js';

export const getconnectioncount = declare({
  name: 'getconnectioncount',
  category: 'network',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the number of connections to peers.',
  args: [],
  results: [num('The number')],
  examples: [{ cli: '', rpc: '' }],
});
