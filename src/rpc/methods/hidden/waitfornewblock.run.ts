import type { NodeRun } from '../../context/node.js';
import { timeoutOf, untilTip } from '../../node/wait.js';
import type { waitfornewblock as spec } from './waitfornewblock.spec.js';

export const waitfornewblock: NodeRun<typeof spec> = (params, ctx, call) => {
  const timeoutMs = timeoutOf(ctx, params.timeout);
  const before = params.current_tip ?? ctx.chain.tip.hashHex;
  return untilTip(ctx, call, timeoutMs, (tip) => tip.hashHex !== before);
};
