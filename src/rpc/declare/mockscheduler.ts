// Declares mockscheduler; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const mockscheduler: MethodSpec = {
  name: 'mockscheduler',
  category: 'hidden',
  runs: 'node',
  description: 'Moves the scheduler into the future (-regtest only)',
  args: [{ name: 'delta_time', type: 'num', help: 'Seconds to move it.' }],
  results: [{ type: 'none', help: '' }],
  examples: [],
};
