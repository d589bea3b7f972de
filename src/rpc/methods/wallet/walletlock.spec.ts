import { none } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const walletlock: MethodSpec = {
  name: 'walletlock',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description: 'Locks the wallet.',
  args: [],
  results: [none()],
  examples: [{ cli: '', rpc: '' }],
};
