import { hex, none } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const submitheader: MethodSpec = {
  name: 'submitheader',
  category: 'mining',
  runs: 'node',
  everywhere: true,
  description: 'Hands in a block header as a candidate for the best chain. Raises an error when it is not valid.',
  args: [hex('hexdata', 'The header, 80 bytes')],
  results: [none('when the header is valid')],
  examples: [{ cli: '"aabbcc"', rpc: '"aabbcc"' }],
};
