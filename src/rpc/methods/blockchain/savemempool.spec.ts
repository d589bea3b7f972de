import { declare } from '../../declare/parameters.js';
import { none, obj, str } from '../../declare/parts.js';

export const savemempool = declare({
  name: 'savemempool',
  category: 'blockchain',
  runs: 'node',
  description: 'Writes the mempool to mempool.dat. The call fails until the mempool of the last run has been loaded.',
  args: [],
  results: [none({ until: 23 }), obj({ since: 23 }, [str('filename', 'The file')])],
  examples: [{ cli: '', rpc: '' }],
});
