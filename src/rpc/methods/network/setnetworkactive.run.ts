import { asBool } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import type { setnetworkactive as spec } from './setnetworkactive.spec.js';

export const setnetworkactive: NodeRun<typeof spec> = ({ args }, ctx) => {
  ctx.network.control.setActive(asBool(args[0]));
  return ctx.network.active;
};
