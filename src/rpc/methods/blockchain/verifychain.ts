import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { bool, num } from '../../declare/parts.js';

export const spec = declare({
  name: 'verifychain',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'Verifies the stored chain.',
  args: [
    num(
      'checklevel',
      'How thorough the check is:\nlevel 0 reads the blocks, 1 also checks the rules without context, 2 also reads the undo data,\n3 also disconnects the blocks in memory, 4 also connects them again',
      { default: '3, range=0-4' },
    ),
    num('nblocks', 'Number of blocks to check', { default: '6, 0=all' }),
  ],
  results: [bool('Whether all checks passed')],
  examples: [{ cli: '', rpc: '' }],
  waits: true,
});

const DEFAULT_CHECK_LEVEL = 3;

const DEFAULT_CHECK_BLOCKS = 6;

export const verifychain: NodeRun<typeof spec> = (
  { checklevel: level = DEFAULT_CHECK_LEVEL, nblocks: blocks = DEFAULT_CHECK_BLOCKS },
  ctx,
) => {
  return ctx.commands.verifyChain(level, Math.max(0, blocks));
};
