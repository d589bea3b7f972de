// Declares walletlock.
import type { MethodSpec } from '../../declare/types.js';

export const walletlock: MethodSpec = {
  name: 'walletlock',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Locks the wallet at once.',
  args: [],
  results: [{ type: 'none', help: '' }],
  examples: [{ cli: '', rpc: '' }],
};
