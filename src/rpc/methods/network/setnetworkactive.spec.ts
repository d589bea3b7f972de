// Declares setnetworkactive.
import type { MethodSpec } from '../../declare/types.js';

export const setnetworkactive: MethodSpec = {
  name: 'setnetworkactive',
  category: 'network',
  runs: 'node',
  description: 'Allows connections to peers, or ends them all and allows none.',
  args: [{ name: 'state', type: 'bool', help: 'Whether peers are wanted.' }],
  results: [{ type: 'bool', help: 'The state from now on' }],
  examples: [],
};
