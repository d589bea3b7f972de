import { declare } from '../../declare/parameters.js';
import { none } from '../../declare/parts.js';

export const clearbanned = declare({
  name: 'clearbanned',
  category: 'network',
  runs: 'node',
  description: 'Removes all bans.',
  args: [],
  results: [none()],
  examples: [{ cli: '', rpc: '' }],
});
