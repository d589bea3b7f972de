import type { NodeRun } from '../../context/node.js';

export const clearbanned: NodeRun = (ctx) => {
  ctx.network.control.clearBans();
  return null;
};
