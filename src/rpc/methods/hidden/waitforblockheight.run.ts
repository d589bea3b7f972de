import type { NodeRun } from '../../context/node.js';
import { timeoutOf, untilTip } from '../../node/wait.js';
import type { waitforblockheight as spec } from './waitforblockheight.spec.js';

export const waitforblockheight: NodeRun<typeof spec> = ({ height, timeout }, ctx, call) => {
  return untilTip(ctx, call, timeoutOf(ctx, timeout), (tip) => tip.height >= height);
};
