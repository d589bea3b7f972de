import type { NodeRun } from '../../context/node.js';
import { timeoutOf, untilTip } from '../../node/wait.js';
import type { waitforblock as spec } from './waitforblock.spec.js';

export const waitforblock: NodeRun<typeof spec> = ({ blockhash: wanted, timeout }, ctx, call) => {
  return untilTip(ctx, call, timeoutOf(ctx, timeout), (tip) => tip.hashHex === wanted);
};
