import { none, num } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const mockscheduler: MethodSpec = {
  name: 'mockscheduler',
  category: 'hidden',
  runs: 'node',
  description: 'Moves the scheduler into the future (-regtest only)',
  args: [num('delta_time', 'Seconds to move it.')],
  results: [none()],
  examples: [],
};
