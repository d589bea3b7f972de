import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { bool } from '../../declare/parts.js';

export const spec = declare({
  name: 'setnetworkactive',
  category: 'network',
  runs: 'node',
  description: 'Enables connections to peers, or closes all connections and allows no new ones.',
  args: [bool('state', 'Whether to enable the network')],
  results: [bool('The new state')],
  examples: [],
});

export const setnetworkactive: NodeRun<typeof spec> = (params, ctx) => {
  ctx.network.control.setActive(params.state);
  return ctx.network.active;
};
