import { declare } from '../../declare/parameters.js';
import { arr, hex, num, str } from '../../declare/parts.js';

export const generatetodescriptor = declare({
  name: 'generatetodescriptor',
  category: 'generating',
  moved: { since: 23, category: 'hidden' },
  runs: 'node',
  description: 'Mines blocks immediately and pays them to a descriptor.',
  args: [
    num('num_blocks', 'Number of blocks'),
    str('descriptor', 'Address or descriptor that receives the new coins', { holds: 'descriptor' }),
    num('maxtries', 'Number of hashes to try for all blocks together', { default: '1000000' }),
  ],
  results: [arr('Hashes of the blocks', [hex('A block hash')])],
  examples: [{ title: 'Eleven blocks to a descriptor of mine', cli: '11 "mydesc"' }],
  waits: true,
});
