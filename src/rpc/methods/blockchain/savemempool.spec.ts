// Declares savemempool.
import type { MethodSpec } from '../../declare/types.js';

export const savemempool: MethodSpec = {
  name: 'savemempool',
  category: 'blockchain',
  runs: 'node',
  description: 'Writes the pool to mempool.dat now. Refused until the saved pool of the last run is loaded.',
  args: [],
  results: [
    { type: 'none', until: 23, help: '' },
    { type: 'obj', since: 23, help: '', inner: [{ type: 'str', key: 'filename', help: 'The file' }] },
  ],
  examples: [{ cli: '', rpc: '' }],
};
