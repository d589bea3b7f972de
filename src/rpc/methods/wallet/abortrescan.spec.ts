import { bool } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const abortrescan: MethodSpec = {
  name: 'abortrescan',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Stops the current scan.',
  args: [],
  results: [bool('Whether there was a scan to stop')],
  examples: [{ cli: '', rpc: '' }],
};
