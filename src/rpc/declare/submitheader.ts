// Declares submitheader; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const submitheader: MethodSpec = {
  name: 'submitheader',
  category: 'mining',
  runs: 'node',
  everywhere: true,
  description: 'Hands in a block header as a candidate for the best chain. Raises an error when it is not valid.',
  args: [{ name: 'hexdata', type: 'hex', help: 'The header, 80 bytes' }],
  results: [{ type: 'none', help: 'when the header is valid' }],
  examples: [{ cli: '"aabbcc"', rpc: '"aabbcc"' }],
};
