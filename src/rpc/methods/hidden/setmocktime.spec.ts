// Declares setmocktime.
import type { MethodSpec } from '../../declare/types.js';

export const setmocktime: MethodSpec = {
  name: 'setmocktime',
  category: 'hidden',
  runs: 'node',
  description: 'Sets the clock of the node (-regtest only)',
  args: [{ name: 'timestamp', type: 'num', help: 'Seconds since 1970.\n0 goes back to the real time.', typeWords: 'numeric' }],
  results: [{ type: 'none', help: '' }],
  examples: [],
};
