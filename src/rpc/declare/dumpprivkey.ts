// Declares dumpprivkey; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const dumpprivkey: MethodSpec = {
  name: 'dumpprivkey',
  category: 'wallet',
  runs: 'node',
  repeatable: true,
  description: 'Shows the private key of an address.',
  args: [{ name: 'address', type: 'str', help: 'The address' }],
  results: [{ type: 'str', help: 'The key in WIF' }],
  examples: [{ cli: '"myaddress"', rpc: '"myaddress"' }],
};
