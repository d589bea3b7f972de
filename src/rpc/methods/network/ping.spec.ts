import { declare } from '../../declare/parameters.js';
import { none } from '../../declare/parts.js';

export const ping = declare({
  name: 'ping',
  category: 'network',
  runs: 'node',
  description: 'Sends a ping to every peer. getpeerinfo shows the answer times as pingtime, and pings without an answer as\npingwait.',
  args: [],
  results: [none()],
  examples: [{ cli: '', rpc: '' }],
});
