import { none } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const ping: MethodSpec = {
  name: 'ping',
  category: 'network',
  runs: 'node',
  description: 'Asks every peer for a sign of life. getpeerinfo shows how long they took (pingtime) or have taken so far (pingwait).',
  args: [],
  results: [none()],
  examples: [{ cli: '', rpc: '' }],
};
