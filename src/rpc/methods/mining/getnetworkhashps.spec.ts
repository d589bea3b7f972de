// Declares getnetworkhashps.
import type { MethodSpec } from '../../declare/types.js';

export const getnetworkhashps: MethodSpec = {
  name: 'getnetworkhashps',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description:
    'Estimates the hashes per second of the network over the last blocks before a height.\nNumbers up to zero for nblocks mean since the last change of difficulty.',
  args: [
    { name: 'nblocks', type: 'num', default: '120', help: 'How many blocks to look back' },
    { name: 'height', type: 'num', default: '-1', help: 'Estimate as of this height; -1 is the tip' },
  ],
  results: [{ type: 'num', help: 'Hashes per second' }],
  examples: [{ cli: '', rpc: '' }],
};
