import { declare } from '../../declare/parameters.js';
import { num } from '../../declare/parts.js';

export const uptime = declare({
  name: 'uptime',
  category: 'control',
  runs: 'front',
  description: 'Returns the number of seconds since the node started.',
  args: [],
  results: [num('The seconds')],
  examples: [{ cli: '', rpc: '' }],
});
