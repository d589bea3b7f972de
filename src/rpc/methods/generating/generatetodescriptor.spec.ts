// Declares generatetodescriptor.
import type { MethodSpec } from '../../declare/types.js';

export const generatetodescriptor: MethodSpec = {
  name: 'generatetodescriptor',
  category: 'generating',
  runs: 'node',
  description: 'Mines blocks at once and pays them to a descriptor.',
  args: [
    { name: 'num_blocks', type: 'num', help: 'How many blocks' },
    { name: 'descriptor', type: 'str', holds: 'descriptor', help: 'Where the coins go' },
    { name: 'maxtries', type: 'num', default: '1000000', help: 'How many hashes to try in all' },
  ],
  results: [{ type: 'arr', help: 'Hashes of the blocks', inner: [{ type: 'hex', help: 'A block hash' }] }],
  examples: [{ title: 'Eleven blocks to a descriptor of mine', cli: '11 "mydesc"' }],
  waits: true,
};
