// Declares listwallets; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const listwallets: MethodSpec = {
  name: 'listwallets',
  category: 'wallet',
  runs: 'node',
  repeatable: true,
  description: 'Lists the wallets that are loaded.',
  args: [],
  results: [{ type: 'arr', help: '', inner: [{ type: 'str', help: 'Name of a wallet' }] }],
  examples: [{ cli: '', rpc: '' }],
};
