import { num } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const uptime: MethodSpec = {
  name: 'uptime',
  category: 'control',
  runs: 'front',
  description: 'Returns the number of seconds since the node started.',
  args: [],
  results: [num('The seconds')],
  examples: [{ cli: '', rpc: '' }],
};
