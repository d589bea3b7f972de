// Declares generatetoaddress.
import type { MethodSpec } from '../../declare/types.js';

export const generatetoaddress: MethodSpec = {
  name: 'generatetoaddress',
  category: 'generating',
  runs: 'node',
  description: 'Mines blocks at once and pays them to an address.',
  args: [
    { name: 'nblocks', type: 'num', help: 'How many blocks' },
    { name: 'address', type: 'str', help: 'Where the coins go' },
    { name: 'maxtries', type: 'num', default: '1000000', help: 'How many hashes to try in all' },
  ],
  results: [{ type: 'arr', help: 'Hashes of the blocks', inner: [{ type: 'hex', help: 'A block hash' }] }],
  examples: [{ title: 'Eleven blocks to an address of mine', cli: '11 "myaddress"' }],
  waits: true,
};
