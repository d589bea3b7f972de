import { bool } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const abortrescan: MethodSpec = {
  name: 'abortrescan',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Stops the scan under way.',
  args: [],
  results: [bool('Whether there was one to stop')],
  examples: [{ cli: '', rpc: '' }],
};
