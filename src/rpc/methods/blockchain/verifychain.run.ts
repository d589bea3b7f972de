import type { NodeRun } from '../../context/node.js';
import type { verifychain as spec } from './verifychain.spec.js';

const DEFAULT_CHECK_LEVEL = 3;

const DEFAULT_CHECK_BLOCKS = 6;

export const verifychain: NodeRun<typeof spec> = (
  { checklevel: level = DEFAULT_CHECK_LEVEL, nblocks: blocks = DEFAULT_CHECK_BLOCKS },
  ctx,
) => {
  return ctx.commands.verifyChain(level, Math.max(0, blocks));
};
