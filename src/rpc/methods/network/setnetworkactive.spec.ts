import { bool } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const setnetworkactive: MethodSpec = {
  name: 'setnetworkactive',
  category: 'network',
  runs: 'node',
  description: 'Allows connections to peers, or ends them all and allows none.',
  args: [bool('state', 'Whether peers are wanted.')],
  results: [bool('The state from now on')],
  examples: [],
};
