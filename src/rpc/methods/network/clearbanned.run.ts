// Runs clearbanned.
import type { NodeRun } from '../../node/context.js';

export const clearbanned: NodeRun = (ctx) => {
  ctx.network.control.clearBans();
  return null;
};
