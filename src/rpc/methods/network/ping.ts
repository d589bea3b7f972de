import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { none } from '../../declare/parts.js';

export const spec = declare({
  name: 'ping',
  category: 'network',
  runs: 'node',
  description: 'Sends a ping to every peer. getpeerinfo shows the answer times as pingtime, and pings without an answer as\npingwait.',
  args: [],
  results: [none()],
  examples: [{ cli: '', rpc: '' }],
});

export const ping: NodeRun<typeof spec> = (_, ctx) => {
  ctx.network.control.pingAll();
  return null;
};
