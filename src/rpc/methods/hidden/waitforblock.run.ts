import { asHashHex } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { timeoutOf, untilTip } from '../../node/wait.js';
import type { waitforblock as spec } from './waitforblock.spec.js';

export const waitforblock: NodeRun<typeof spec> = ({ args }, ctx, call) => {
  const wanted = asHashHex(args[0], 'blockhash');
  return untilTip(ctx, call, timeoutOf(ctx, args[1]), (tip) => tip.hashHex === wanted);
};
