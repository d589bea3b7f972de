import { declare } from '../../declare/parameters.js';
import { none, num } from '../../declare/parts.js';

export const setmocktime = declare({
  name: 'setmocktime',
  category: 'hidden',
  runs: 'node',
  description: 'Sets the clock of the node (-regtest only).',
  args: [num('timestamp', 'Seconds since 1970.\n0 returns to the real time', { as: 'int64', checked: true, typeWords: 'numeric' })],
  results: [none()],
  examples: [],
});
