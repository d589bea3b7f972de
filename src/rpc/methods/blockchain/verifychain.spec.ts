import { bool, num } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const verifychain: MethodSpec = {
  name: 'verifychain',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Checks the stored chain.',
  args: [
    num(
      'checklevel',
      'How thorough:\nlevel 0 reads the blocks, 1 checks them by themselves, 2 reads the undo data,\n3 disconnects them in memory, 4 connects them again',
      { default: '3, range=0-4' },
    ),
    num('nblocks', 'How many blocks.', { default: '6, 0=all' }),
  ],
  results: [bool('Whether all was well')],
  examples: [{ cli: '', rpc: '' }],
  waits: true,
};
