import { declare } from '../../declare/parameters.js';
import { num, str } from '../../declare/parts.js';

export const stop = declare({
  name: 'stop',
  category: 'control',
  runs: 'node',
  description: 'Requests a clean stop of the node.',
  args: [num('wait?', 'Milliseconds to wait before the stop', { as: 'json', hidden: true })],
  results: [str('A message that the node is stopping')],
  examples: [],
});
