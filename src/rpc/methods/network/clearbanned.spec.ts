// Declares clearbanned.
import type { MethodSpec } from '../../declare/types.js';

export const clearbanned: MethodSpec = {
  name: 'clearbanned',
  category: 'network',
  runs: 'node',
  description: 'Lifts all bans.',
  args: [],
  results: [{ type: 'none', help: '' }],
  examples: [{ cli: '', rpc: '' }],
};
