// Declares dumptxoutset; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const dumptxoutset: MethodSpec = {
  name: 'dumptxoutset',
  category: 'hidden',
  runs: 'node',
  description: 'Writes all unspent outputs to a file, as they stand at the tip when the call begins. The file must not exist.',
  args: [{ name: 'path', type: 'str', help: "The file. A relative path starts at the network's data folder." }],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'num', key: 'coins_written', help: 'Unspent outputs in the file' },
        { type: 'hex', key: 'base_hash', help: 'Hash of the block they stand at' },
        { type: 'num', key: 'base_height', help: 'Its height' },
        { type: 'str', key: 'path', help: 'The file with its full path' },
      ],
    },
  ],
  examples: [{ cli: 'utxo.dat' }],
  waits: true,
};
