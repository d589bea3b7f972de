import { none, num } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const mockscheduler: MethodSpec = {
  name: 'mockscheduler',
  category: 'hidden',
  runs: 'node',
  description: 'Advances the scheduler by some seconds (-regtest only).',
  args: [num('delta_time', 'Seconds to advance the scheduler by')],
  results: [none()],
  examples: [],
};
