import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { none } from '../../declare/parts.js';

export const spec = declare({
  name: 'syncwithvalidationinterfacequeue',
  category: 'hidden',
  runs: 'node',
  description: 'Waits until all events that were pending when the call arrived have been handled.',
  args: [],
  results: [none()],
  examples: [{ cli: '', rpc: '' }],
});

export const syncwithvalidationinterfacequeue: NodeRun<typeof spec> = async (_, ctx) => {
  await ctx.waitForListeners();
  return null;
};
