import { asBool } from '../../args.js';
import type { NodeRun } from '../../context/node.js';

export const setnetworkactive: NodeRun = (ctx, args) => {
  ctx.network.control.setActive(asBool(args[0]));
  return ctx.network.active;
};
