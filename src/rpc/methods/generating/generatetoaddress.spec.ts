import { declare } from '../../declare/parameters.js';
import { arr, hex, num, str } from '../../declare/parts.js';

export const generatetoaddress = declare({
  name: 'generatetoaddress',
  category: 'generating',
  moved: { since: 23, category: 'hidden' },
  runs: 'node',
  description: 'Mines blocks immediately and pays them to an address.',
  args: [
    num('nblocks', 'Number of blocks'),
    str('address', 'Address or descriptor that receives the new coins'),
    num('maxtries', 'Number of hashes to try for all blocks together', { default: '1000000' }),
  ],
  results: [arr('Hashes of the blocks', [hex('A block hash')])],
  examples: [{ title: 'Eleven blocks to an address of mine', cli: '11 "myaddress"' }],
  waits: true,
});
