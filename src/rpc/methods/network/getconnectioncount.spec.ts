import { num } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getconnectioncount: MethodSpec = {
  name: 'getconnectioncount',
  category: 'network',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the number of connections to peers.',
  args: [],
  results: [num('The number')],
  examples: [{ cli: '', rpc: '' }],
};
