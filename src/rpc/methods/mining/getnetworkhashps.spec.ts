import { num } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getnetworkhashps: MethodSpec = {
  name: 'getnetworkhashps',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description:
    'Estimates the hashes per second of the network over the last blocks before a height.\nNumbers up to zero for nblocks mean since the last change of difficulty.',
  args: [
    num('nblocks', 'How many blocks to look back', { default: '120' }),
    num('height', 'Estimate as of this height; -1 is the tip', { default: '-1' }),
  ],
  results: [num('Hashes per second')],
  examples: [{ cli: '', rpc: '' }],
};
