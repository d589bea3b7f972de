import { none, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const savemempool: MethodSpec = {
  name: 'savemempool',
  category: 'blockchain',
  runs: 'node',
  description: 'Writes the pool to mempool.dat now. Refused until the saved pool of the last run is loaded.',
  args: [],
  results: [none({ until: 23 }), obj({ since: 23 }, [str('filename', 'The file')])],
  examples: [{ cli: '', rpc: '' }],
};
