import { declare } from '../../declare/parameters.js';
import { num } from '../../declare/parts.js';

export const getnetworkhashps = declare({
  name: 'getnetworkhashps',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description:
    "Returns an estimate of the network's hashes per second over the last blocks before a height.\nWith nblocks of zero or less the estimate begins at the last change of difficulty.",
  args: [
    num('nblocks', 'Number of blocks to consider', { default: '120' }),
    num('height', 'Height for which to estimate. -1 means the tip', { default: '-1' }),
  ],
  results: [num('Hashes per second')],
  examples: [{ cli: '', rpc: '' }],
});
