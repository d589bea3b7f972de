// Declares verifychain.
import type { MethodSpec } from '../../declare/types.js';

export const verifychain: MethodSpec = {
  name: 'verifychain',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Checks the stored chain.',
  args: [
    {
      name: 'checklevel',
      type: 'num',
      default: '3, range=0-4',
      help: 'How thorough:\nlevel 0 reads the blocks, 1 checks them by themselves, 2 reads the undo data,\n3 disconnects them in memory, 4 connects them again',
    },
    { name: 'nblocks', type: 'num', default: '6, 0=all', help: 'How many blocks.' },
  ],
  results: [{ type: 'bool', help: 'Whether all was well' }],
  examples: [{ cli: '', rpc: '' }],
  waits: true,
};
