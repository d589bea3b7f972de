import { declare } from '../../declare/parameters.js';
import { bool } from '../../declare/parts.js';

export const setnetworkactive = declare({
  name: 'setnetworkactive',
  category: 'network',
  runs: 'node',
  description: 'Enables connections to peers, or closes all connections and allows no new ones.',
  args: [bool('state', 'Whether to enable the network')],
  results: [bool('The new state')],
  examples: [],
});
