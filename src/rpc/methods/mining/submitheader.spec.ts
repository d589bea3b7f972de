// Declares submitheader.
import type { MethodSpec } from '../../declare/types.js';

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
