import type { NodeRun } from '../../context/node.js';
import type { setnetworkactive as spec } from './setnetworkactive.spec.js';

export const setnetworkactive: NodeRun<typeof spec> = (params, ctx) => {
  ctx.network.control.setActive(params.state);
  return ctx.network.active;
};
