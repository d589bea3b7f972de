import { arr, hex, num, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const generatetodescriptor: MethodSpec = {
  name: 'generatetodescriptor',
  category: 'generating',
  moved: { since: 23, category: 'hidden' },
  runs: 'node',
  description: 'Mines blocks at once and pays them to a descriptor.',
  args: [
    num('num_blocks', 'How many blocks'),
    str('descriptor', 'Where the coins go', { holds: 'descriptor' }),
    num('maxtries', 'How many hashes to try in all', { default: '1000000' }),
  ],
  results: [arr('Hashes of the blocks', [hex('A block hash')])],
  examples: [{ title: 'Eleven blocks to a descriptor of mine', cli: '11 "mydesc"' }],
  waits: true,
};
