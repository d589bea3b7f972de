import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { num } from '../../declare/parts.js';

export const spec = declare({
  name: 'getconnectioncount',
  category: 'network',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns the number of connections to peers.',
  args: [],
  results: [num('The number')],
  examples: [{ cli: '', rpc: '' }],
});

export const getconnectioncount: NodeRun<typeof spec> = (_, ctx) => {
  const { in: inbound, out } = ctx.network.connections();
  return inbound + out;
};
