import { num, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const stop: MethodSpec = {
  name: 'stop',
  category: 'control',
  runs: 'node',
  description: 'Asks the server to stop.',
  args: [num('wait?', 'Milliseconds to wait first', { hidden: true })],
  results: [str('A text that it is stopping')],
  examples: [],
};
