// Declares abortrescan.
import type { MethodSpec } from '../../declare/types.js';

export const abortrescan: MethodSpec = {
  name: 'abortrescan',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Stops the scan under way.',
  args: [],
  results: [{ type: 'bool', help: 'Whether there was one to stop' }],
  examples: [{ cli: '', rpc: '' }],
};
