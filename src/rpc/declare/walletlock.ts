// Declares walletlock; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const walletlock: MethodSpec = {
  name: 'walletlock',
  category: 'wallet',
  runs: 'node',
  description: 'Locks the wallet at once.',
  args: [],
  results: [{ type: 'none', help: '' }],
  examples: [{ cli: '', rpc: '' }],
};
