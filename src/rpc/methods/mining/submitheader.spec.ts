import { declare } from '../../declare/parameters.js';
import { hex, none } from '../../declare/parts.js';

export const submitheader = declare({
  name: 'submitheader',
  category: 'mining',
  runs: 'node',
  everywhere: true,
  description: 'Submits a block header as a candidate for the best chain. Returns an error if the header is invalid.',
  args: [hex('hexdata', 'The header, 80 bytes')],
  results: [none('if the header is valid')],
  examples: [{ cli: '"aabbcc"', rpc: '"aabbcc"' }],
});
