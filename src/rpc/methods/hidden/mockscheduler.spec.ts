// Declares mockscheduler.
import type { MethodSpec } from '../../declare/types.js';

export const mockscheduler: MethodSpec = {
  name: 'mockscheduler',
  category: 'hidden',
  runs: 'node',
  description: 'Moves the scheduler into the future (-regtest only)',
  args: [{ name: 'delta_time', type: 'num', help: 'Seconds to move it.' }],
  results: [{ type: 'none', help: '' }],
  examples: [],
};
