import { declare } from '../../declare/parameters.js';
import { none, num } from '../../declare/parts.js';

export const mockscheduler = declare({
  name: 'mockscheduler',
  category: 'hidden',
  runs: 'node',
  description: 'Advances the scheduler by some seconds (-regtest only).',
  args: [num('delta_time', 'Seconds to advance the scheduler by', { as: 'int64', checked: true })],
  results: [none()],
  examples: [],
});
