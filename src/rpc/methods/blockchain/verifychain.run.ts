import { asInt } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import type { verifychain as spec } from './verifychain.spec.js';

const DEFAULT_CHECK_LEVEL = 3;

const DEFAULT_CHECK_BLOCKS = 6;

export const verifychain: NodeRun<typeof spec> = ({ args }, ctx) => {
  const level = (args[0] ?? null) === null ? DEFAULT_CHECK_LEVEL : asInt(args[0]);
  const blocks = (args[1] ?? null) === null ? DEFAULT_CHECK_BLOCKS : asInt(args[1]);
  return ctx.commands.verifyChain(level, Math.max(0, blocks));
};
