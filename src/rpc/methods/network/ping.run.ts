import type { NodeRun } from '../../context/node.js';

export const ping: NodeRun = (ctx) => {
  ctx.network.control.pingAll();
  return null;
};
