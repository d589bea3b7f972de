import { asHashHex } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { timeoutOf, untilTip } from '../../node/wait.js';
import type { waitfornewblock as spec } from './waitfornewblock.spec.js';

export const waitfornewblock: NodeRun<typeof spec> = ({ args }, ctx, call) => {
  const timeoutMs = timeoutOf(ctx, args[0]);
  const before = (args[1] ?? null) === null ? ctx.chain.tip.hashHex : asHashHex(args[1], 'current_tip');
  return untilTip(ctx, call, timeoutMs, (tip) => tip.hashHex !== before);
};
