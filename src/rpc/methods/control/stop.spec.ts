// Declares stop.
import type { MethodSpec } from '../../declare/types.js';

export const stop: MethodSpec = {
  name: 'stop',
  category: 'control',
  runs: 'node',
  description: 'Asks the server to stop.',
  args: [{ name: 'wait', type: 'num', optional: true, help: 'Milliseconds to wait first', hidden: true }],
  results: [{ type: 'str', help: 'A text that it is stopping' }],
  examples: [],
};
