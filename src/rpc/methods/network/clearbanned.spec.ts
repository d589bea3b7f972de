import { none } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const clearbanned: MethodSpec = {
  name: 'clearbanned',
  category: 'network',
  runs: 'node',
  description: 'Removes all bans.',
  args: [],
  results: [none()],
  examples: [{ cli: '', rpc: '' }],
};
