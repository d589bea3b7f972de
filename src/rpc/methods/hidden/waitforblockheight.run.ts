import { asInt } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { timeoutOf, untilTip } from '../../node/wait.js';
import type { waitforblockheight as spec } from './waitforblockheight.spec.js';

export const waitforblockheight: NodeRun<typeof spec> = ({ args }, ctx, call) => {
  const height = asInt(args[0]);
  return untilTip(ctx, call, timeoutOf(ctx, args[1]), (tip) => tip.height >= height);
};
