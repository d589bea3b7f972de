import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { none } from '../../declare/parts.js';

export const spec = declare({
  name: 'clearbanned',
  category: 'network',
  runs: 'node',
  description: 'Removes all bans.',
  args: [],
  results: [none()],
  examples: [{ cli: '', rpc: '' }],
});

export const clearbanned: NodeRun<typeof spec> = (_, ctx) => {
  ctx.network.control.clearBans();
  return null;
};
